"""Bytes that come before the commit that names them: which are here, what arrived, where large files may be put.

What is staged and never committed is collected like any blob that nothing refers to.
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
# S3 takes no more in one PUT.
MAX_UPLOAD_BYTES = 5 << 30


def missing(digests: Sequence[str], *, sender: Sender, convert: bool = False) -> list[str]:
    """Which of the md5s name no image that is stored and that the sender may name, in the order they were asked for;
    with `convert`, what an image was made of counts as one."""
    usable = Q(width__isnull=False) | (Q(conversion__isnull=False) if convert else Q())
    here = set(Blob.objects.filter(usable, md5__in=listed(digests)).values_list("md5", flat=True))
    here &= sender.among(digests)
    return [md5 for md5 in dict.fromkeys(digests) if md5 not in here]


def stage(
    items: Iterable[Incoming | Document | Rejection], *, sender: Sender, budget: Budget, convert: bool = False
) -> dict[str, Any]:
    """Store the images, with rows, and commit nothing: `{results: [{key, md5}], rejected: [{key, code, detail}]}`. Each
    is named by the md5 of what was sent, also where that was converted.

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
    """Stored images by the md5 that names each: its own, or that of what it was made of."""

    images: Mapping[str, Blob]
    originals: Mapping[str, Blob]

    def add_to(self, received: Received, named: Mapping[str, str]) -> None:
        """The images that `named` names, md5 by key; what was received under such a key counts instead."""
        for key, md5 in named.items():
            if key not in received.images:
                received.images[key] = self.images[md5]
                if md5 in self.originals:
                    received.originals[key] = self.originals[md5]


def staged(digests: Iterable[str], *, sender: Sender, convert: bool = False) -> Staged:
    """The stored images that the sender may name; with `convert`, what one was made of names it as well. Raises
    Conflict (`bytes_missing`) that names those to be sent first."""
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
    """(id, URL) of places for direct uploads: each URL takes one PUT of so many bytes until it expires. Never log
    them."""
    made = [store().presigned_put(size=size, expires=lifetime) for size in sizes]
    return [(one.upload_id, one.url) for one in made]
