"""The documents of a version, such as its labels: kept as files of the published directory, and as texts in its git
repository."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from mmap import ACCESS_READ, mmap
from typing import BinaryIO, cast

from dulwich.objects import ShaFile

from blobs.models import Blob
from blobs.services import keep, store
from publishing.models import Document, Publication, Repository
from publishing.sources import source
from versioning import read_pack, write_texts

SPOOL_BYTES = 8 << 20


def keep_documents(repository: Repository, number: int) -> dict[str, Blob]:
    """Store the documents that the version's source writes, and return their blobs by path, sorted by path."""
    found = source(repository.kind).documents(repository.name, number)
    return {path: _keep(found[path]) for path in sorted(found)}


def put_into(row: Publication, documents: Mapping[str, Blob], *, before: Mapping[str, Blob]) -> None:
    """Set `texts` and `pack` of an unsaved row from its documents and those of the commit before."""
    with ExitStack() as stack, tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        file = cast(BinaryIO, spool)
        now, then = ({path: stack.enter_context(_content(blob)) for path, blob in some.items()}
                     for some in (documents, before))  # fmt: skip
        entries = write_texts(now, then, file)
        row.texts = {name: [entry.mode, entry.sha] for name, entry in entries.items()}
        empty = file.tell() == 0
        file.seek(0)
        row.pack = None if empty else keep(file, media_type="application/x-git-packed-objects")


def documents_of(publication: Publication | None) -> dict[str, Blob]:
    """Return a publication's documents by path; empty without a publication, and for versions published before
    documents existed."""
    rows = Document.objects.filter(publication=publication).select_related("blob") if publication else ()
    return {row.path: row.blob for row in rows}


def objects_of(publication: Publication) -> list[ShaFile]:
    """Return the git objects that the texts of this version need and no earlier version has."""
    return read_pack(store().get(publication.pack.ref)) if publication.pack else []


def _keep(chunks: Iterable[bytes]) -> Blob:
    with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        file = cast(BinaryIO, spool)
        for chunk in chunks:
            file.write(chunk)
        file.seek(0)
        return keep(file, media_type="application/json")


@contextmanager
def _content(blob: Blob) -> Iterator[bytes | mmap]:
    """Yield the verified bytes of a blob, mapped from a temporary file."""
    with tempfile.TemporaryFile() as file:
        for chunk in store().open(blob.ref):
            file.write(chunk)
        file.flush()
        if not blob.size:  # an empty file can't be mapped
            yield b""
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            yield content
