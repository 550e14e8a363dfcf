"""The objects of a repository's DVC remote: which bytes belong to it, and who fetched which directory."""

from blobs.digests import parse_md5
from blobs.errors import DigestInvalid
from blobs.models import Blob
from core.errors import NotFound
from publishing.credentials import Reader
from publishing.models import Access, Document, Repository
from publishing.sources import source


def find(repository: Repository, md5: str, *, listing: bool) -> Blob:
    """Return the blob with this md5 if it belongs to the repository. Raises NotFound otherwise, even if it is
    stored."""
    unknown = NotFound(f"{repository} has no object {md5!r}.", code="object_unknown")
    try:
        blob = Blob.objects.filter(md5=parse_md5(md5)).first()
    except DigestInvalid as error:
        raise unknown from error
    if blob is None or not _belongs(repository, blob, listing=listing):
        raise unknown
    return blob


def _belongs(repository: Repository, blob: Blob, *, listing: bool) -> bool:
    if listing:
        found = repository.publications.filter(listing=blob).exists()
    else:
        found = source(repository.kind).holds(repository.name, blob) or is_document(repository, blob)
    return found or repository.uploads.filter(blob=blob, listing=listing).exists()


def is_document(repository: Repository, blob: Blob) -> bool:
    """Whether this blob is a document of one of the repository's versions."""
    return Document.objects.filter(publication__repository=repository, blob=blob).exists()


def note_access(repository: Repository, blob: Blob, reader: Reader) -> None:
    """Record that somebody fetched a directory."""
    Access.objects.create(repository=repository, listing=blob.md5, user=reader.user, key_number=reader.key_number)
