"""The folder of a backup. Objects are stored by their sha256, so none ever overwrites another:

manifest.json                the description of the last complete backup
database-<id>, objects-<id>  its snapshot of the database, and which object of the bucket has which digest
objects/<2>/<sha256>         the objects
work.sqlite3                 what was copied so far, for the next run
"""

import fcntl
import hashlib
import os
import secrets
import socket
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from operations.errors import OperationError

CHUNK_BYTES = 1 << 20
WORK = "work.sqlite3"
LOCK = "lock"
OURS = ("manifest.json", "objects", WORK, LOCK)


class BackupFolder:
    """The folder of a backup, which only its owner can read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def held(self) -> Iterator[None]:
        """Create the folder if it is missing, and lock it against a second backup. Raises OperationError."""
        if self.path.is_dir() and any(self.path.iterdir()) and not any((self.path / name).exists() for name in OURS):
            raise OperationError(f"{self.path} holds something else than a backup: name an empty folder.")
        (self.path / "objects").mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        with (self.path / LOCK).open("a+") as lock:  # the lock ends with its process, however that ends
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                lock.seek(0)
                raise OperationError(
                    f"Another backup into {self.path} is under way ({lock.read() or 'just beginning'}): wait for it, "
                    "or end it and run this again; it goes on."
                ) from error
            lock.truncate(0)
            lock.write(f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
            lock.flush()
            yield

    def object(self, sha256: str) -> Path:
        """Return the path of the object with this digest."""
        return self.path / "objects" / sha256[:2] / sha256

    def has(self, sha256: str, size: int) -> bool:
        """Whether the object was copied, judged by its size."""
        path = self.object(sha256)
        return path.is_file() and path.stat().st_size == size

    def put(self, chunks: Iterable[bytes]) -> tuple[str, int]:
        """Store an object. Returns its sha256 and its size; an interrupted write leaves nothing under an object's
        name."""
        fresh = self.path / "objects" / f"part-{secrets.token_hex(8)}"
        digest, size = hashlib.sha256(), 0
        try:
            with fresh.open("xb") as file:
                for chunk in chunks:
                    digest.update(chunk)
                    size += len(chunk)
                    file.write(chunk)
                settle(file.fileno())
            place = self.object(digest.hexdigest())
            place.parent.mkdir(mode=0o700, exist_ok=True)
            fresh.replace(place)
        finally:
            fresh.unlink(missing_ok=True)
        return digest.hexdigest(), size

    def clear_unfinished(self, *, named: Iterable[str]) -> None:
        """Remove what a killed run left: partial files, and snapshots and listings that are not `named` by the last
        complete backup."""
        for path in (self.path / "objects").glob("part-*"):
            path.unlink()
        self._remove_snapshots({*OURS, *named})

    def _remove_snapshots(self, keep: Collection[str]) -> None:
        for path in self.path.iterdir():
            if path.name not in keep and path.name.startswith(("database-", "objects-")):
                path.unlink()

    def prune(self, wanted: Iterable[str], *, named: Iterable[str]) -> int:
        """Remove the objects whose digest is not among the wanted ones (in order), and the snapshots and listings of
        earlier runs that are not `named`. Returns how many objects were removed."""
        self._remove_snapshots({*OURS, *named})
        gone = 0
        ordered = iter(wanted)
        first = next(ordered, None)
        for path in sorted((self.path / "objects").glob("??")):
            for one in sorted(path.iterdir()):
                while first is not None and first < one.name:
                    first = next(ordered, None)
                if one.name != first:
                    one.unlink()
                    gone += 1
        return gone


def settle(descriptor: int) -> None:
    """Flush a file to the disk."""
    os.fsync(descriptor)


def replace_durably(path: Path, text: str) -> None:
    """Replace a file in one step, after all that was written before it."""
    fresh = path.with_name(f".{path.name}.part")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        settle(file.fileno())
    fresh.replace(path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        settle(descriptor)
    finally:
        os.close(descriptor)


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file, read in chunks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
