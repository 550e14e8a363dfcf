"""What contained a sample: spans of versions, and what other apps made of those (exports, models, ..).

A report is recorded as JSON when samples are erased, and kept: it names what there was then. `current` shows reports as
they are now, to who asks.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from accounts import rights
from blobs.services import chunks
from catalog.models import Dataset, Export, ForkOverride, Revision, Sample, Version, revision_conditions

PROJECT = "project"
"""The key of a row's project id. It is recorded, and never shown."""
NAMING = frozenset({"model", "version"})
"""Keys of a part of a row that name what the part is about."""


@dataclass(frozen=True, slots=True)
class Span:
    """Versions `first` to `last` of a dataset, in which a sample has the same state."""

    dataset: Dataset
    first: int
    last: int
    revision: Revision


@dataclass(frozen=True, slots=True)
class Contained:
    """The ids of samples and of the versions that hold or held them; by split, the versions that held one there, and
    those that held one there with a label, which is what trainings and evaluations read."""

    samples: Sequence[int]
    versions: Sequence[int]
    in_split: Mapping[str, Sequence[int]] = field(default_factory=dict)
    labelled: Mapping[str, Sequence[int]] = field(default_factory=dict)
    digests: frozenset[str] = frozenset()
    """md5s of the bytes that the samples have or had."""


Row = Mapping[str, Any]
Contributor = Callable[[Contained], Iterable[Row]]
Presenter = Callable[[Sequence[dict[str, Any]]], None]
_contributors: dict[str, Contributor] = {}
_presenters: list[Presenter] = []


def register(name: str, contributor: Contributor) -> None:
    """Register a contributor: `contained_in` lists what it returns under `name`: JSON objects without data of the
    sample itself, each with the id of the `project` that it is in. Raises ValueError for a name used before."""
    if name in _contributors or name == "versions":
        raise ValueError(f"{name!r} is listed by another contributor already")
    _contributors[name] = contributor


def register_presenter(presenter: Presenter) -> None:
    """Register a function that brings recorded reports up to date in place, with a number of queries that does not
    grow with the reports."""
    _presenters.append(presenter)


def names() -> list[str]:
    """The names of all registered contributors, without `versions`."""
    return sorted(_contributors)


def exports_of(found: Contained) -> Iterator[Row]:
    """Yield the exports of versions that held one of the samples."""
    for versions in chunks(found.versions):
        for row in Export.objects.filter(version__in=versions).select_related("dataset", "version").order_by("pk"):
            yield {"id": row.pk, "dataset": row.dataset.name, "dataset_version": row.version.number} | {
                "format": row.format, "split": row.split or None, PROJECT: row.dataset.project_id,
            }  # fmt: skip


register("exports", exports_of)


def contained_in(spans: Sequence[Span], samples: Sequence[int]) -> dict[str, Any]:
    """Return what contained the samples, to be recorded: `{versions: [{dataset, first, last, split, labelled}],
    models: [..], ..}`."""
    found = _contained(spans, samples)
    listed: dict[str, Any] = {"versions": _runs(spans)}
    return listed | {name: [dict(row) for row in contribute(found)] for name, contribute in _contributors.items()}


def current(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return recorded reports as they are now, as the caller may see them: rows of other projects are counted by
    section in `hidden`, not shown."""
    return [_visible(report, rights.projects()) for report in _presented(reports)]


def within(report: Mapping[str, Any], project: int) -> dict[str, Any]:
    """Return a recorded report as it is now, for the members of one project."""
    return _visible(_presented([report])[0], frozenset({project}))


def _presented(reports: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    copies = [deepcopy(dict(report)) for report in reports]
    for present in _presenters:
        present(copies)
    return copies


def _visible(report: dict[str, Any], projects: frozenset[int] | None) -> dict[str, Any]:
    hidden: Counter[str] = Counter()
    for name, rows in report.items():
        if isinstance(rows, list) and name in {*_contributors, "versions", "shared_with"}:
            seen = [row for row in rows if not isinstance(row, dict) or _may_see(row, projects)]
            hidden[name] += len(rows) - len(seen)
            report[name] = [_without_project(row, projects) for row in seen]
    if "shared_with" in report:  # names: a record from before projects were recorded has nothing else
        report["shared_with"] = [row if isinstance(row, str) else row["dataset"] for row in report["shared_with"]]
    return report | {"hidden": {name: count for name, count in hidden.items() if count}}


def _may_see(row: Mapping[str, Any], projects: frozenset[int] | None) -> bool:
    """Whether a row is in one of the projects (None: all). Rows from before projects were recorded are in the
    dataset's own."""
    return projects is None or row.get(PROJECT) is None or row[PROJECT] in projects


def _without_project(row: Any, projects: frozenset[int] | None) -> Any:
    """Return a row as it is shown, without the names of what is in other projects within it."""
    if not isinstance(row, dict):
        return row
    seen = _may_see(row, projects)
    shown = {name: value if seen or name not in NAMING else None for name, value in row.items() if name != PROJECT}
    return {
        name: [_without_project(part, projects) for part in value] if isinstance(value, list) else value
        for name, value in shown.items()
    }


def _contained(spans: Sequence[Span], samples: Sequence[int]) -> Contained:
    held: dict[str, list[int]] = defaultdict(list)
    labelled: dict[str, list[int]] = defaultdict(list)
    everywhere: dict[int, None] = {}
    for pk, span in _versions(spans):
        everywhere[pk] = None
        held[span.revision.split].append(pk)
        if span.revision.label_id is not None:
            labelled[span.revision.split].append(pk)
    blobs = [blob for span in spans for blob in (span.revision.blob, span.revision.original) if blob is not None]
    return Contained(samples, list(everywhere), held, labelled, frozenset(blob.md5 for blob in blobs))


def _versions(spans: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """Yield the id of each version with its span. One query for each dataset."""
    of: dict[int, list[Span]] = defaultdict(list)
    for span in spans:
        of[span.dataset.pk].append(span)
    for dataset, its in of.items():
        first, last = min(span.first for span in its), max(span.last for span in its)
        rows = Version.objects.filter(dataset=dataset, number__range=(first, last)).order_by("number")
        for pk, number in rows.values_list("pk", "number"):
            yield from ((pk, span) for span in its if span.first <= number <= span.last)


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
        if (
            found := Revision.objects.filter(condition, sample=sample)
            .select_related("label", "blob", "original")
            .first()
        ):
            return found
    return None


def _runs(spans: Sequence[Span]) -> list[dict[str, Any]]:
    """List the versions of each dataset; consecutive ones with the sample in the same split, labelled or not, are one
    row."""
    runs: list[dict[str, Any]] = []
    for span in sorted(spans, key=lambda one: (one.dataset.pk, one.first)):
        row = {
            "dataset": span.dataset.name, "first": span.first, "last": span.last, "split": span.revision.split,
            "labelled": span.revision.label_id is not None, PROJECT: span.dataset.project_id,
        }  # fmt: skip
        before = runs[-1] if runs else None
        if (
            before
            and before["last"] == span.first - 1
            and all(before[name] == row[name] for name in ("dataset", "split", "labelled", PROJECT))
        ):
            before["last"] = span.last
        else:
            runs.append(row)
    return runs
