"""Documents as git texts, so that `git diff` shows the lines that changed, and a change of few lines costs few objects.

A document is one file in the root. JSON lines with more than WHOLE_LINES lines become a folder of up to 4,096 small
files: the md5 of a line's `key` determines its file, whatever else the document holds.
"""

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from mmap import mmap
from typing import BinaryIO

import orjson
from dulwich.object_format import SHA1
from dulwich.objects import Blob, ShaFile, Tree
from dulwich.pack import PackData, PackInflater, full_unpacked_object, write_pack_data

from versioning.history import DIRECTORY, FILE, TreeEntry

WHOLE_LINES = 4096
LINES = ".jsonl"
Content = bytes | mmap
Places = dict[str, "array[int]"]


def write_texts(texts: Mapping[str, Content], before: Mapping[str, Content], file: BinaryIO) -> dict[str, TreeEntry]:
    """Write, as a git pack, the objects of `texts` that the texts `before` don't have; write nothing if there are none.

    Returns the entries of the commit's root by name. Memory holds the offsets of the lines, and one small file.
    """
    known = {one.id for path, content in before.items() for one in _objects(content, _places(path, content))}
    cut = [(content, _places(path, content)) for path, content in texts.items()]
    entries: dict[str, TreeEntry] = {}
    new = set()
    for path, (content, places) in zip(texts, cut, strict=True):
        for one in _objects(content, places):
            if one.id not in known:
                new.add(one.id)
            last = one
        entries |= _entry(path, last)
    if new:
        objects = (one for content, places in cut for one in _objects(content, places))
        first = (one for one in objects if one.id in new)
        write_pack_data(file.write, map(full_unpacked_object, _once(first)), SHA1, num_records=len(new))
    return entries


def read_pack(data: bytes) -> list[ShaFile]:
    """Return the objects that `write_texts` wrote."""
    with PackData.from_file(BytesIO(data), SHA1, len(data)) as pack:
        return list(PackInflater.for_pack_data(pack))


def _once(objects: Iterable[ShaFile]) -> Iterator[ShaFile]:
    seen = set()
    for one in objects:
        if one.id not in seen:
            seen.add(one.id)
            yield one


def _objects(content: Content, places: Places | None) -> Iterator[ShaFile]:
    """Yield the objects of a document; the last one is its entry in the root."""
    if places is None:
        yield Blob.from_string(content[:])
        return
    root = Tree()
    for folder in sorted({name[:2] for name in places}):
        below = Tree()
        for name in sorted(name for name in places if name.startswith(folder)):
            spans = zip(places[name][::2], places[name][1::2], strict=True)
            blob = Blob.from_string(b"".join(content[start:end] for start, end in spans))
            below.add(f"{name[2:]}{LINES}".encode(), FILE, blob.id)
            yield blob
        root.add(folder.encode(), DIRECTORY, below.id)
        yield below
    yield root


def _places(path: str, content: Content) -> Places | None:
    """Return the offsets at which the lines of each small file begin and end, alternating; None if one file holds all
    lines."""
    if not path.endswith(LINES):
        return None
    places: Places = defaultdict(lambda: array("Q"))
    start = count = 0
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        key = orjson.loads(content[start:end])["key"]
        places[hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()[:3]].extend((start, end))
        start, count = end, count + 1
    return dict(places) if count > WHOLE_LINES else None


def _entry(path: str, last: ShaFile) -> dict[str, TreeEntry]:
    is_folder = isinstance(last, Tree)
    name = path.removesuffix(LINES) if is_folder else path
    return {name: TreeEntry(DIRECTORY if is_folder else FILE, last.id.decode())}
