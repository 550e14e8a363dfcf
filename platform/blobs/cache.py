"""A cache of blobs on this machine's disk: bounded, shared by its processes, never trusted.

A file is named by the blob's md5, or by a pack's sha256. Reading updates its time; when the total passes the limit, the
least recently used files are removed until a tenth of the space is free. The total is one number in a file under a
lock, so that adding needs no walk over the files; the walk at eviction corrects it after a crash.
"""

import fcntl
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from blobs.errors import StoreMisconfigured
from blobs.keys import pack_sha256
from blobs.refs import BlobRef

log = logging.getLogger(__name__)

DEFAULT_BYTES = 4 << 30
_KEPT_AFTER_EVICTION = 0.9
_TOUCH_SECONDS = 30.0  # finer than this, recency does not matter
_ABANDONED_SECONDS = 3600.0
_TEMPORARY = ".part-"
_COUNT_BYTES = 8
_CHECK_BYTES = 16


class BlobCache:
    """A cache of at most `max_bytes` under `directory`. A disk that is full or broken makes it useless, but raises no
    error."""

    def __init__(self, directory: Path, max_bytes: int = DEFAULT_BYTES) -> None:
        self.directory, self._root = directory, os.fspath(directory)
        self.max_bytes = max_bytes
        directory.mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> "BlobCache | None":
        """Return the cache that MOTHERLODE_CACHE_DIR (None without it) and MOTHERLODE_CACHE_BYTES describe."""
        if not (directory := env.get("MOTHERLODE_CACHE_DIR", "")):
            return None
        size = env.get("MOTHERLODE_CACHE_BYTES") or str(DEFAULT_BYTES)
        if not size.isdigit():
            raise StoreMisconfigured("MOTHERLODE_CACHE_BYTES must be a whole number of bytes")
        return cls(Path(directory), int(size))

    def get(self, ref: BlobRef) -> bytes | None:
        """Return the verified bytes of `ref`, from its own file or from its pack; None if not cached. A file that does
        not verify is removed."""
        return self.members([ref]).get(ref) if ref.packed else self._alone(ref)

    def members(self, refs: Sequence[BlobRef]) -> dict[BlobRef, bytes]:
        """Return the verified bytes of those members of one pack that are cached; the pack's file is opened once for
        all of them."""
        found: dict[BlobRef, bytes] = {}
        name = pack_sha256(refs[0].key)
        with suppress(OSError), self._opened(name) as file:
            for ref in refs:
                if ref.verifies(data := _pread(file, ref.size, ref.offset)):
                    found[ref] = data
            if len(found) < len(refs):
                self.drop(name)
        if len(found) < len(refs):
            for ref in refs:
                if ref not in found and (alone := self._alone(ref)) is not None:
                    found[ref] = alone
        return found

    def read_all(self, name: str) -> bytes | None:
        """Return a whole file, NOT verified; None if not cached."""
        try:
            with self._opened(name) as file:
                return _pread(file, os.fstat(file).st_size, 0)
        except OSError:
            return None

    def holds(self, name: str) -> bool:
        """Whether there is a file of this name, whatever its content."""
        return self._path(name).exists()

    def put(self, name: str, data: bytes) -> None:
        """Store `data` under a digest, unless it is here already or larger than the whole cache."""
        path = self._path(name)
        if len(data) > self.max_bytes or path.exists():
            return
        try:
            path.parent.mkdir(exist_ok=True)
            self._write(path, data)
            self._account(len(data))
        except OSError as error:
            log.warning("the blob cache at %s takes nothing: %s", self.directory, error)

    def read_checked(self, name: str) -> bytes | None:
        """Return what `put_checked` stored; None if not cached, or if it has changed: then it is removed."""
        kept = self.read_all(name)
        if kept is None or kept[:_CHECK_BYTES] == _check(kept[_CHECK_BYTES:]):
            return kept and kept[_CHECK_BYTES:]
        self.drop(name)
        return None

    def put_checked(self, name: str, data: bytes) -> None:
        """Store data that this machine has made, whose digest nobody else knows, with a checksum."""
        self.put(name, _check(data) + data)

    def drop(self, name: str) -> None:
        """Remove one file."""
        path = self._path(name)
        with suppress(OSError):
            size = path.stat().st_size
            path.unlink()
            self._account(-size)

    def total_bytes(self) -> int:
        """Return the current total of the cache in bytes."""
        with self._locked() as file:
            return _count(file)

    def _path(self, name: str) -> Path:
        return self.directory / name[:2] / name

    def _alone(self, ref: BlobRef) -> bytes | None:
        """Return the verified bytes of `ref` from its own file."""
        data = self.read_all(ref.md5)
        if data is not None and not ref.verifies(data):
            self.drop(ref.md5)
            return None
        return data

    @contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        """Open a file, update its time and yield its descriptor. Raises OSError if not cached."""
        file = os.open(f"{self._root}/{name[:2]}/{name}", os.O_RDONLY)  # a Path for each costs as much as the reading
        try:
            if time.time() - os.fstat(file).st_mtime > _TOUCH_SECONDS:
                os.utime(file)
            yield file
        finally:
            os.close(file)

    def _write(self, path: Path, data: bytes) -> None:
        handle, name = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    def _account(self, change: int) -> None:
        with self._locked() as file:
            total = max(0, _count(file) + change)
            if total > self.max_bytes:
                total = self._evict()
            os.pwrite(file, total.to_bytes(_COUNT_BYTES, "little"), 0)

    def _evict(self) -> int:
        """Remove the least recently used files until there is space, and return the true total."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        for _, size, path in entries:
            if total <= self.max_bytes * _KEPT_AFTER_EVICTION:
                break
            with suppress(FileNotFoundError):
                path.unlink()
            total -= size
        return total

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        """Yield (last use, size, path) of every file; remove half-written files of dead processes."""
        for folder in self.directory.iterdir():
            if not folder.is_dir():
                continue
            for entry in os.scandir(folder):
                with suppress(FileNotFoundError):
                    facts = entry.stat()
                    if not entry.name.startswith(_TEMPORARY):
                        yield facts.st_mtime, facts.st_size, Path(entry.path)
                    elif time.time() - facts.st_mtime > _ABANDONED_SECONDS:
                        Path(entry.path).unlink()

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Open the file that holds the total, locked against threads and processes alike (a fresh descriptor each
        time)."""
        file = os.open(self.directory / "total", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _check(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECK_BYTES).digest()


def _count(file: int) -> int:
    return int.from_bytes(os.pread(file, _COUNT_BYTES, 0), "little")


def _pread(file: int, size: int, offset: int) -> bytes:
    """Read up to `size` bytes, in several calls if need be: the kernel may return fewer at a time."""
    pieces = []
    while size and (piece := os.pread(file, size, offset)):
        pieces.append(piece)
        offset += len(piece)
        size -= len(piece)
    return b"".join(pieces)
