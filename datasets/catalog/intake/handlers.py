"""The jobs that add many samples to a dataset: from a large archive, a long listing, or another bucket."""

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from django.db import transaction

from accounts.models import User
from blobs.errors import BlobRefused, DigestMismatch
from blobs.models import Blob
from blobs.services import store
from catalog.busy import refuse_busy
from catalog.changes.sets import ChangeSet, Rejection
from catalog.intake import archive_uploads
from catalog.intake.archives import members
from catalog.intake.imports import Origin, receive_import
from catalog.intake.incoming import Document
from catalog.intake.ingest import (
    NOTHING_FOUND,
    SHOWN_ERRORS,
    Terms,
    empty_upload,
    prepare_upload,
    receive,
    save_received,
    upload_changes,
)
from catalog.intake.listings import Line, listing_changes, read_lines
from catalog.intake.senders import Sender
from catalog.intake.top_folders import drop_top_folder
from catalog.models import Dataset
from catalog.versions.datasets import find_dataset
from catalog.versions.pieces import OnStep
from core.errors import MotherlodeError, Unavailable
from formats import FormatError
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.lifecycle.finding import refuse_archived
from worker_programs.wording import plural

PROGRESS_STEP = 100
NOTHING_TOLD: Mapping[str, Any] = {}


class IngestHandler:
    """Stores the images of an archive while reading it; commits once, in the transaction of the job's result."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        params = context.params
        dataset = dataset_of(context)
        author = User.objects.get(pk=params["author"])
        with final_faults():
            changes, report = _changes(context, dataset, author)
        context.log(
            f"Stored: {plural(len(changes.samples), 'sample')}; refused: {plural(len(changes.rejected), 'file')}. "
            "Committing."
        )
        if parts := params.get("parts"):
            archive_uploads.mark_taken(parts)

        def discard() -> None:
            if parts:
                archive_uploads.discard(parts)
            if upload := params.get("upload"):
                transaction.on_commit(lambda: store().discard_upload(upload))

        return outcome(context, dataset, changes, author=author, report=report, also=discard)


class CommitHandler:
    """Commits a listing of samples whose bytes are stored or are fetched by URL."""

    lane = lanes.LIGHT

    def run(self, context: ShardContext) -> Outcome:
        params = context.params
        dataset = dataset_of(context)
        author = User.objects.get(pk=params["author"])
        with tempfile.TemporaryFile() as listing, final_faults():
            _fill(listing, params["listing"], context)
            lines = _counted(read_lines(listing), context)
            terms, notes = Terms(**params["terms"]), _annotations(params)
            changes, report = listing_changes(
                dataset, lines, terms, annotations=notes, author=author, sender=_sender(params),
                on_item=lambda _: context.check(),
            )  # fmt: skip
        return outcome(context, dataset, changes, author=author, report=report)


def dataset_of(context: ShardContext) -> Dataset:
    """Return the dataset to commit to. Raises ShardFailed for one that was archived or deleted before the job was taken
    up again; Busy while another large commit to it is being written, before the work is done that would have to
    wait."""
    with final_faults():
        dataset = find_dataset(str(context.params["dataset"]))
        refuse_archived(dataset)
    refuse_busy(dataset, job=context.job)
    return dataset


def _sender(params: Mapping[str, Any]) -> Sender:
    """Return the sender who queued the commit; one who may name any bytes if it was queued by an older release."""
    told = params.get("sender") or {"user": params["author"], "projects": None}
    reads = told["projects"]
    return Sender(told["user"], None if reads is None else tuple(reads))


def _fill(file: BinaryIO, md5: str, context: ShardContext) -> None:
    """Copy a stored file into `file`, verified, and rewind it."""
    for chunk in store().open(Blob.objects.get(md5=md5).ref):
        context.check()
        file.write(chunk)
    file.seek(0)


class ImportHandler:
    """Imports objects of another bucket; commits once, in the transaction of the job's result."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        params = context.params
        dataset = dataset_of(context)
        author = User.objects.get(pk=params["author"])

        def on_item(done: int) -> None:
            context.check()
            context.progress(done, done)

        with final_faults():
            terms = Terms(**params["terms"])
            received = receive_import(
                Origin(**params["origin"]), mode=params["mode"], convert=terms.convert, on_item=on_item
            )
            if not received.images and not received.rejected:
                raise empty_upload("there are no images at this place")
            save_received(received)  # as for an archive
            changes, report = upload_changes(dataset, received, terms, annotations=None, author=author)
        return outcome(context, dataset, changes, author=author, report=report)


def outcome(
    context: ShardContext,
    dataset: Dataset,
    changes: ChangeSet,
    *,
    author: User,
    report: Mapping[str, Any] = NOTHING_FOUND,
    retried: str = "",
    told: Mapping[str, Any] = NOTHING_TOLD,
    also: Callable[[], None] = lambda: None,
) -> Outcome:
    """Write the job's commit up to its last step, which is taken, with `also`, in the transaction of the job's result:
    what is `told`, and the commit's. `retried` is as for `final_faults`."""
    with final_faults(retried=retried):
        prepared = prepare_upload(
            dataset, changes, author=author, report=report, job=context.job, on_step=steps_of(context)
        )
    result = dict(told)

    def apply() -> None:
        # The job's result is this dictionary, filled here because the commit's result is known only now.
        with final_faults(retried=retried):
            result.update(prepared.finish())
        also()

    return Outcome(result, apply)


def steps_of(context: ShardContext) -> OnStep:
    """Return what the pieces of a job's commit call: a cancelled job stops there."""

    def on_step(done: int, total: int) -> None:
        context.check()
        if done == total > 0:
            context.log(f"Written: {plural(total, 'sample')}.")

    return on_step


def _counted(lines: Iterator[Line | Rejection], context: ShardContext) -> Iterator[Line | Rejection]:
    """Yield the lines and report them as the job's progress; a cancelled job stops at the next step."""
    done = 0
    for done, line in enumerate(lines, start=1):
        if done % PROGRESS_STEP == 0:
            context.check()
            context.progress(done, done)
        yield line
    context.progress(done, done)


def _changes(context: ShardContext, dataset: Dataset, author: User) -> tuple[ChangeSet, dict[str, Any]]:
    params: Mapping[str, Any] = context.params
    terms = Terms(**params["terms"])
    with tempfile.TemporaryFile() as file:
        size = _copy(params, file, context)

        def on_item(done: int) -> None:
            context.check()
            if done % PROGRESS_STEP == 0:
                # The total is known at the end; until then it is estimated from the bytes read so far.
                context.progress(done, max(done, round(done * size / max(file.tell(), 1))))

        received = receive(
            members(file, convert=terms.convert, names_encoding=terms.names_encoding), convert=terms.convert,
            on_item=on_item,
        )  # fmt: skip
        drop_top_folder(dataset, received)
    # Saved outside of the commit: even if it fails, the database knows what is in the store.
    save_received(received)
    done = len(received.images) + len(received.rejected)
    context.progress(done, done)
    annotations = _annotations(params)
    return upload_changes(dataset, received, terms, annotations=annotations, author=author)


def _annotations(params: Mapping[str, Any]) -> Document | None:
    kept = params["annotations"]
    return Document(kept["path"], store().get(Blob.objects.get(md5=kept["md5"]).ref)) if kept else None


def _copy(params: Mapping[str, Any], file: BinaryIO, context: ShardContext) -> int:
    """Copy the archive into `file`, verified; return its size in bytes."""
    direct = params.get("upload")
    if parts := params.get("parts"):
        chunks = archive_uploads.read(parts)
    else:
        chunks = store().open_upload(direct) if direct else store().open(Blob.objects.get(md5=params["archive"]).ref)
    hasher = hashlib.sha256()
    for chunk in chunks:
        context.check()
        hasher.update(chunk)
        file.write(chunk)
    if direct and params["sha256"] not in {None, hasher.hexdigest()}:
        raise DigestMismatch(f"the upload's sha256 is {hasher.hexdigest()}, announced was another")
    size = file.tell()
    file.seek(0)
    return size


@contextmanager
def final_faults(*, retried: str = "") -> Iterator[None]:
    """Turn errors of the upload itself into ShardFailed, because no retry can fix them, except the error code
    `retried`, and bytes that were garbage-collected meanwhile: a retry stores those again."""
    try:
        yield
    except Unavailable:
        raise
    except MotherlodeError as error:
        if error.code == retried:
            raise
        raise ShardFailed(_told(error), code=error.code) from error
    except (BlobRefused, FormatError) as error:
        raise ShardFailed(str(error), code=error.code) from error


def _told(error: MotherlodeError) -> str:
    """Return the error with the rejected items, because a job has no other place to list them."""
    refused: list[dict[str, str]] = list(cast("Iterable[dict[str, str]]", error.extra.get("rejected", ())))
    lines = [f"{item['key']}: {item['detail']}" for item in refused[:SHOWN_ERRORS]]
    lines += [f"{len(refused) - SHOWN_ERRORS} more"] if len(refused) > SHOWN_ERRORS else []
    return "\n".join([error.detail, *lines])
