"""What contained a sample: spans of versions, and what other apps made of those (exports, models, ..)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blobs.services import chunks
from catalog.models import Dataset, Export, ForkOverride, Revision, Sample, Version, revision_conditions


@dataclass(frozen=True, slots=True)
class Span:
    """Versions `first` to `last` of a dataset, in which a sample has the same state."""

    dataset: Dataset
    first: int
    last: int
    revision: Revision


@dataclass(frozen=True, slots=True)
class Contained:
    """The ids of samples, and of the versions that hold or held them."""

    samples: Sequence[int]
    versions: Sequence[int]


Contributor = Callable[[Contained], Iterable[Mapping[str, Any]]]
_contributors: dict[str, Contributor] = {}


def register(name: str, contributor: Contributor) -> None:
    """Register a contributor: `contained_in` lists what it returns (JSON objects without data of the sample itself)
    under `name`. Raises ValueError for a name used before."""
    if name in _contributors or name == "versions":
        raise ValueError(f"{name!r} is listed by another contributor already")
    _contributors[name] = contributor


def names() -> list[str]:
    """The names of all registered contributors, without `versions`."""
    return sorted(_contributors)


def exports_of(found: Contained) -> Iterator[dict[str, Any]]:
    """Yield the exports of versions that held one of the samples."""
    for versions in chunks(found.versions):
        for row in Export.objects.filter(version__in=versions).select_related("dataset", "version").order_by("pk"):
            yield {"id": row.pk, "dataset": row.dataset.name, "dataset_version": row.version.number} | {
                "format": row.format,
                "split": row.split or None,
            }


register("exports", exports_of)


def contained_in(spans: Sequence[Span], samples: Sequence[int]) -> dict[str, Any]:
    """Return what contained the samples: `{versions: [{dataset, first, last}], models: [..], ..}`."""
    numbers: dict[int, set[int]] = {}
    for span in spans:
        numbers.setdefault(span.dataset.pk, set()).update(range(span.first, span.last + 1))
    ids = [
        pk for dataset, held in numbers.items()
        for pk in Version.objects.filter(dataset=dataset, number__in=held).values_list("pk", flat=True)
    ]  # fmt: skip
    found = Contained(samples, ids)
    listed: dict[str, Any] = {"versions": [_span(name, *run) for name, run in _runs(spans, numbers)]}
    return listed | {name: [dict(row) for row in contribute(found)] for name, contribute in _contributors.items()}


def spans_of(sample: Sample) -> list[Span]:
    """Return every version of every dataset that holds or held the sample, including forks that read it in their
    origin."""
    found: list[Span] = []
    for dataset in holders(sample):
        head = dataset.head.number if dataset.head else 0
        steps = timeline(dataset, sample)
        for (start, state), (end, _) in zip(steps, [*steps[1:], (head + 1, None)], strict=True):
            if state is not None and max(start, 1) < end:
                found.append(Span(dataset, max(start, 1), end - 1, state))
    return found


def holders(sample: Sample) -> list[Dataset]:
    """Return the datasets that have rows of the sample, and their forks."""
    own = {sample.dataset_id, *Revision.objects.filter(sample=sample).values_list("dataset_id", flat=True)}
    forks = Dataset.objects.exclude(origin=None).values_list("pk", "ancestry")
    reading = {pk for pk, ancestry in forks if own & {ancestor for ancestor, _ in ancestry}}
    return list(Dataset.objects.filter(pk__in=own | reading).select_related("head").order_by("pk"))


def timeline(dataset: Dataset, sample: Sample) -> list[tuple[int, Revision | None]]:
    """Return (version number, the sample's revision from that version on) for each change by the dataset itself; first
    (0, its revision in the origin)."""
    own = Revision.objects.filter(dataset=dataset, sample=sample)
    numbers = {number for pair in own.values_list("since", "until") for number in pair if number is not None}
    numbers |= set(ForkOverride.objects.filter(dataset=dataset, sample=sample).values_list("since", flat=True))
    return [(number, _state(dataset, sample, number)) for number in (0, *sorted(numbers))]


def _state(dataset: Dataset, sample: Sample, number: int) -> Revision | None:
    path = [(dataset.pk, number), *((ancestor, at) for ancestor, at in dataset.ancestry)]
    for condition in revision_conditions(path):
        if found := Revision.objects.filter(condition, sample=sample).select_related("label", "blob").first():
            return found
    return None


def _runs(spans: Sequence[Span], numbers: Mapping[int, set[int]]) -> list[tuple[str, tuple[int, int]]]:
    """Group consecutive version numbers as (dataset name, (first, last))."""
    names = {span.dataset.pk: span.dataset.name for span in spans}
    runs: list[tuple[str, tuple[int, int]]] = []
    for dataset, held in numbers.items():
        for number in sorted(held):
            if runs and runs[-1][0] == names[dataset] and runs[-1][1][1] == number - 1:
                runs[-1] = (names[dataset], (runs[-1][1][0], number))
            else:
                runs.append((names[dataset], (number, number)))
    return runs


def _span(dataset: str, first: int, last: int) -> dict[str, Any]:
    return {"dataset": dataset, "first": first, "last": last}
