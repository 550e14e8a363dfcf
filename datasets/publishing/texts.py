"""Listings and documents in the object store: whole, or as a patch of one that is there whole.

A dataset of 50,000 samples has a listing and labels of some 10 MB. Storing both anew for each version of a few changed
labels would cost a hundred times what changed, so most versions store patches (`versioning.edits`).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q

from blobs.errors import BlobCorrupt
from blobs.models import Blob
from blobs.services import served, store
from publishing.models import Document, Publication
from versioning import ENTRIES, LINES, Form, patched

PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Text:
    """A listing or document: its md5 and length in bytes, the blob that `patch` changes (None: the text itself)."""

    md5: str
    length: int
    base: Blob
    patch: Blob | None
    form: Form

    @classmethod
    def whole(cls, blob: Blob, form: Form = LINES) -> "Text":
        """The text that a blob is."""
        return cls(blob.md5, blob.size, blob, None, form)

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes, the last of them only after all of them verified. Raises like BlobStore.open."""
        if self.patch is None:
            yield from served(self.base.ref)
            return
        made, held = hashlib.md5(usedforsecurity=False), b""
        for piece in patched(self.form, store().get(self.base.ref), store().get(self.patch.ref)):
            for at in range(0, len(piece), PIECE_BYTES):
                if held:
                    yield held
                held = piece[at : at + PIECE_BYTES]
                made.update(held)
        if made.hexdigest() != self.md5:
            raise BlobCorrupt(f"the text {self.md5} is not what its patch makes of {self.base.md5}")
        if held:
            yield held

    def read(self) -> bytes:
        """Return the bytes, verified."""
        return store().get(self.base.ref) if self.patch is None else b"".join(self.chunks())


def listing_of(publication: Publication) -> Text:
    """Return the listing of a published version."""
    blob, length = publication.listing, publication.listing_length
    md5 = publication.listing_md5 or blob.md5
    return Text(md5, blob.size if length is None else length, blob, publication.listing_patch, ENTRIES)


def document_of(row: Document) -> Text:
    """Return the text of a document."""
    length = row.blob.size if row.length is None else row.length
    return Text(row.md5 or row.blob.md5, length, row.blob, row.patch, LINES)


def documents_of(publication: Publication | None) -> dict[str, Text]:
    """Return a publication's documents by path, sorted by it; empty without a publication, and for versions
    published before documents existed."""
    rows = Document.objects.filter(publication=publication).order_by("path") if publication else Document.objects.none()
    return {row.path: document_of(row) for row in rows.select_related("blob", "patch")}


def listed_as(*md5s: str) -> Q:
    """Filter publications to those whose listing has one of these md5s."""
    return Q(listing_md5__in=md5s) | Q(listing_md5="", listing__md5__in=md5s)


def written_as(md5: str) -> Q:
    """Filter documents to those with this md5."""
    return Q(md5=md5) | Q(md5="", blob__md5=md5)
