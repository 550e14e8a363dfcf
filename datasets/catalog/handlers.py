"""The job that reads a large archive into a dataset."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from accounts.models import User
from blobs.errors import BlobRefused
from blobs.models import Blob
from blobs.services import store
from catalog.archives import members
from catalog.changes import ChangeSet
from catalog.ingest import Terms, commit_upload, receive, upload_changes
from catalog.models import Dataset
from catalog.services import save_blobs
from core.errors import MotherlodeError
from formats import FormatError
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome

PROGRESS_STEP = 100


class IngestHandler:
    """Stores the images as it reads, commits once, in the transaction that counts the job's result."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        params = context.params
        dataset = Dataset.objects.get(pk=params["dataset"])
        author = User.objects.get(pk=params["author"])
        with _final_faults():
            changes, recognised = _changes(context, dataset, author)
        context.log(
            f"{len(changes.samples)} samples are stored, {len(changes.rejected)} files were refused; committing."
        )
        result: dict[str, Any] = {}

        def apply() -> None:
            # The job's result is this dictionary: what the commit did is known only now.
            with _final_faults():
                result.update(commit_upload(dataset, changes, author=author, recognised=recognised))

        return Outcome(result, apply)


def _changes(context: ShardContext, dataset: Dataset, author: User) -> tuple[ChangeSet, dict[str, str] | None]:
    params: Mapping[str, Any] = context.params
    notes = params["annotations"]
    with tempfile.TemporaryFile() as file:
        size = _copy(Blob.objects.get(md5=params["archive"]), file, context)

        def on_item(done: int) -> None:
            context.check()
            if done % PROGRESS_STEP == 0:
                # How many there will be is known at the end; until then, what the bytes read so far let expect.
                context.progress(done, max(done, round(done * size / max(file.tell(), 1))))

        received = receive(members(file), on_item=on_item)
    # Their rows are no secret of the commit's: whatever becomes of it, the database knows what lies in the store.
    saved = save_blobs(received.images.values())
    received.images = {key: saved.get(blob.md5, blob) for key, blob in received.images.items()}
    done = len(received.images) + len(received.rejected)
    context.progress(done, done)
    annotations = store().get(Blob.objects.get(md5=notes).ref) if notes else None
    return upload_changes(dataset, received, Terms(**params["terms"]), annotations=annotations, author=author)


def _copy(archive: Blob, file: BinaryIO, context: ShardContext) -> int:
    """Bring the archive here, verified; returns its size in bytes."""
    for chunk in store().open(archive.ref):
        context.check()
        file.write(chunk)
    file.seek(0)
    return archive.size


@contextmanager
def _final_faults() -> Iterator[None]:
    """What is wrong with the upload itself ends the job: no retry mends it."""
    try:
        yield
    except MotherlodeError as error:
        raise ShardFailed(error.detail, code=error.code) from error
    except (BlobRefused, FormatError) as error:
        raise ShardFailed(str(error), code=error.code) from error
