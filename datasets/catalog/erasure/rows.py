"""Erase a sample for privacy: from every version, label, task and count, then its bytes.

Only an erasure changes published versions. Each counts its erased samples in `erased`; its counts cover the remaining
samples, both in the version's own numbers and in the tally.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.crypto import salted_hmac

from accounts import audit
from accounts.models import User
from catalog.busy import refuse_busy
from catalog.duplicates.hash_pages import forget
from catalog.erasure.containment import PROJECT, Span, contained_in, holders, spans_of, timeline
from catalog.keys import normal_key
from catalog.models import Dataset, Erasure, Export, ForkOverride, Label, Revision, Sample, Tally, Version
from catalog.signals import samples_erased
from catalog.versions.tallies import Change, tallies
from core.errors import Invalid, NotFound
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from worker_programs.wording import plural

KIND = "erase"
SHOWN = 20
MOST_KEYS = 1000


@transaction.atomic
def start_erasure(
    dataset: Dataset, keys: Sequence[str], *, reason: str, confirm: str, everywhere: bool = False, by: User
) -> Job:
    """Create the job that erases samples that are or were in the dataset; the caller wakes it.

    With `everywhere`, samples of other datasets (or under other keys) with the same bytes are erased too; without, they
    keep the bytes. Raises Invalid (`confirm` is not the dataset's name, no keys), NotFound (`sample_unknown`).
    """
    if confirm != dataset.name:
        raise Invalid.field(
            "confirm", f"must be the dataset's name, {dataset.name!r}: what is erased can't be had back"
        )
    names = list(dict.fromkeys(normal_key(key) for key in keys))
    if not 0 < len(names) <= MOST_KEYS:
        raise Invalid.field("keys", f"must be 1 to {MOST_KEYS} keys")
    samples = _named(dataset, names)
    if everywhere:
        samples = _with_same_bytes(samples)
    # Neither the job nor its log may contain the keys, because they stay when the sample is gone.
    params = {"samples": sorted(sample.pk for sample in samples)}
    title = f"Erase {plural(len(samples), 'sample')} of {dataset.name}"
    job = create_job(KIND, title, shards=[ShardSpec(params)], unit="rows", created_by=by, project=dataset.project_id)
    Erasure.objects.bulk_create(
        Erasure(
            dataset=sample.dataset, key_digest=key_digest(sample.dataset, sample.key), reason=reason, job=job, by=by
        )
        for sample in samples
    )
    told = {"samples": len(samples), "reason": reason, "everywhere": everywhere, "job": job.pk}
    audit.note("erasure asked", "dataset", dataset.name, project=dataset.project_id, after=told, by=by)
    return job


def key_digest(dataset: Dataset, key: str) -> str:
    """The digest of a key that an erasure keeps: it does not reveal the key without the platform's secret."""
    return salted_hmac("catalog.erasure", f"{dataset.pk}/{normal_key(key)}", algorithm="sha256").hexdigest()


def erase_rows(job: Job, ids: Sequence[int], *, together: Sequence[int]) -> dict[str, Any]:
    """Delete the samples from all rows; the job erases them `together` with others. Call it inside a transaction.

    Raises Busy (`dataset_busy`) while a large commit to one of their datasets is being written.

    Returns what is left to do, as JSON: `digests` of bytes to delete, `touched` [[dataset id, [version numbers]], ..],
    the number of `samples`, and in `counted` how many other things were deleted with them."""
    samples = list(Sample.objects.filter(pk__in=ids).select_related("dataset").order_by("pk"))
    involved = {dataset.pk for sample in samples for dataset in holders(sample)}
    # Locks out commits to these datasets; all erasures lock in the same order.
    for dataset in Dataset.objects.filter(pk__in=involved).order_by("pk").select_for_update():
        refuse_busy(dataset)
    digests: set[str] = set()
    at = datetime.now(UTC).isoformat(timespec="microseconds")
    touched: dict[int, set[int]] = defaultdict(set)
    for sample in samples:
        spans = spans_of(sample)
        own = _bytes_of(sample)
        report = contained_in(spans, [sample.pk])
        row = Erasure.objects.filter(job=job, key_digest=key_digest(sample.dataset, sample.key))
        row.update(report=report | {"shared_with": _shared_with(own, together), "at": at})
        _uncount(sample, spans)
        for span in spans:
            touched[span.dataset.pk] |= set(range(span.first, span.last + 1))
        digests |= own
    counted: Counter[str] = Counter(lake_frames=0)
    digests |= _tell(samples, digests, counted) | _drop_exports(touched)
    forget(involved, ids)
    _delete([sample.pk for sample in samples])
    return {
        "samples": len(samples),
        "counted": dict(counted),
        "digests": sorted(digests),
        "touched": [[dataset, sorted(numbers)] for dataset, numbers in sorted(touched.items())],
    }


def _named(dataset: Dataset, keys: Sequence[str]) -> list[Sample]:
    """Return the samples with these keys, in the dataset or those it was forked from."""
    family = [dataset.pk, *(origin for origin, _ in dataset.ancestry)]
    samples = list(Sample.objects.filter(dataset__in=family, key__in=keys).select_related("dataset").order_by("pk"))
    known = {sample.key for sample in samples}
    if unknown := [key for key in keys if key not in known]:
        raise NotFound(
            f"There is no sample {unknown[0]!r} in dataset {dataset.name!r}; nothing was erased.",
            code="sample_unknown",
            errors={"keys": [f"no sample {key!r}" for key in unknown[:SHOWN]]},
        )
    return samples


def _with_same_bytes(samples: Sequence[Sample]) -> list[Sample]:
    """Return the samples, and all samples that ever shared bytes with one of them."""
    found = {sample.pk for sample in samples}
    while True:
        rows = Revision.objects.filter(sample__in=found)
        same = Q(blob__in=rows.values("blob")) | Q(original__in=rows.exclude(original=None).values("original"))
        wider = found | set(Revision.objects.filter(same).values_list("sample_id", flat=True))
        if wider == found:
            return list(Sample.objects.filter(pk__in=found).select_related("dataset").order_by("pk"))
        found = wider


def _bytes_of(sample: Sample) -> set[str]:
    """Return the md5s of all images of a sample, and of their originals."""
    rows = Revision.objects.filter(sample=sample).values_list("blob__md5", "original__md5")
    return {md5 for pair in rows for md5 in pair if md5 is not None}


def _shared_with(digests: Iterable[str], erased: Sequence[int]) -> list[dict[str, Any]]:
    """The datasets in which other samples have the same bytes."""
    names = list(digests)
    others = Revision.objects.filter(Q(blob__md5__in=names) | Q(original__md5__in=names)).exclude(sample__in=erased)
    datasets = sorted(set(others.values_list("dataset__name", "dataset__project")))
    return [{"dataset": name, PROJECT: project} for name, project in datasets]


def _uncount(sample: Sample, spans: Sequence[Span]) -> None:
    """Subtract the sample from the counts of every version that held it, and from the tally of every dataset that
    changed it."""
    for span in spans:
        versions = Version.objects.filter(dataset=span.dataset, number__range=(span.first, span.last))
        changed = []
        for version in versions.iterator():
            version.counts = without(version.counts, span.revision, span.dataset)
            version.erased += 1
            changed.append(version)
        Version.objects.bulk_update(changed, ["counts", "erased"], batch_size=200)
    rows: list[Tally] = []
    for dataset in holders(sample):
        steps = timeline(dataset, sample)
        for (_, before), (number, after) in pairwise(steps):
            changes = [_change(dataset, state, sign) for state, sign in ((before, 1), (after, -1)) if state is not None]
            rows += tallies(dataset.pk, number, changes)
    Tally.objects.bulk_create(rows, batch_size=500)


def without(counts: dict[str, Any], revision: Revision, dataset: Dataset) -> dict[str, Any]:
    """Return a version's counts without one sample."""
    by_split, by_class = dict(counts["by_split"]), dict(counts["by_class"])
    by_split[revision.split] = by_split.get(revision.split, 0) - 1
    for name, count in dataset.class_counts(revision.label).items():
        by_class[name] = by_class.get(name, 0) - count
    return {
        "samples": counts["samples"] - 1,
        "labelled": counts["labelled"] - (revision.label is not None),
        "by_split": {name: count for name, count in by_split.items() if count},
        "by_class": {name: count for name, count in by_class.items() if count},
    }


def _change(dataset: Dataset, revision: Revision, sign: int) -> Change:
    return Change(revision, dataset.class_counts(revision.label), sign)


def _tell(samples: Sequence[Sample], digests: set[str], counted: Counter[str]) -> set[str]:
    """Send `samples_erased`, so that other apps delete their data; return the md5s of their blobs to delete. They add
    to `counted`."""
    ids, keys = [sample.pk for sample in samples], [sample.key for sample in samples]
    answers = samples_erased.send(Sample, samples=ids, keys=keys, digests=sorted(digests), counted=counted)
    return {md5 for _, theirs in answers for md5 in theirs or ()}


def _drop_exports(touched: Mapping[int, set[int]]) -> set[str]:
    """Delete the exports of these versions; return the md5s of their archives."""
    gone: set[str] = set()
    for dataset, numbers in touched.items():
        rows = Export.objects.filter(version__dataset=dataset, version__number__in=numbers)
        gone |= set(rows.exclude(blob=None).values_list("blob__md5", flat=True))
        rows.delete()
    return gone


def _delete(ids: Sequence[int]) -> None:
    """Delete the samples and their rows; rows with a cascading foreign key go with them."""
    Revision.objects.filter(sample__in=ids).delete()
    ForkOverride.objects.filter(sample__in=ids).delete()
    Label.objects.filter(sample__in=ids).delete()
    Sample.objects.filter(pk__in=ids).delete()
