"""Files as they come: images, and annotation documents beside them."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from blobs.errors import ImageRefused
from blobs.images import sniff
from formats import SUFFIXES

MAX_DOCUMENT_BYTES = 256 << 20  # of all annotation files of an upload: they are read at once
# What people put beside their data for other people to read.
_FOR_PEOPLE = re.compile(r"(readme|licen[cs]e|notice|authors|citation|changelog)(\..*)?", re.IGNORECASE)


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
        """A README or the like: nobody expects it to be taken."""
        return _FOR_PEOPLE.fullmatch(PurePosixPath(self.path).name) is not None


def sorted_out(name: str, data: bytes) -> Incoming | Document:
    """A file as a document when it is called like one and is no image, else as an image to be."""
    document = Document(name, data)
    if PurePosixPath(name).suffix.lower() not in SUFFIXES and not document.is_for_people:
        return Incoming(name, data)
    try:
        sniff(data)
    except ImageRefused:
        return document
    return Incoming(name, data)
