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


class LineFiles:
    """A document of JSON lines as git objects, kept up while versions change few lines of it."""

    def __init__(self, path: str, content: bytes) -> None:
        self._path = path
        places = _places(path, content)
        self._count = content.count(b"\n")
        self._files = {} if places is None else {name: _joined(content, spans) for name, spans in places.items()}
        self._trees: dict[str, ShaFile] = {}
        self._last: ShaFile = Blob.from_string(content)
        if self._files:
            self._last = self._planted({name[:2] for name in self._files})[-1]

    @property
    def entries(self) -> dict[str, TreeEntry]:
        """The document's entry in the commit's root, by name."""
        return _entry(self._path, self._last)

    def change(self, lines: Mapping[str, bytes | None]) -> list[ShaFile] | None:
        """Set or remove (None) the lines with these keys; returns the new objects. None if the document becomes one
        file or many by it, or is one: then it is written whole."""
        if not self._files:
            return None
        touched: dict[str, dict[str, bytes]] = {}
        for key, line in lines.items():
            name = _file_of(key)
            if name not in touched:
                touched[name] = {_key(one): one for one in self._files.get(name, b"").splitlines(keepends=True)}
            kept = touched[name]
            self._count += (line is not None) - (key in kept)
            kept.pop(key, None)
            if line is not None:
                kept[key] = line
        if self._count <= WHOLE_LINES:
            return None
        files = {name: b"".join(kept[key] for key in sorted(kept)) for name, kept in touched.items()}
        files = {name: data for name, data in files.items() if data != self._files.get(name, b"")}
        if not files:
            return []
        self._files = {name: data for name, data in (self._files | files).items() if data}
        blobs = [Blob.from_string(data) for data in files.values() if data]
        return [*blobs, *self._planted({name[:2] for name in files})]

    def objects(self) -> list[ShaFile]:
        """Return all objects of the document."""
        if not self._files:
            return [self._last]
        return [*map(Blob.from_string, self._files.values()), *self._trees.values(), self._last]

    def _planted(self, folders: set[str]) -> list[ShaFile]:
        """Make the trees of these folders, and the root, which is the last."""
        for folder in folders:
            tree = Tree()
            for name in (f"{folder}{digit}" for digit in "0123456789abcdef"):
                if name in self._files:
                    tree.add(f"{name[2:]}{LINES}".encode(), FILE, Blob.from_string(self._files[name]).id)
            self._trees.pop(folder, None)
            if len(tree):
                self._trees[folder] = tree
        root = Tree()
        for folder, below in sorted(self._trees.items()):
            root.add(folder.encode(), DIRECTORY, below.id)
        self._last = root
        return [*(self._trees[folder] for folder in folders if folder in self._trees), root]


def write_pack(objects: Iterable[ShaFile], file: BinaryIO) -> None:
    """Write git objects as a pack, for `read_pack`."""
    rows = list(_once(objects))
    write_pack_data(file.write, map(full_unpacked_object, rows), SHA1, num_records=len(rows))


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
            blob = Blob.from_string(_joined(content, places[name]))
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
        places[_file_of(_key(content[start:end]))].extend((start, end))
        start, count = end, count + 1
    return dict(places) if count > WHOLE_LINES else None


def _joined(content: Content, spans: "array[int]") -> bytes:
    return b"".join(content[start:end] for start, end in zip(spans[::2], spans[1::2], strict=True))


def _key(line: bytes) -> str:
    key: str = orjson.loads(line)["key"]
    return key


def _file_of(key: str) -> str:
    """The name of the small file that holds the line with this key."""
    return hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()[:3]


def _entry(path: str, last: ShaFile) -> dict[str, TreeEntry]:
    is_folder = isinstance(last, Tree)
    name = path.removesuffix(LINES) if is_folder else path
    return {name: TreeEntry(DIRECTORY if is_folder else FILE, last.id.decode())}
