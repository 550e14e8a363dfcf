"""Stream versions as plain rows, for programs."""

from collections.abc import Iterator
from typing import Any

from catalog.filtering.filters import Filter
from catalog.models import Revision, RevisionQuerySet, Version

CHUNK = 5000
COLUMNS = {
    "key": "sample__key",
    "md5": "blob__md5",
    "sha256": "blob__sha256",
    "size": "blob__size",
    "object": "blob__key",
    "offset": "blob__offset",
    "label": "label__value",
    "width": "blob__width",
    "height": "blob__height",
}


def lines_of(rows: RevisionQuerySet) -> Iterator[dict[str, Any]]:
    """Yield `{key, md5, sha256, size, object, offset, label, width, height}` for each revision, by sample id. `label`
    may be None, and so may `width` and `height` of the upright image."""
    names = list(COLUMNS)
    for row in rows.order_by("sample_id").values_list(*COLUMNS.values()).iterator(chunk_size=CHUNK):
        yield dict(zip(names, row, strict=True))


def manifest_lines(
    version: Version, *, split: str | None = None, labelled: bool | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the lines of a version's samples, or of those in a split, or with or without a label."""
    return lines_of(_chosen(version, split=split, labelled=labelled))


def sample_lines(version: Version, chosen: Filter) -> Iterator[dict[str, Any]]:
    """Yield `{key, md5, size, split, label, meta, original}` for each sample that passes, by sample id: all that a
    client needs to download it. `original` is the md5 of the file that the image was converted from, or None. Raises
    Invalid as `Filter.apply` does, before the first line."""
    names = {"key": "sample__key", "md5": "blob__md5", "size": "blob__size", "split": "split", "label": "label__value",
             "meta": "meta", "original": "original__md5"}  # fmt: skip
    rows = chosen.apply(version.revisions).order_by("sample_id").values_list(*names.values())
    return (dict(zip(names, row, strict=True)) for row in rows.iterator(chunk_size=CHUNK))


def _chosen(version: Version, *, split: str | None, labelled: bool | None) -> RevisionQuerySet:
    rows = Revision.objects.at(version)
    if split is not None:
        rows = rows.filter(split=split)
    if labelled is not None:
        rows = rows.filter(label__isnull=not labelled)
    return rows
