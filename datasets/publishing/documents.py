"""The documents of a version, such as its labels: kept as files of the published directory, and as texts in its git
repository."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from typing import BinaryIO, cast

from dulwich.objects import ShaFile

from blobs.models import Blob
from blobs.services import keep, store
from publishing.models import Publication, Repository
from publishing.sources import source
from publishing.texts import Text
from versioning import read_pack

SPOOL_BYTES = 8 << 20


def keep_documents(repository: Repository, number: int) -> dict[str, Text]:
    """Store the documents that the version's source writes, and return them by path, sorted by path."""
    found = source(repository.kind).documents(repository.name, number)
    return {path: Text.whole(_keep(found[path])) for path in sorted(found)}


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
def content(text: Text) -> Iterator[bytes | mmap]:
    """Yield the verified bytes of a text, mapped from a temporary file."""
    with tempfile.TemporaryFile() as file:
        for chunk in text.chunks():
            file.write(chunk)
        file.flush()
        if not text.length:  # an empty file can't be mapped
            yield b""
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            yield mapped
