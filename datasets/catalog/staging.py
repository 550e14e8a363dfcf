"""Bytes that come before the commit that names them: which are here, what arrived, where large files may be put.

What is staged and never committed is collected like any blob that nothing refers to.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from blobs.models import Blob
from blobs.services import by_md5, chunks, store
from blobs.store import LONGEST_UPLOAD
from catalog.changes import Rejection
from catalog.incoming import Document, Incoming
from catalog.ingest import receive
from catalog.services import save_blobs
from core.errors import Conflict

MAX_ASKED = 10_000
MAX_PLACES = 100
# S3 takes no more in one PUT.
MAX_UPLOAD_BYTES = 5 << 30


def missing(digests: Sequence[str]) -> list[str]:
    """Which of the md5s name no image that is stored, in the order they were asked for."""
    here: set[str] = set()
    for names in chunks(digests):
        here |= set(Blob.objects.filter(md5__in=names, width__isnull=False).values_list("md5", flat=True))
    return [md5 for md5 in dict.fromkeys(digests) if md5 not in here]


def stage(items: Iterable[Incoming | Document | Rejection]) -> dict[str, Any]:
    """Store the images, with rows, and commit nothing: `{results: [{key, md5}], rejected: [{key, code, detail}]}`.

    Raises blobs.errors.StoreUnavailable and its kind.
    """
    received = receive(items)
    save_blobs(received.images.values())
    words = "images alone are stored before their commit: send annotations with the commit"
    received.rejected += [Rejection(path, "not_an_image", words) for path in received.documents]
    return {
        "results": [{"key": key, "md5": blob.md5} for key, blob in received.images.items()],
        "rejected": [item.document() for item in received.rejected],
    }


def staged(digests: Iterable[str]) -> dict[str, Blob]:
    """The stored images by md5. Raises Conflict (`bytes_missing`) naming those that must be sent first."""
    wanted = list(dict.fromkeys(digests))
    found = {md5: blob for md5, blob in by_md5(wanted).items() if blob.width is not None}
    if absent := [md5 for md5 in wanted if md5 not in found]:
        raise Conflict(
            f"{len(absent)} of the images named by md5 are not stored, the first is {absent[0]}; nothing was written. "
            "Send their bytes to /uploads, then commit again.",
            code="bytes_missing",
            extra={"missing": absent[:MAX_ASKED]},
        )
    return found


def places(count: int, *, lifetime: timedelta = LONGEST_UPLOAD) -> list[tuple[str, str]]:
    """(id, URL) of places for direct uploads: each URL takes one PUT until it expires. Never log them."""
    made = [store().presigned_put(expires=lifetime) for _ in range(count)]
    return [(one.upload_id, one.url) for one in made]
