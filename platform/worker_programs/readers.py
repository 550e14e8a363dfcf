"""Sources of programs' bytes: the object store in production, a folder in notebooks and tests."""

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
"""Callback for a blob that does not verify, with the reason; reading continues with the others."""


class SampleReader(Protocol):
    """Reads and verifies the bytes of blobs.

    A blob that does not verify is passed to `on_fault` and left out; without `on_fault` it raises CorruptSampleError.
    """

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Yield each ref with its bytes, in any order."""
        ...

    def shuffled(self, refs: Sequence[Ref], *, seed: int, skip: int = 0) -> Iterator[tuple[Ref, bytes]]:
        """Yield each blob once, in an order that depends only on refs and seed; the first `skip` are neither read nor
        yielded."""
        ...


class Folder:
    """A content-addressed folder with the store's own layout (`files/md5/<2>/<30>`): the same refs work on both."""

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root).resolve()

    def put(self, data: bytes) -> Ref:
        """Store `data` and return its location; the same bytes are stored once."""
        md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
        ref = Ref(md5, hashlib.sha256(data).hexdigest(), len(data), f"files/md5/{md5[:2]}/{md5[2:]}")
        if not (self._root / ref.key).exists():
            files.write_bytes(self._root / ref.key, data)
        return ref

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Yield each ref with its verified bytes."""
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
        """Yield each blob once, in an order that depends only on refs and seed."""
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
    """Caches another reader's blobs in memory, up to `limit` bytes."""

    def __init__(self, reader: SampleReader, *, limit: int = 256 << 20) -> None:
        self._reader, self._room = reader, limit
        self._kept: dict[str, bytes] = {}

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Yield each ref with its bytes, cached ones first."""
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
        """Read through the other reader, without caching a whole pass."""
        return self._reader.shuffled(refs, seed=seed, skip=skip)
