"""Read the annotation files of an upload: recognise their format, return annotations, and report unused files."""

import io
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blobs.archives import Limits, Member, iter_members
from blobs.errors import ArchiveRefused
from blobs.models import Blob
from catalog.changes.sets import Rejection
from catalog.intake.incoming import MAX_DOCUMENT_BYTES, Document, sorted_out
from catalog.labels.fitting import misfit
from catalog.models import Dataset, Split
from core.errors import Invalid
from formats import Annotated, Batch, Fault, FormatError, PassedOver, Recognised, Size, fault_of, read, recognise
from formats.class_lists import composed

CHUNK = 5000
AUTO = "auto"
UNREADABLE, UNUSED = "annotations_unreadable", "annotations_unused"
TABLES = "the first line of a table (CSV) names its columns, like file,class or file,class,xmin,ymin,xmax,ymax"
UNRECOGNISED = f"no known format recognises it: name its `format`; {TABLES}"
UNKNOWN = "it is not an image, and no annotations that are known"
MOST_FAULTS = 20  # the most faults listed for one file


@dataclass(slots=True)
class Annotations:
    """Annotations by key; `notes` lists what is only written in another way, `passed_over` counts what is lost."""

    samples: Mapping[str, Annotated] = field(default_factory=dict)
    recognised: Recognised | None = None
    notes: list[str] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    incomplete: list[dict[str, Any]] = field(default_factory=list)
    passed_over: list[PassedOver] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        """The part of the response to an upload that is about annotations."""
        found = self.recognised
        return {
            "recognised": {"format": found.format, "why": found.why} if found else None,
            "notes": self.notes,
            "incomplete": self.incomplete,
            "passed_over": [row.document() for row in self.passed_over],
        }


def read_annotations(
    dataset: Dataset, images: Mapping[str, Blob], documents: Mapping[str, bytes], *, form: str, named: Document | None,
    keep_partial: bool = False, names_encoding: str | None = None,
) -> Annotations:  # fmt: skip
    """Read the documents of an upload, and the file, or the archive of files, that it sent as its `annotations`.

    A file that can't be read is `rejected`, the others are read. Raises FormatError for errors that concern all files,
    blobs.errors.ArchiveRefused, Invalid if no format recognises the named file.
    """
    packed = _unpacked(named, names_encoding) if named else None
    asked = {named.path: named.data} if named and packed is None else {}
    documents = {**documents, **(packed or {})}
    batch = Batch(
        {key: _size(blob.width, blob.height) for key, blob in images.items()},
        {path: data for path, data in documents.items() if not Document(path, data).is_for_people} | asked,
        [composed(name) for name in dataset.classes],
        dataset.task_type.labels.form,
        earlier=lambda: _earlier(dataset),
        keep_partial=keep_partial,
    )
    notes = [f"{path} is for people to read and was passed over" for path in documents.keys() - batch.documents.keys()]
    found = recognise(batch) if form == AUTO else Recognised(form, "the request says so")
    if found is None:
        for path in asked:
            fault = fault_of(batch, path)
            if fault is None or not images:
                raise Invalid.field("annotations", f"{fault}: name its `format`" if fault else UNRECOGNISED)
        return Annotations(_unlabelled(batch), notes=notes, rejected=_unused(batch, set()))
    if (words := misfit(found.format, dataset)) is not None:
        raise FormatError(words, code="format_unsuited")
    reading = read(found.format, batch)
    rejected = [*_faults(reading.faults), *_unused(batch, reading.used)]
    notes += reading.notes.changes()
    incomplete, passed_over = reading.notes.incomplete.reasons(), reading.notes.passed_over()
    return Annotations(reading.samples, found, notes, rejected, incomplete, passed_over)


def _unlabelled(batch: Batch) -> dict[str, Annotated]:
    """Return the splits of images without annotations, as their folders name them. Those of train stay in pool, from
    where a label takes them into train: without one, nothing is trained on them."""
    named = {key: found for key in batch.images if (found := batch.names.of_image(key)) is not None}
    return {
        key: Annotated(split=found.split, source=found.source)
        for key, found in named.items()
        if found.split != Split.TRAIN
    }


def _faults(faults: list[Fault]) -> Iterator[Rejection]:
    """Yield a rejection for each fault with its place and reason: for a file with many, the first ones and how many
    more there are."""
    seen = Counter[str]()
    for fault in faults:
        seen[fault.path] += 1
        if seen[fault.path] <= MOST_FAULTS:
            place, said = f"{fault.path}: ", str(fault.error)
            yield Rejection(fault.path, fault.error.code, said if fault.path in said else place + said)
    for path, count in seen.items():
        if count > MOST_FAULTS:
            more = count - MOST_FAULTS
            yield Rejection(path, UNREADABLE, f"{path}: {more} more faults are not listed", more)


def _unpacked(named: Document, names_encoding: str | None) -> dict[str, bytes] | None:
    """Return the files in an archive of annotations, or None if it is not an archive."""
    limits = Limits(member_bytes=MAX_DOCUMENT_BYTES, total_bytes=MAX_DOCUMENT_BYTES)
    try:
        items = iter_members(io.BytesIO(named.data), limits, names_encoding=names_encoding)
        members = [item for item in items if isinstance(item, Member)]
    except ArchiveRefused as error:
        if error.code == "archive_unsupported":
            return None
        raise
    return {item.name: item.data for item in members if isinstance(sorted_out(item.name, item.data), Document)}


def _unused(batch: Batch, used: set[str]) -> list[Rejection]:
    """Reject the documents that no format read, so that an upload reports every file it does not use."""
    found = ((path, fault_of(batch, path)) for path in batch.documents if path not in used)
    return [Rejection(path, UNREADABLE if fault else UNUSED, fault or _unknown(path)) for path, fault in found]


def _unknown(path: str) -> str:
    return f"{UNKNOWN}: {TABLES}" if path.lower().endswith(".csv") else UNKNOWN


def _earlier(dataset: Dataset) -> dict[str, Size | None]:
    """Return the images at the head with their sizes, to match annotations that are uploaded without images."""
    if dataset.head is None:
        return {}
    rows = dataset.head.revisions.values_list("sample__key", "blob__width", "blob__height")
    return {key: _size(width, height) for key, width, height in rows.iterator(chunk_size=CHUNK)}


def _size(width: int | None, height: int | None) -> Size | None:
    return (width, height) if width and height else None
