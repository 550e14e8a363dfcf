"""Files as they come: images, and annotation documents beside them."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from catalog.changes.sets import Rejection
from catalog.keys import SCHEMA
from worker_programs.filekinds import HEAD_BYTES, is_for_people, sort_file

MAX_DOCUMENT_BYTES = 256 << 20  # of all annotation files of an upload: they are read at once


@dataclass(frozen=True, slots=True)
class Incoming:
    """One file as it came."""

    key: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is no image and may hold annotations."""

    path: str
    data: bytes

    @property
    def is_for_people(self) -> bool:
        """A README, or the schema that lies beside a published version's images: nobody expects it to be taken."""
        is_schema = PurePosixPath(self.path).name == SCHEMA and b'"label_schema"' in self.data
        return is_schema or is_for_people(self.path)


def sorted_out(name: str, data: bytes, *, convert: bool = False) -> Incoming | Document | Rejection:
    """A file as an image, a document, or rejected with a reason, by the rule of `worker_programs.filekinds`."""
    kind = sort_file(name, data[:HEAD_BYTES], convert=convert)
    if kind.is_annotations:
        return Document(name, data)
    return Incoming(name, data) if kind.is_image else Rejection(name, kind.code, kind.reason)
