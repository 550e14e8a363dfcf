"""Differences between two versions, at a cost that depends on the changes between them, not on their size."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Any

from django.db.models import Q, QuerySet

from blobs.services import chunks
from catalog.models import ForkOverride, Revision, Sample, Version
from core.errors import Invalid
from tasktypes import Labels

KINDS = (
    "added", "removed", "changed", "relabelled", "boxes_moved", "attributes_changed", "split_moved", "meta_changed",
)  # fmt: skip
STEP = 500
FEW = 20_000  # up to this many changes are read at once; more are read page by page, among all samples
FACTS = ("pk", "sample_id", "blob_id", "original_id", "split", "label__value", "meta")


@dataclass(frozen=True, slots=True)
class State:
    """The state of a sample in a version, to compare with another version."""

    revision: int
    sample: int
    blob: int
    original: int | None  # the blob that `blob` was converted from
    split: str
    label: Mapping[str, Any] | None
    meta: Mapping[str, Any]

    def same(self, other: "State") -> bool:
        """Whether both states are equal, except for their rows."""
        return self.facts == other.facts

    @property
    def facts(self) -> tuple[object, ...]:
        """All fields to compare, without the row."""
        return (self.blob, self.original, self.split, self.label, self.meta)


@dataclass(frozen=True, slots=True)
class Difference:
    """A sample that is in only one of the versions, or differs between them."""

    sample: int
    before: State | None
    after: State | None
    labels: Labels

    @property
    def kinds(self) -> tuple[str, ...]:
        """The KINDS of the difference; a sample that is in both versions may have several."""
        before, after = self.before, self.after
        if before is None or after is None:
            return ("added",) if before is None else ("removed",)
        found = {
            "changed": (before.blob, before.original) != (after.blob, after.original),
            self._change(before.label, after.label): before.label != after.label,
            "split_moved": before.split != after.split,
            "meta_changed": before.meta != after.meta,
        }
        return tuple(kind for kind in KINDS if found.get(kind))

    def _change(self, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
        return self.labels.change(before, after) if before and after else "relabelled"


def differences(old: Version, new: Version, *, after: int = 0) -> Iterator[Difference]:
    """Yield all differences by sample id, after the sample `after`. Raises Invalid (`unrelated_versions`).

    Samples of two datasets are compared by key: each may have made a sample of its own for the same key.
    """
    column = "sample_id" if old.dataset_id == new.dataset_id else "sample__key"
    labels = new.dataset.task_type.labels
    for ids in _touched(old, new, after=after):
        names = dict(Sample.objects.filter(pk__in=ids).values_list("pk", "key")) if column == "sample__key" else {}
        wanted = list(names.values()) or ids
        was, is_now = _states(old, column, wanted), _states(new, column, wanted)
        for sample in ids:
            name = names.get(sample, sample)
            before, then = was.get(name), is_now.get(name)
            shown = then or before
            if shown and shown.sample == sample and not (before and then and before.same(then)):
                yield Difference(sample, before, then, labels)


def summary(old: Version, new: Version) -> dict[str, int]:
    """Count the samples that differ in each of KINDS."""
    counts = Counter(kind for difference in differences(old, new) for kind in difference.kinds)
    return {kind: counts[kind] for kind in KINDS}


def deltas(old: Version, new: Version, name: str) -> dict[str, int]:
    """Return the changes of the counts `by_split` or `by_class`; equal counts are left out."""
    before, after = old.counts[name], new.counts[name]
    changed = {
        key: after.get(key, 0) - before.get(key, 0) for key in [*after, *(key for key in before if key not in after)]
    }
    return {key: delta for key, delta in changed.items() if delta}


def page(old: Version, new: Version, kind: str, *, after: int, limit: int) -> list[Difference]:
    """Return the next page of differences of one kind."""
    found: list[Difference] = []
    for difference in differences(old, new, after=after):
        if kind in difference.kinds:
            found.append(difference)
            if len(found) == limit:
                break
    return found


def rows_of(found: Sequence[Difference]) -> dict[int, Revision]:
    """Return the full rows of some differences, by row id."""
    wanted = [state.revision for one in found for state in (one.before, one.after) if state]
    rows = Revision.objects.filter(pk__in=wanted).select_related("sample", "blob", "original", "label")
    return {row.pk: row for row in rows}


def _states(version: Version, column: str, wanted: Sequence[int | str]) -> dict[int | str, State]:
    rows = version.revisions.filter(**{f"{column}__in": wanted}).values_list(column, *FACTS)
    return {row[0]: State(*row[1:]) for row in rows}


def _touched(old: Version, new: Version, *, after: int) -> Iterator[list[int]]:
    """Yield batches of the sample ids after `after` that may differ: those changed since the common ancestor."""
    few = _listed(old, new)
    if few is not None:
        yield from chunks((sample for sample in sorted(few) if sample > after), STEP)
        return
    while ids := _next_touched(old, new, after=after):
        yield ids
        after = ids[-1]


def _listed(old: Version, new: Version) -> set[int] | None:
    """Return all samples that may differ if there are at most FEW, else None. The query is unordered, because a
    database would scan the ids of the whole version to find the first ones by id."""
    found: set[int] = set()
    for rows in _happened(old.path, new.path):
        found.update(rows.distinct()[: FEW + 1])  # a sample that changed often must not hide others
        if len(found) > FEW:
            return None
    return found


def _next_touched(old: Version, new: Version, *, after: int) -> list[int]:
    """Return the next page of the samples that may differ, if there are many."""
    found: list[int] = []
    happened = (rows.filter(sample__gt=after) for rows in _happened(old.path, new.path))
    for sample in merge(*(rows.order_by("sample_id").distinct()[:STEP] for rows in happened)):
        if not found or sample != found[-1]:
            found.append(sample)
    return found[:STEP]


def _happened(old: list[tuple[int, int]], new: list[tuple[int, int]]) -> Iterator[QuerySet[Any, int]]:
    there = dict(new)
    meet = next((dataset_id for dataset_id, _ in old if dataset_id in there), None)
    if meet is None:
        raise Invalid.field(
            "from", "has nothing in common with `to`: neither is a fork of the other", code="unrelated_versions"
        )
    numbers = sorted([dict(old)[meet], there[meet]])
    rows = Revision.objects.filter(dataset=meet)
    low, high = numbers
    yield rows.filter(since__gt=low, since__lte=high).values_list("sample_id", flat=True)
    yield rows.filter(until__gt=low, until__lte=high).values_list("sample_id", flat=True)
    overrides = ForkOverride.objects.filter(dataset=meet, since__gt=low, since__lte=high)
    yield overrides.values_list("sample_id", flat=True)
    own = Q(pk=None)
    for path in (old, new):
        for dataset_id, number in path[: [dataset for dataset, _ in path].index(meet)]:
            own |= Q(dataset=dataset_id, since__lte=number)
    if own != Q(pk=None):
        yield Revision.objects.filter(own).values_list("sample_id", flat=True)
        yield ForkOverride.objects.filter(own).values_list("sample_id", flat=True)
