"""Received files: images, and annotation documents beside them."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from catalog.changes.sets import Rejection
from catalog.keys import SCHEMA
from worker_programs.filekinds import HEAD_BYTES, is_for_people, sort_file

MAX_DOCUMENT_BYTES = 256 << 20  # for all annotation files of an upload together, because they are read at once


@dataclass(frozen=True, slots=True)
class Incoming:
    """One received image file."""

    key: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is not an image and may hold annotations."""

    path: str
    data: bytes

    @property
    def is_for_people(self) -> bool:
        """Whether it is a README or the schema of a published version, which an upload may ignore silently."""
        is_schema = PurePosixPath(self.path).name == SCHEMA and b'"label_schema"' in self.data
        return is_schema or is_for_people(self.path)


def sorted_out(name: str, data: bytes, *, convert: bool = False) -> Incoming | Document | Rejection:
    """Classify a file as an image, a document or a rejection, by the rule of `worker_programs.filekinds`."""
    kind = sort_file(name, data[:HEAD_BYTES], convert=convert)
    if kind.is_annotations:
        return Document(name, data)
    return Incoming(name, data) if kind.is_image else Rejection(name, kind.code, kind.reason)
