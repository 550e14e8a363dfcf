"""Which samples of test something was judged by: those stay in test for good, as a model that learned from them would
look better than it is."""

from collections.abc import Callable, Collection, Iterable

from django.db.models import Q

from blobs.services import chunks
from catalog.models import Dataset, Split, Version

AT_ONCE = 5000

Judge = Callable[[Collection[int]], Iterable[tuple[int, str]]]
"""Yields, for versions of datasets (their ids), the id of a version and what was judged by its test split, in words."""
_judges: dict[str, Judge] = {}


def register(name: str, judge: Judge) -> None:
    """Register what an app judges by test splits. Raises ValueError for a name used before."""
    if name in _judges:
        raise ValueError(f"{name!r} is registered already")
    _judges[name] = judge


def judged_by(dataset: Dataset, samples: Collection[int]) -> dict[int, str]:
    """Return for each of these samples (ids) whose label in test something was judged by, in words, what that was: on a
    version of the dataset, of those that it was forked from, or of forks of these."""
    datasets = _related(dataset)
    judged: dict[int, str] = {}
    on: dict[int, str] = {}
    for judge in _judges.values():
        for pk, what in judge(datasets):
            on.setdefault(pk, what)
    for version in Version.objects.filter(pk__in=on).select_related("dataset").order_by("pk"):
        in_test = version.revisions.filter(split=Split.TEST, label__isnull=False)
        for ids in chunks(sorted(set(samples) - judged.keys()), AT_ONCE):
            judged |= dict.fromkeys(in_test.filter(sample__in=ids).values_list("sample_id", flat=True), on[version.pk])
    return judged


def _related(dataset: Dataset) -> set[int]:
    """Return the ids of the datasets whose versions may hold the dataset's samples."""
    family = {dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)}
    forks = Dataset.everything.exclude(origin=None).values_list("pk", "ancestry")
    related = {pk for pk, ancestry in forks if family & {ancestor for ancestor, _ in ancestry}}
    merged = Version.objects.filter(Q(dataset__in=family) & ~Q(merged=None)).values_list("merged__dataset", flat=True)
    return family | related | set(merged)
