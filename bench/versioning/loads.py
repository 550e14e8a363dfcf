"""The first load of many small images, and one more on top: stock DVC beside `lode dataset push`."""

import filecmp
import io
import resource
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bench.versioning.corpus import CLASSES, small_image, write_images
from bench.versioning.peer import Peer, fetched
from bench.versioning.site import Site
from bench.versioning.table import Line, against, seconds
from motherlode.archives import write_tar
from motherlode.transport import Upload

LOAD, PLAIN, APPEND = 10.0, 3.0, 100.0
MANY = 50_000  # from here on an append must not be felt
APPENDS = 5


@dataclass(slots=True)
class Load:
    """What one size took by step: seconds, and seconds of CPU outside the object store and inside."""

    count: int
    site: Site
    took: dict[str, float] = field(default_factory=dict)
    busy: dict[str, float] = field(default_factory=dict)
    stored: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        started, busy, stored = time.perf_counter(), self.site.busy() + _children(), self.site.store_busy()
        yield
        self.took[step] = time.perf_counter() - started
        self.busy[step] = self.site.busy() + _children() - busy
        self.stored[step] = self.site.store_busy() - stored

    def lines(self) -> list[Line]:
        """Beside the promises."""
        took, n = self.took, f"{self.count:,}"
        theirs = took["add"] + took["push"]
        ready = took["our push"] + took["our publication"]
        return [
            Line(f"{n} images: dvc add, lode dataset push", seconds(took["add"]), seconds(took["our push"])),
            Line(f"{n} images: dvc push, publication", seconds(took["push"]), seconds(took["our publication"])),
            against(f"{n} images until dvc get can fetch", theirs, ready, target=LOAD),
            against(
                f"{n} images, CPU outside the object store",
                self.busy["add"] + self.busy["push"],
                self.busy["our push"] + self.busy["our publication"],
            ),
            against(
                f"{n} plain objects, CPU of the object store", self.stored["push"], self.stored["our plain objects"]
            ),
            against(f"{n} images, as plain objects too", theirs, ready + took["our plain objects"], target=PLAIN),
            against(
                f"one more on {n}: committed",
                took["add one"],
                took["our one"],
                target=APPEND if self.count >= MANY else None,
            ),
            against(f"one more on {n}: dvc get can fetch", took["add one"], took["our one published"]),
        ]


def first_load(site: Site, folder: Path, count: int) -> Load:
    """Both, one after the other, on the same files. Raises SystemExit when what comes back is not what went in."""
    load, name = Load(count, site), f"bench-{count}"
    peer = Peer(folder / name, replace(site.store, bucket=f"peer-{count}"))
    peer.start()
    write_images(peer.data, count)
    with load.timed("add"):
        peer.add()
    with load.timed("push"):
        peer.push()
    site.lode("dataset", "create", name, "--classes", ",".join(CLASSES))
    with load.timed("our push"):
        site.lode("dataset", "push", name, str(peer.data))
    with load.timed("our publication"):
        site.wait_published(name, 1)
    check(site, name, peer.data, folder)
    with load.timed("our plain objects"):
        site.run_job(f"/datasets/{name}/versions/1/materialise")
    _append(site, peer, name, load)
    shutil.rmtree(peer.folder)
    return load


def _children() -> float:
    """Seconds of CPU of the programs that were run to their end."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _append(site: Site, peer: Peer, name: str, load: Load) -> None:
    """One image on top. Ours is asked for several times, for it is short; the median counts."""
    numbers = np.random.default_rng(1)
    data, kind = small_image(numbers, load.count)
    (peer.data / "train" / CLASSES[0] / f"one-more.{kind}").write_bytes(data)
    with load.timed("add one"):
        peer.add()
        peer.push()
    committed, published = [], []
    with site.client() as client:
        for number in range(APPENDS):
            data, kind = small_image(numbers, load.count)
            archive = io.BytesIO()
            write_tar(archive, [(f"train/{CLASSES[0]}/one-more-{number}.{kind}", data)])
            started = time.perf_counter()
            made = client.datasets.push(name, Upload("one.tar", archive.getvalue()))
            committed.append(time.perf_counter() - started)
            site.wait_published(name, int(made["version"] or 0))
            published.append(time.perf_counter() - started)
    load.took["our one"] = float(np.median(committed))
    load.took["our one published"] = float(np.median(published))


def check(site: Site, name: str, data: Path, folder: Path) -> None:
    """A stock `dvc get` of one class: byte for byte what was pushed."""
    part = Path("test", CLASSES[0])
    out = folder / "fetched"
    fetched(site.repository(name), f"data/{part}", "v1", out)
    names = sorted(path.name for path in (data / part).iterdir())
    same, _, _ = filecmp.cmpfiles(data / part, out, names, shallow=False)
    if not names or sorted(same) != names:
        raise SystemExit(f"dvc get brought {len(same)} of {len(names)} files as they were pushed")
    shutil.rmtree(out)
