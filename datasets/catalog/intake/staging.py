"""Uploads before the commit that names them: find missing bytes, store images, and make places for large files.

Staged bytes that are never committed are garbage-collected like any blob without references.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q

from blobs.budget import Budget
from blobs.models import Blob
from blobs.services import by_md5, conversions_of, store
from blobs.store import LONGEST_UPLOAD
from catalog.changes.sets import Rejection
from catalog.intake.incoming import Document, Incoming
from catalog.intake.ingest import Received, receive, save_received
from catalog.intake.senders import Sender
from core.errors import Conflict
from core.list_parameters import listed

MAX_ASKED = 10_000
MAX_PLACES = 100
# The limit of S3 for one PUT.
MAX_UPLOAD_BYTES = 5 << 30


def missing(digests: Sequence[str], *, sender: Sender, convert: bool = False) -> list[str]:
    """Return the md5s that are not those of a stored image that the sender may name, in the given order; with
    `convert`, the original of an image counts as one."""
    usable = Q(width__isnull=False) | (Q(conversion__isnull=False) if convert else Q())
    here = set(Blob.objects.filter(usable, md5__in=listed(digests)).values_list("md5", flat=True))
    here &= sender.among(digests)
    return [md5 for md5 in dict.fromkeys(digests) if md5 not in here]


def stage(
    items: Iterable[Incoming | Document | Rejection], *, sender: Sender, budget: Budget, convert: bool = False
) -> dict[str, Any]:
    """Store the images, with rows, and commit nothing: `{results: [{key, md5}], rejected: [{key, code, detail}]}`. The
    md5 is that of the file that was sent, even if it was converted.

    Raises blobs.errors.StoreUnavailable and its kind, TooManyPixels and TooManyAtOnce.
    """
    received = receive(items, convert=convert, budget=budget)
    save_received(received)
    words = "images alone are stored before their commit: send annotations with the commit"
    received.rejected += [Rejection(path, "not_an_image", words) for path in received.documents]
    sent = received.images | received.originals
    sender.note(sent.values())
    return {
        "results": [{"key": key, "md5": blob.md5} for key, blob in sent.items()],
        "rejected": [item.document() for item in received.rejected],
    }


@dataclass(frozen=True, slots=True)
class Staged:
    """Stored images by the md5 that names each: its own, or that of its original."""

    images: Mapping[str, Blob]
    originals: Mapping[str, Blob]

    def add_to(self, received: Received, named: Mapping[str, str]) -> None:
        """Add the images in `named`, md5 by key, to `received`, unless it has an image under the key."""
        for key, md5 in named.items():
            if key not in received.images:
                received.images[key] = self.images[md5]
                if md5 in self.originals:
                    received.originals[key] = self.originals[md5]


def staged(digests: Iterable[str], *, sender: Sender, convert: bool = False) -> Staged:
    """Return the stored images with these md5s; with `convert`, also by the md5 of an original. Raises Conflict
    (`bytes_missing`) that lists those to send first, including stored ones that the sender may not name."""
    asked = list(dict.fromkeys(digests))
    may = sender.among(asked)
    wanted = [md5 for md5 in asked if md5 in may]
    found = {md5: blob for md5, blob in by_md5(wanted).items() if blob.width is not None}
    pairs = conversions_of(md5 for md5 in wanted if md5 not in found) if convert else {}
    found |= {md5: made for md5, (_, made) in pairs.items()}
    if absent := [md5 for md5 in asked if md5 not in found]:
        raise Conflict(
            f"{len(absent)} of the images named by md5 are not stored, the first is {absent[0]}; nothing was written. "
            "Send their bytes to /uploads, then commit again.",
            code="bytes_missing",
            extra={"missing": absent[:MAX_ASKED]},
        )
    return Staged(found, {md5: original for md5, (original, _) in pairs.items()})


def places(sizes: Iterable[int], *, lifetime: timedelta = LONGEST_UPLOAD) -> list[tuple[str, str]]:
    """Return (id, URL) for direct uploads: each URL takes one PUT of its size until it expires. Never log them."""
    made = [store().presigned_put(size=size, expires=lifetime) for size in sizes]
    return [(one.upload_id, one.url) for one in made]
