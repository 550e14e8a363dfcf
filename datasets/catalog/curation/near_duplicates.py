"""Decisions on near-duplicates: keep them out of train or allow them; check again those that an older rule found."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from accounts.models import User
from blobs.refs import BlobRef
from blobs.services import chunks
from catalog.busy import locked
from catalog.changes.plan import CommitResult
from catalog.changes.second_looks import SecondLooks
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.duplicates.near import PIXELS
from catalog.keys import normal_key
from catalog.models import Dataset, NearDuplicate, Revision, Split, Version
from catalog.splits.barring import barred, decide, known, leaking
from catalog.versions.commit import commit, head_of
from catalog.versions.pieces import AT_ONCE, OnStep, Prepared, no_step, on_the_head, prepare
from core.errors import Invalid
from core.list_parameters import listed
from jobs.models import Job

ALLOW, KEEP_OUT = "allow", "keep_out"
SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Decided:
    """The number of near-duplicates decided on, the number of samples moved, and the commit that moved them."""

    near_duplicates: int
    moved: int
    commit: CommitResult | None


def decide_near_duplicates(dataset: Dataset, decision: str, *, keys: Sequence[str] | None, author: User) -> Decided:
    """Allow near-duplicates in train, or keep them out: those with the given keys, or all (None).

    Labelled samples that are allowed move from pool to train; samples in train that are kept out move to pool. Raises
    Invalid (keys).
    """
    rows = _chosen(dataset, keys)

    def settle() -> None:
        decide(dataset, rows, allowed=decision == ALLOW)

    return _prepare(dataset, rows, decision, settle, author=author).complete()


def unchecked(dataset: Dataset) -> list[NearDuplicate]:
    """Near-duplicates that keep a sample out of train and were found by hashes alone, before second looks existed."""
    return _known(dataset, found_by=PIXELS, confirmed=False, allowed=False)


def look_again(dataset: Dataset, rows: Sequence[NearDuplicate], looks: SecondLooks) -> list[NearDuplicate]:
    """Filter `rows` to those whose pictures differ at a second look. Rows with a sample that is gone are left out."""
    head = dataset.head
    refs: dict[int, BlobRef] = {}
    if head is not None:
        refs = {sample: revision.blob.ref for sample, revision in held_by(head, rows).items()}
    there = [row for row in rows if row.sample_id in refs and row.of_id in refs]
    shown = looks.same([(refs[row.sample_id], refs[row.of_id]) for row in there])
    return [row for row, yes in zip(there, shown, strict=True) if not yes]


def prepare_check(
    dataset: Dataset,
    looked: Sequence[NearDuplicate],
    wrong: Sequence[NearDuplicate],
    *,
    author: User,
    job: Job | None = None,
    on_step: OnStep = no_step,
) -> Prepared[Decided]:
    """Delete the pairs that a second look did not confirm, moving their labelled samples to train; confirm the rest.
    All but the last step is done."""

    def settle() -> None:
        gone = {row.pk for row in wrong}
        for pks in chunks(row.pk for row in looked if row.pk not in gone):
            NearDuplicate.objects.filter(pk__in=pks).update(confirmed=True)
        inherited = [row for row in wrong if row.dataset_id != dataset.pk]
        decide(dataset, inherited, allowed=True)  # only the origin deletes its own rows
        for pks in chunks(row.pk for row in wrong if row.dataset_id == dataset.pk):
            NearDuplicate.objects.filter(pk__in=pks).delete()

    return _prepare(dataset, wrong, ALLOW, settle, author=author, job=job, on_step=on_step)


def held_by(head: Version, rows: Sequence[NearDuplicate]) -> dict[int, Revision]:
    """Map each sample of the rows, both of a pair, to its revision at the head, with its blob."""
    ids = list({pk for row in rows for pk in (row.sample_id, row.of_id)})
    return {row.sample_id: row for row in head.revisions.filter(sample__in=listed(ids)).select_related("blob")}


def near_duplicate_counts(head: Version | None) -> dict[str, int]:
    """Count the samples kept out of train, those in train undecided, the allowed near-duplicates, and the unchecked
    ones."""
    if head is None:
        return {"kept_out": 0, "kept_out_labelled": 0, "in_train": 0, "allowed": 0, "unchecked": 0}
    out = barred(head)
    return {
        "kept_out": out.count(),
        "kept_out_labelled": out.exclude(label=None).count(),
        "in_train": leaking(head).count(),
        "allowed": known(head).filter(allowed=True).count(),
        "unchecked": known(head).filter(found_by=PIXELS, confirmed=False, allowed=False).count(),
    }


def _prepare(
    dataset: Dataset,
    rows: Collection[NearDuplicate],
    decision: str,
    settle: Callable[[], None],
    *,
    author: User,
    job: Job | None = None,
    on_step: OnStep = no_step,
) -> Prepared[Decided]:
    """Move the samples that follow a decision, up to the last step if they are many; that writes the decision itself
    by `settle`."""

    def at_once() -> Decided:
        head = locked(dataset).head
        settle()
        changes = _moves(head, rows, decision)
        result = commit(dataset, changes, author=author) if changes.samples else None
        return Decided(len(rows), result.updated if result else 0, result)

    def decided(result: CommitResult) -> Decided:
        settle()
        return Decided(len(rows), result.updated, result)

    def prepared() -> Prepared[Decided]:
        head = head_of(dataset)
        changes = _moves(head, rows, decision)
        if len(changes.samples) <= AT_ONCE:
            return Prepared(at_once)
        changes.parent = head.number if head else 0
        changes.allow_near_duplicates = decision == ALLOW  # as `settle` will say
        return prepare(dataset, changes, author=author, job=job, on_step=on_step).then(decided)

    return on_the_head(prepared)


def _moves(head: Version | None, rows: Collection[NearDuplicate], decision: str) -> ChangeSet:
    if head is None:
        return ChangeSet()
    split = Split.POOL if decision == ALLOW else Split.TRAIN
    found = head.revisions.filter(sample__in=listed(list({row.sample_id for row in rows})), split=split)
    found = found.exclude(label=None) if decision == ALLOW else found
    keys = list(found.values_list("sample__key", flat=True))
    to, words = (Split.TRAIN, "Allow") if decision == ALLOW else (Split.POOL, "Keep out")
    changes = ChangeSet([SampleChange(key, split=to) for key in sorted(keys)])
    changes.message = f"{words} {len(keys)} near-duplicates of test samples"
    return changes


def _chosen(dataset: Dataset, keys: Sequence[str] | None) -> list[NearDuplicate]:
    if keys is None:
        return _known(dataset)
    wanted = list(dict.fromkeys(normal_key(key) for key in keys))
    rows = _known(dataset, sample__key__in=listed(wanted))
    if absent := sorted(set(wanted) - {row.sample.key for row in rows}):
        more = f" and {len(absent) - SHOWN_KEYS} more" if len(absent) > SHOWN_KEYS else ""
        raise Invalid.field("keys", f"no near-duplicate is known of {', '.join(absent[:SHOWN_KEYS])}{more}")
    return rows


def _known(dataset: Dataset, **conditions: object) -> list[NearDuplicate]:
    if dataset.head is None:
        return []
    return list(known(dataset.head).filter(**conditions).select_related("sample", "of").order_by("pk"))
