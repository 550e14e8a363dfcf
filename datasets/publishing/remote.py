"""The objects of a repository's DVC remote: which bytes belong to it, and who fetched which directory."""

from blobs.digests import parse_md5
from blobs.errors import DigestInvalid
from blobs.models import Blob
from core.errors import NotFound
from publishing.credentials import Reader
from publishing.models import Access, Document, Repository
from publishing.sources import source
from publishing.texts import Text, document_of, listed_as, listing_of, written_as


def find(repository: Repository, md5: str, *, listing: bool) -> Text:
    """Return the bytes with this md5 if they belong to the repository. Raises NotFound otherwise, even if they are
    stored."""
    unknown = NotFound(f"{repository} has no object {md5!r}.", code="object_unknown")
    try:
        digest = parse_md5(md5)
    except DigestInvalid as error:
        raise unknown from error
    found = (_listing if listing else _file)(repository, digest) or _upload(repository, digest, listing=listing)
    if found is None:
        raise unknown
    return found


def find_document(repository: Repository, md5: str) -> Text | None:
    """Return the document with this md5 of one of the repository's versions."""
    rows = Document.objects.filter(written_as(md5), publication__repository=repository).select_related("blob", "patch")
    row = rows.first()
    return None if row is None else document_of(row)


def note_access(repository: Repository, md5: str, reader: Reader) -> None:
    """Record that somebody fetched a directory."""
    Access.objects.create(repository=repository, listing=md5, user=reader.user, key_number=reader.key_number)


def _listing(repository: Repository, md5: str) -> Text | None:
    row = repository.publications.filter(listed_as(md5)).select_related("listing", "listing_patch").first()
    return None if row is None else listing_of(row)


def _file(repository: Repository, md5: str) -> Text | None:
    blob = Blob.objects.filter(md5=md5).first()
    if blob is not None and source(repository.kind).holds(repository.name, blob):
        return Text.whole(blob)
    return find_document(repository, md5)


def _upload(repository: Repository, md5: str, *, listing: bool) -> Text | None:
    row = repository.uploads.filter(blob__md5=md5, listing=listing).select_related("blob").first()
    return None if row is None else Text.whole(row.blob)
