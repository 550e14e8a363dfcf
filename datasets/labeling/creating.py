"""Creating queues of samples that a person picked, and changing queues' settings."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import audit
from accounts.models import User
from catalog.filtering.filters import Filter
from catalog.keys import normal_key
from catalog.models import Dataset, Sample
from catalog.splits.barring import barred, trainable
from catalog.versions.datasets import find_version
from core.errors import Conflict, Invalid
from core.list_parameters import listed
from jobs.lifecycle.finding import refuse_archived
from labeling.assigning import assignees_of, names_of
from labeling.blinding import hide_anew
from labeling.copies import Distinct, distinct
from labeling.models import Queue
from labeling.present_labels import present_labels
from labeling.services import QueueItem, check_mode, checked_kind, create_queue, lock_queue, put_behind
from worker_programs.wording import plural

SHOWN_KEYS = 5  # unknown keys named in an error


@dataclass(frozen=True, slots=True)
class MadeQueue:
    """A new queue, how many samples were chosen before the limit (`passing`), how many near-duplicates of test samples,
    which are not trained on, were `left_out`, or `included` because they were named, and how many `copies` were left
    out (`copies.Distinct.left_out`)."""

    queue: Queue
    passing: int
    left_out: int
    included: int
    copies: Mapping[str, int]


def queue_samples(
    dataset: Dataset,
    name: str,
    *,
    chosen: Any = None,
    keys: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    answers_per_task: int,
    terms: Mapping[str, Any],
    author: User,
) -> MadeQueue:
    """Create a queue of samples of the dataset's head: those with these keys, in their order; or those that pass the
    filter `chosen`; or, with neither, all unlabelled ones; the latter two in a random order, and at most `limit` of
    them. Of samples with the same bytes one is asked about, and no unlabelled one whose bytes are labelled.
    Near-duplicates of test samples, which are not trained on, are included only if their keys are named. With `mode`
    verify, people are asked about the labels that the samples have.

    Raises Invalid (name, filter.., samples, limit, kind, mode, assignees..), or Conflict (`name_taken`).
    """
    if keys is not None and limit is not None:
        raise Invalid.field("limit", "the samples are named: leave the limit out, or name fewer")
    if chosen is not None and keys is not None:
        raise Invalid.field("samples", "send either `samples` or `filter`, not both")
    if keys is not None:
        ids, left_out = _by_key(dataset, [normal_key(key) for key in keys]), 0
    else:
        ids, left_out = _passing(dataset, {"labelled": False} if chosen in (None, {}) else chosen)
    if not ids:
        if keys is not None:
            raise Invalid.field("samples", "name at least one", code="queue_empty")
        what = "no sample passes the filter" if chosen else "every sample of the dataset has a label"
        raise _nothing_passes(what, left_out)
    among = _without_copies(dataset, ids, field="filter" if keys is None else "samples")
    ids, passing = among.ids, len(among.ids)
    if keys is None:
        ids = random.Random(seed).sample(ids, passing if limit is None else min(limit, passing))
    if "assignees" in terms:
        terms = {**terms, "assignees": assignees_of(dataset, terms["assignees"])}
    labels = present_labels(dataset, ids) if terms.get("mode") == Queue.Mode.VERIFY else {}
    items = [QueueItem(pk, labels.get(pk)) for pk in ids]
    queue = create_queue(
        dataset, name, items=items, known=True, answers_per_task=answers_per_task, created_by=author, terms=terms
    )
    return MadeQueue(
        queue,
        passing=passing,
        left_out=left_out,
        included=_barred_among(dataset, ids) if keys is not None else 0,
        copies=among.left_out,
    )


def _without_copies(dataset: Dataset, ids: Sequence[int], *, field: str) -> Distinct:
    """Return the samples without copies. Raises Invalid (`field`) if only copies of labelled samples are among them."""
    among = distinct(find_version(dataset, "head"), ids)
    if not among.ids:
        words = f"all {plural(len(among.labelled), 'sample')} have the bytes of labelled samples: take over their "
        words += f"labels (POST /datasets/{dataset.name}/copies) instead of labelling them again"
        raise Invalid.field(field, words, code="queue_empty")
    return among


@dataclass(frozen=True, slots=True)
class AddedSamples:
    """How many samples were added to a queue, how many were in it `already`, how many were `left_out` because they are
    not trained on, and how many `copies` were left out."""

    added: int
    already: int
    left_out: int
    copies: Mapping[str, int]


@transaction.atomic
def add_samples(queue: Queue, chosen: Any) -> AddedSamples:
    """Append the samples of the head that pass a filter to a queue, in a random order, which reopens it. Samples
    already in it stay unchanged, and copies of them are left out.

    Raises Invalid (filter..), or Conflict (`queue_committed`, `queue_of_round`).
    """
    dataset, locked = queue.dataset, lock_queue(queue.pk).queue
    refuse_archived(dataset)
    if locked.state == Queue.State.COMMITTED:
        raise Conflict("The queue has been committed: make a new one of these samples.", code="queue_committed")
    if locked.commit_grace is not None:
        words = "The queue belongs to a round of a pipeline, which counts its samples: make one of your own."
        raise Conflict(words, code="queue_of_round")
    ids, left_out = _passing(dataset, chosen)
    if not ids:
        raise _nothing_passes("no sample passes the filter", left_out)
    there = set(locked.tasks.values_list("sample_id", flat=True))
    among = distinct(find_version(dataset, "head"), [pk for pk in ids if pk not in there], there=there)
    new = random.Random(locked.total).sample(among.ids, len(among.ids))
    labels = present_labels(dataset, new) if locked.mode == Queue.Mode.VERIFY else {}
    put_behind(locked, [QueueItem(pk, labels.get(pk)) for pk in new])
    already = len(ids) - len(new) - sum(among.left_out.values())
    return AddedSamples(len(new), already, left_out, among.left_out)


@transaction.atomic
def change_queue(queue: Queue, changes: Mapping[str, Any]) -> None:
    """Change a queue's settings (`serializers.QueueTermsSerializer`). A new `blind_share` applies to tasks that nobody
    has seen yet; people who are no longer assigned keep the tasks they hold. Raises Invalid (kind, mode,
    assignees..)."""
    locked = lock_queue(queue.pk).queue
    if "assignees" in changes:
        changes = {**changes, "assignees": assignees_of(queue.dataset, changes["assignees"])}
    if "kind" in changes:
        checked_kind(queue.dataset, changes["kind"])
    if "mode" in changes:
        check_mode(queue.dataset, changes["mode"], suggested=queue.tasks.exclude(suggestion=None).exists())
    before = _terms(locked, changes)
    for name, value in changes.items():
        setattr(locked, name, value)
    locked.save(update_fields=list(changes))
    after = _terms(locked, changes)
    audit.note("changed", "queue", locked.name, project=queue.project_of, before=before, after=after)
    if "blind_share" in changes:
        hide_anew(locked)


def _terms(queue: Queue, names: Iterable[str]) -> dict[str, Any]:
    """Return the named settings of a queue for the audit log: people by name, times as text."""
    told = {name: getattr(queue, name) for name in names} | {"assignees": names_of([queue])[queue.pk]}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in told.items()}


def _barred_among(dataset: Dataset, ids: Sequence[int]) -> int:
    """Count the samples that are barred from training. Counted in Python: with both lists in one query, PostgreSQL
    compares every pair of samples."""
    out = set(barred(find_version(dataset, "head")).values_list("sample_id", flat=True))
    return sum(pk in out for pk in ids)


def _by_key(dataset: Dataset, keys: Sequence[str]) -> list[int]:
    family = [dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)]
    version = find_version(dataset, "head")
    named = dict(Sample.objects.filter(dataset__in=family, key__in=listed(keys)).values_list("pk", "key"))
    there = version.revisions.filter(sample__in=listed(list(named))).values_list("sample_id", flat=True)
    known = {named[pk]: pk for pk in there}
    if unknown := [key for key in keys if key not in known]:
        more = f" and {len(unknown) - SHOWN_KEYS} more" if len(unknown) > SHOWN_KEYS else ""
        raise Invalid.field("samples", f"not in {version}: {', '.join(unknown[:SHOWN_KEYS])}{more}")
    return [known[key] for key in dict.fromkeys(keys)]


def _nothing_passes(what: str, left_out: int) -> Invalid:
    what += f" but {left_out} near-duplicates of test samples: name them in `samples`" if left_out else ""
    return Invalid.field("filter", what, code="queue_empty")


def _passing(dataset: Dataset, chosen: Any) -> tuple[list[int], int]:
    """Return the ids of samples that pass the filter and may be trained on, and how many pass but may not."""
    head = find_version(dataset, "head")
    rows = Filter.of(chosen, dataset).apply(head.revisions)
    ids = list(trainable(rows, head).order_by("sample_id").values_list("sample_id", flat=True))
    return ids, rows.count() - len(ids)
