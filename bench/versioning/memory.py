"""What the platform holds in memory while a large archive comes in."""

import io
import tarfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from bench.versioning.corpus import CLASSES, noise
from bench.versioning.site import Site
from bench.versioning.table import Line
from motherlode.transport import Upload

SIDE = 1200  # pixels: about 4 MB an image, as a camera makes them
ROOM_BYTES = 256 << 20  # packs on their way, an image being decoded: whatever the archive's size
LOOK_SECONDS = 0.2


@dataclass(slots=True)
class Watch:
    """The most that the web and the workers held, since the start of a `with` block, in bytes."""

    site: Site
    before: int = 0
    most: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> "Watch":
        self.before = self.most = self.site.resident()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            self.most = max(self.most, self.site.resident())


def upload(site: Site, folder: Path, size: int) -> Line:
    """Push one archive of `size` bytes of images, each of them another; the memory it took beside that before."""
    with site.client() as client:
        client.datasets.create("bench-archive", classes=CLASSES)
        with (folder / "small.tar").open("w+b") as small:
            write_archive(small, 2 * SIDE * SIDE * 3)
            client.datasets.push("bench-archive", Upload("small.tar", small))  # what is loaded once is loaded now
        with (folder / "large.tar").open("w+b") as large, Watch(site) as watch:
            write_archive(large, size)
            client.datasets.push("bench-archive", Upload("large.tar", large))
    for name in ("small.tar", "large.tar"):
        (folder / name).unlink()
    before, most = watch.before >> 20, watch.most >> 20
    ratio = ROOM_BYTES / max(1, watch.most - watch.before)
    return Line(f"memory of web and workers, {size / 1e9:g} GB archive", f"{before} MB", f"{most} MB", ratio, 1.0)


def write_archive(file: BinaryIO, size: int) -> None:
    """A tar of at least `size` bytes of images."""
    with tarfile.open(fileobj=file, mode="w") as archive:
        while file.tell() < size:
            data = noise(SIDE)
            member = tarfile.TarInfo(f"{file.tell():012d}.png")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
