"""Where programs get their bytes from: the object store in production, a folder in notebooks and tests."""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from worker_programs import files
from worker_programs.manifest import Ref


class CorruptSampleError(Exception):
    """The bytes at a ref are absent or not those its digests promise; the message names the blob."""

    code = "sample_corrupt"


OnFault = Callable[[Ref, str], None]
"""Is told of a blob that does not verify, with the reason; the others go on."""


class SampleReader(Protocol):
    """Brings the verified bytes of blobs.

    A blob that does not verify is handed to `on_fault` and left out; without `on_fault` it raises CorruptSampleError.
    """

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Each ref, in any order."""
        ...

    def shuffled(self, refs: Sequence[Ref], *, seed: int, skip: int = 0) -> Iterator[tuple[Ref, bytes]]:
        """Each blob once, in an order that refs and seed alone decide; the first `skip` are left out and not read."""
        ...


class Folder:
    """A content-addressed folder with the store's own layout (`files/md5/<2>/<30>`): the same refs work on both."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root).resolve()

    def put(self, data: bytes) -> Ref:
        """Keep `data` and tell where it lies; keeping the same bytes twice is one file."""
        md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
        ref = Ref(md5, hashlib.sha256(data).hexdigest(), len(data), f"files/md5/{md5[:2]}/{md5[2:]}")
        if not (self._root / ref.key).exists():
            files.write_bytes(self._root / ref.key, data)
        return ref

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Each ref with its verified bytes."""
        for ref in refs:
            try:
                data = self._read(ref)
            except CorruptSampleError as fault:
                if on_fault is None:
                    raise
                on_fault(ref, str(fault))
                continue
            yield ref, data

    def shuffled(self, refs: Sequence[Ref], *, seed: int, skip: int = 0) -> Iterator[tuple[Ref, bytes]]:
        """Each blob once, in an order of the seed's."""
        by_md5 = {ref.md5: ref for ref in refs}
        mixed = [by_md5[md5] for md5 in sorted(by_md5)]
        random.Random(seed).shuffle(mixed)
        return self.get_many(mixed[skip:])

    def _read(self, ref: Ref) -> bytes:
        if ref.key.startswith("/") or ".." in ref.key.split("/"):
            raise CorruptSampleError(f"blob {ref.md5}: its object key points outside the folder")
        try:
            with open(f"{self._root}/{ref.key}", "rb") as stream:  # noqa: PTH123 - a Path for each costs as much
                stream.seek(ref.offset)
                data = stream.read(ref.size)
        except OSError as fault:
            raise CorruptSampleError(f"blob {ref.md5}: cannot be read: {fault.strerror}") from fault
        if hashlib.sha256(data).hexdigest() != ref.sha256:
            raise CorruptSampleError(f"blob {ref.md5}: {len(data)} bytes read do not have the promised sha256")
        return data


class Remembering:
    """Another reader, of whose bytes up to `limit` are kept in memory for those who ask again."""

    def __init__(self, reader: SampleReader, *, limit: int = 256 << 20) -> None:
        self._reader, self._room = reader, limit
        self._kept: dict[str, bytes] = {}

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Each ref, those in memory first."""
        absent = [ref for ref in refs if ref.md5 not in self._kept]
        for ref in refs:
            if (known := self._kept.get(ref.md5)) is not None:
                yield ref, known
        for ref, data in self._reader.get_many(absent, on_fault=on_fault):
            if len(data) <= self._room:
                self._room -= len(data)
                self._kept[ref.md5] = data
            yield ref, data

    def shuffled(self, refs: Sequence[Ref], *, seed: int, skip: int = 0) -> Iterator[tuple[Ref, bytes]]:
        """As the other reader gives them: a whole pass is not kept."""
        return self._reader.shuffled(refs, seed=seed, skip=skip)
