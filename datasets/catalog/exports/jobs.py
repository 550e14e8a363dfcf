"""Exports: a version as a zip in one of the formats, written by a job, kept in the store."""

import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from blobs.decoding import is_turned
from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.services import row_for, store
from catalog.filtering.documents import read_document
from catalog.filtering.faults import Faults
from catalog.filtering.filters import Filter, both
from catalog.filtering.printing import write_text
from catalog.labels.fitting import misfit
from catalog.models import Dataset, Export, RevisionQuerySet, Version
from catalog.reading.queries import total
from core.errors import Invalid, NotFound
from formats import OBJECTS, Entry, FormatError, Item, Notes, write
from garbage_collection.freeing import free
from garbage_collection.work import JobWork
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.services import ShardSpec, create_job

CHUNK = 2000
AHEAD = 512  # entries whose images are read together
COLUMNS = ("sample__key", "blob__width", "blob__height", "split", "label__value", "meta", "blob__media_type")
PLACE = ("blob__md5", "blob__sha256", "blob__size", "blob__key", "blob__offset")
# Fixed, so that the same samples give the same bytes, whenever they are exported.
NO_TIME = (1980, 1, 1, 0, 0, 0)
MODE = 0o100644 << 16
TURNED = (
    "one way up of images that EXIF turns: their objects are in pixels of the upright image, which OpenCV reads and "
    "Pillow gives with ImageOps.exif_transpose"
)
FOLDER_MODE = (0o40755 << 16) | 0x10


@transaction.atomic
def create_export(
    version: Version,
    *,
    form: str,
    author: User,
    split: str | None = None,
    slice_name: str | None = None,
    chosen: Any = None,
) -> Export:
    """Queue the export of a version, or of its samples that are in a split, are in a slice and pass the filter
    `chosen`; the caller wakes its job.

    Raises Invalid for a format that does not hold such labels or classes, a slice or filter that can't be read, and
    (`nothing_chosen`) for one that no sample passes.
    """
    dataset = version.dataset
    if (words := misfit(form, dataset)) is not None:
        raise Invalid.field("format", words, code="format_unsuited")
    try:
        for _ in write(form, (), losses=Notes(), **_told(dataset)):
            pass  # without samples: what is left is whether the format holds the classes
    except FormatError as error:
        raise Invalid.field("format", str(error), code="format_unsuited") from error
    picked = _picked(version, split, slice_name, chosen)
    title = f"Export {version} as {form}"[:200]
    job = create_job(
        "export", title, shards=[ShardSpec()], unit="images", created_by=author, project=dataset.project_id
    )
    facts = {"format": form, "split": split or "", "slice": slice_name or "", "filter": picked, "job": job}
    return Export.objects.create(dataset=dataset, version=version, created_by=author, **facts)


def _told(dataset: Dataset) -> dict[str, Any]:
    """Return what a format is told of a dataset whose samples it writes."""
    return {"classes": dataset.classes, "form": dataset.task_type.labels.form}


def _picked(version: Version, split: str | None, slice_name: str | None, chosen: Any) -> dict[str, Any] | None:
    """Combine the slice and the filter into one filter, as JSON."""
    parts = [Filter.of({"slice": slice_name}, version.dataset, field="")] if slice_name else []
    parts += [Filter.of(chosen, version.dataset)] if chosen is not None else []
    if not parts:
        return None
    inside = [Filter.of({"split": split}, version.dataset)] if split else []
    if not total(version, both(version.dataset, [*inside, *parts])):
        field = "filter" if chosen is not None else "slice"
        raise Invalid.field(field, f"no sample of {version} passes: there is nothing to export", code="nothing_chosen")
    return both(version.dataset, parts).document


def find_export(dataset: Dataset, pk: int) -> Export:
    """One export of the dataset. Raises NotFound."""
    found = exports_of(dataset).filter(pk=pk).first()
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no export {pk}.", code="export_unknown")
    return found


def exports_of(dataset: Dataset) -> QuerySet[Export]:
    """All exports of a dataset, with the related rows that their documents need."""
    return Export.objects.filter(dataset=dataset).select_related("dataset", "version", "blob", "job", "created_by")


def text_of(export: Export) -> str | None:
    """Return the text of the export's filter, without its split; None if it has no filter."""
    return write_text(read_document(export.filter, Faults())) if export.filter else None


class ExportHandler:
    """Writes the archive to a temporary file and stores it; the row points to it once the job's result counts."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        export = Export.objects.select_related("dataset", "version__dataset").filter(job=context.job).first()
        if export is None:
            raise _erased()
        rows = export.version.revisions
        if export.split:
            rows = rows.filter(split=export.split)
        if export.filter:
            rows = Filter.of(export.filter, export.dataset).apply(rows)
        total, losses = rows.count(), Notes()

        def on_image(done: int) -> None:
            context.check()
            context.progress(done, total)

        with tempfile.TemporaryFile() as file:
            try:
                entries = write(export.format, _items(rows), losses=losses, **_told(export.dataset))
                boxed = export.dataset.task_type.labels.form == OBJECTS
                samples = write_zip(file, entries, on_image=on_image, turned=losses if boxed else None)
            except FormatError as error:
                raise ShardFailed(str(error), code=error.code) from error
            context.log(f"Images packed: {samples:,}; storing the archive.")
            blob = row_for(store().put_file(file), media_type="application/zip")
        if not Export.objects.filter(pk=export.pk).exists():
            free([blob.md5], JobWork(context))  # it may hold what was erased: no time of grace
            raise _erased()
        result = {
            "export": export.pk, "url": export.url, "format": export.format, "version": export.version.number,
            "split": export.split or None, "slice": export.slice or None, "filter": text_of(export),
            "samples": samples, "bytes": blob.size, "notes": losses.lines(),
        }  # fmt: skip
        return Outcome(result, lambda: _point(export, blob))


def write_zip(
    file: BinaryIO, entries: Iterable[Entry], *, on_image: Callable[[int], None], turned: Notes | None = None
) -> int:
    """Write the entries of an archive, with images as they are stored; return the number of images. Those that EXIF
    turns are noted in `turned`, as not all readers turn them.

    Memory holds the images of a few reads ahead, and the names. Raises blobs.errors.BlobFault if bytes are lost.
    """
    done = 0
    with zipfile.ZipFile(file, "w") as archive:
        for batch in _gathered(entries):
            refs = [entry.image.source for entry in batch if entry.image is not None]
            images = store().get_many(refs)
            for entry in batch:
                if entry.image is None:
                    _write_document(archive, entry)
                    continue
                _, data = next(images)
                if turned is not None and is_turned(data):
                    turned.add(TURNED, entry.image.key)
                archive.writestr(_info(entry.path), data)
                done += 1
                on_image(done)
    return done


def _erased() -> ShardFailed:
    words = "samples of its version were erased while it was written, and it went with them: export it again"
    return ShardFailed(words, code="export_erased")


def _items(rows: RevisionQuerySet) -> Iterator[Item]:
    for row in rows.order_by("sample_id").values_list(*COLUMNS, *PLACE).iterator(chunk_size=CHUNK):
        key, width, height, split, label, meta, media_type, md5, sha256, size, place, offset = row
        ref = BlobRef(md5=md5, sha256=sha256, size=size, key=place, offset=offset)
        yield Item(key, (width, height) if width and height else None, split, label, meta, media_type, ref)


def _gathered(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) >= AHEAD:
            yield batch
            batch = []
    if batch:
        yield batch


def _info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, NO_TIME)
    info.external_attr = MODE
    return info


def _write_document(archive: zipfile.ZipFile, entry: Entry) -> None:
    info = _info(entry.path)
    if info.is_dir():
        info.external_attr = FOLDER_MODE
        archive.writestr(info, b"")
        return
    info.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(info, "w", force_zip64=True) as stream:  # its length is known only at the end
        for chunk in entry.chunks:
            stream.write(chunk)


def _point(export: Export, blob: Blob) -> None:
    Export.objects.filter(pk=export.pk).update(blob=blob)
