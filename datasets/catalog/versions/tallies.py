"""Count the samples of a version without reading them (see `models.Tally`)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, Sum

from catalog.models import Revision, Tally, Version

BUCKET = 4096

Cell = tuple[int, str, str, bool]  # bucket, split, class name, labelled


@dataclass(frozen=True, slots=True)
class Change:
    """A revision that enters a version (`sign` 1) or leaves it (-1), with the classes its label names."""

    revision: Revision
    classes: Iterable[str]
    sign: int


def tallies(dataset_id: int, since: int, changes: Iterable[Change]) -> list[Tally]:
    """Build the unsaved rows that count these changes from version `since` on."""
    cells: Counter[Cell] = Counter()
    for change in changes:
        revision = change.revision
        bucket = revision.sample_id // BUCKET
        cells[bucket, revision.split, "", revision.label_id is not None] += change.sign
        for name in change.classes:
            cells[bucket, revision.split, name, True] += change.sign
    return [
        Tally(
            dataset_id=dataset_id, since=since, bucket=bucket, split=split, class_name=name, labelled=told, delta=delta
        )
        for (bucket, split, name, told), delta in cells.items()
        if delta
    ]


def count(version: Version, cells: Mapping[str, object], *by: str) -> dict[tuple[object, ...], int]:
    """Count the samples of the version in the cells with these values (of split, class_name, labelled), grouped `by`
    fields.

    Without a class name, `cells` must say `class_name=""`: a sample lies in one such cell, but in one for each class.
    """
    chosen = Q()
    for dataset_id, number in version.path:
        chosen |= Q(dataset_id=dataset_id, since__lte=number)
    rows = Tally.objects.filter(chosen, **cells).order_by().values_list(*by).annotate(n=Sum("delta"))
    return {tuple(row[:-1]): row[-1] for row in rows if row[-1]}


def counts_of(versions: Collection[Version], cells: Mapping[str, object]) -> dict[int, int]:
    """Count the samples in the cells of each of several versions in one query, by version id; `cells` as of `count`,
    `dataset` must be loaded."""
    lines = {line for version in versions for line, _ in version.path}
    rows = Tally.objects.filter(dataset__in=lines, **cells).order_by().values_list("dataset", "since")
    changes: dict[int, list[tuple[int, int]]] = {line: [] for line in lines}
    for line, since, delta in rows.annotate(n=Sum("delta")):
        changes[line].append((since, delta))
    return {
        version.pk: sum(delta for line, number in version.path for since, delta in changes[line] if since <= number)
        for version in versions
    }


def place(version: Version, cells: Mapping[str, object], offset: int) -> tuple[int, int]:
    """Locate the sample at `offset` among those in `cells`: (a sample id before it, how many to skip after that)."""
    left = offset
    rows = sorted((int(str(bucket)), n) for (bucket,), n in count(version, cells, "bucket").items())
    for bucket, n in rows:
        if left < n:
            return bucket * BUCKET - 1, left
        left -= n
    return (rows[-1][0] + 1) * BUCKET if rows else 0, left
