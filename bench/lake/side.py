"""One side at one size, in a process of its own: `python -m bench.lake.side CONFIG.json`. It prints its figures as
JSON.

The web's part and the worker's are done in this process, the programs that a worker starts are children of it.
"""

import json
import resource
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from bench.lake.frames import DRIVE, key_of, manifests
from bench.mining.bucket import CLASSES
from bench.versioning.rows import use_database
from blobs.refs import BlobRef

ASKED = 40
LOOK_SECONDS = 0.1
LABELLED = 1000
BATCH = 50_000


@dataclass
class Site:
    """The platform in this process: a dataset, a model, and whoever asks."""

    dataset: Any
    model: Any
    author: Any
    client: Any

    def job(self, pk: int) -> Any:
        """Work on a job to its end."""
        from jobs import runner, services
        from jobs.models import Job

        while (held := services.claim(pk, worker=runner.me())) is not None:
            runner.run(held)
        job = Job.objects.get(pk=pk)
        if job.state != Job.State.SUCCEEDED:
            raise SystemExit(f"job {pk} of kind {job.kind} is {job.state}: {job.error}")
        return job

    def get(self, address: str, **query: Any) -> Any:
        """What the API answers."""
        answer = self.client.get(address, query)
        if answer.status_code != 200:
            raise SystemExit(f"{address} answered {answer.status_code}: {answer.content[:500]!r}")
        return answer.json()


def main(config: Path) -> int:
    """The figures of one side."""
    told = json.loads(config.read_text())
    folder, count = Path(told["folder"]), told["count"]
    use_database(folder, told["database"])
    refs = [BlobRef(*one) for one in json.loads(Path(told["refs"]).read_text())]
    site = _site(Path(told["model"]))
    with _watched() as most:
        figures = _lake(site, folder, count, refs) if told["side"] == "lake" else _rows(site, count, refs)
    peaks = {
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "program_mb": {name: held >> 20 for name, held in most.items()},
    }
    print(json.dumps(figures | peaks | {"database_bytes": _database_bytes()}))
    return 0


@contextmanager
def _watched() -> Iterator[dict[str, int]]:
    """By program the most bytes that one of them held, looked at ten times a second."""
    most: dict[str, int] = {}
    ended, own = threading.Event(), psutil.Process()

    def look() -> None:
        while not ended.wait(LOOK_SECONDS):
            for child in own.children(recursive=True):
                with suppress(psutil.Error):
                    argv = child.cmdline()
                    if "-m" in argv:  # a fork that has not become a program yet holds what we hold
                        name = argv[argv.index("-m") + 1]
                        most[name] = max(most.get(name, 0), child.memory_info().rss)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def _site(onnx: Path) -> Site:
    from rest_framework.test import APIClient

    from accounts.models import User
    from blobs.services import keep_bytes
    from catalog.versions.datasets import create_dataset
    from registry.models import Artifact, Model, ModelVersion

    author = User.objects.create(username="bench", is_owner=True)
    dataset = create_dataset("bench-lake", task="classification", classes=CLASSES, description="", author=author)
    model = Model.objects.create(
        name="bench-cnn", task="classification", classes=CLASSES, created_by=author, project=dataset.project
    )
    blob = keep_bytes(onnx.read_bytes(), media_type="application/octet-stream")
    version = ModelVersion.objects.create(
        model=model, number=1, architecture="small_cnn", digest=blob.sha256, created_by=author
    )
    Artifact.objects.create(version=version, path="model.onnx", blob=blob)
    client = APIClient()
    client.force_authenticate(author)
    return Site(dataset, version, author, client)


def _lake(site: Site, folder: Path, count: int, refs: list[BlobRef]) -> dict[str, Any]:
    from blobs.ledger import adopt
    from lakes.models import LakeGroup, LakePart
    from lakes.parts import start_adding

    ends: dict[str, int] = {}
    for ref in refs:
        ends[ref.key] = max(ends.get(ref.key, 0), ref.end)
    adopt(ends)
    _owned(site, ends)
    register = sent = 0.0
    for path, _ in manifests(folder, count, refs):
        started = time.perf_counter()
        upload = _uploaded(site, path)
        sent += time.perf_counter() - started
        path.unlink()
        started = time.perf_counter()
        site.job(start_adding(site.dataset, upload, source=LakePart.Source.MANIFEST, author=site.author).pk)
        register += time.perf_counter() - started
    lake = f"/datasets/{site.dataset.pk}/lake"
    numbers = np.random.default_rng(0)
    figures = {"sent": sent, "register": register, "parts": LakePart.objects.filter(dataset=site.dataset).count()}
    figures["manifest_bytes"] = sum(LakeGroup.objects.values_list("blob__size", flat=True))
    figures["count"] = _asked(lambda: site.get(lake))
    assert site.get(lake)["frames"] == count
    figures["first_page"] = _asked(lambda: site.get(f"{lake}/frames", limit=100))
    figures["any_page"] = _asked(
        lambda: site.get(f"{lake}/frames", limit=100, after=key_of(int(numbers.integers(count))))
    )
    figures["by_key"] = _asked(lambda: site.get(f"{lake}/frame", key=key_of(int(numbers.integers(count)))))
    drive = key_of(int(numbers.integers(count // DRIVE)) * DRIVE)[: len("drive-0000/")]
    figures["slice"], scan = _scanned(site, strategy="margin", count=LABELLED, prefix=drive)
    figures["slice_images_per_second"] = scan["stats"]["images_per_second"]
    assert scan["stats"]["eligible"] == DRIVE
    figures["slice_again"], again = _scanned(site, strategy="entropy", count=LABELLED, prefix=drive)
    assert again["stats"]["scored"] == 0
    keys = [one["sample"]["key"] for one in _pages(site, f"/mining/jobs/{scan['mining']}/picks")]
    figures["labels"] = _label(site, keys)
    figures["random_of_all"], _ = _scanned(site, strategy="random", count=LABELLED)
    return figures


def _owned(site: Site, keys: Iterable[str]) -> None:
    """As if archives had brought the packs into the lake of another dataset of the project: a manifest may name only
    such packs."""
    from blobs.models import StoredObject
    from catalog.versions.datasets import create_dataset
    from jobs.services import ShardSpec, cancel, create_job
    from lakes.models import LakePack, LakePart

    told = {"task": "classification", "classes": CLASSES, "description": "", "project": site.dataset.project}
    dataset = create_dataset("bench-packs", author=site.author, **told)
    job = cancel(create_job("lake_fill", "once", shards=[ShardSpec()], project=dataset.project_id).pk)
    facts = {"source": LakePart.Source.ARCHIVE, "first": b"a", "last": b"b", "rows": 1, "bytes": 1}
    part = LakePart.objects.create(dataset=dataset, job=job, created_by=site.author, **facts)
    packs = StoredObject.objects.filter(key__in=list(keys))
    LakePack.objects.bulk_create(LakePack(part=part, object=row) for row in packs)


def _uploaded(site: Site, path: Path) -> Any:
    from catalog.intake import archive_uploads
    from catalog.models import PART_BYTES

    size = path.stat().st_size
    upload = archive_uploads.begin(site.dataset, name=path.name, size=size, fingerprint=path.name, author=site.author)
    with path.open("rb") as file:
        for number in range(upload.parts_expected):
            archive_uploads.add_part(upload, number, file.read(PART_BYTES))
    return upload


def _scanned(site: Site, **asked: Any) -> tuple[float, Any]:
    from lakes.scanning import ScanSpec, start_scan

    started = time.perf_counter()
    scan = start_scan(site.dataset, site.model, ScanSpec(**asked), author=site.author)
    site.job(scan.job_id)
    took = time.perf_counter() - started
    return took, site.get(f"/datasets/{site.dataset.pk}/lake/scans/{scan.pk}")


def _rows(site: Site, count: int, refs: list[BlobRef]) -> dict[str, Any]:
    from mining_jobs.services import MiningSpec, start_mining

    register = sum(_commit(site, first, min(BATCH, count - first), refs) for first in range(0, count, BATCH))
    numbers = np.random.default_rng(0)
    head = f"/datasets/{site.dataset.pk}/versions/head"
    figures: dict[str, Any] = {"register": register, "count": _asked(lambda: site.get(f"{head}/facets"))}
    figures["first_page"] = _asked(lambda: site.get(f"{head}/samples", limit=100))
    figures["any_page"] = _asked(
        lambda: site.get(f"{head}/samples", limit=100, offset=int(numbers.integers(count - 100)))
    )
    figures["by_key"] = _asked(
        lambda: site.get(f"/datasets/{site.dataset.pk}/samples/{key_of(int(numbers.integers(count)))}")
    )
    site.dataset.refresh_from_db()
    started = time.perf_counter()
    made = start_mining(site.dataset.head, site.model, MiningSpec("random", LABELLED, control=0.0), author=site.author)
    site.job(made.job_id)
    figures["random_of_all"] = time.perf_counter() - started
    keys = [one["sample"]["key"] for one in _pages(site, f"/mining/jobs/{made.pk}/picks")]
    figures["labels"] = _label(site, keys)
    return figures


def _commit(site: Site, first: int, count: int, refs: list[BlobRef]) -> float:
    """New samples, each with bytes of its own: digests that repeat would be one row."""
    from hashlib import md5, sha256

    from blobs.models import Blob
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.versions.commit import commit

    changes = []
    sketch = bytes(256)
    for number in range(first, first + count):
        at, name = refs[number % len(refs)], number.to_bytes(8)
        digests = md5(name, usedforsecurity=False).hexdigest(), sha256(name).hexdigest()
        ref = BlobRef(*digests, at.size, at.key, at.offset)
        blob = Blob.row(ref, media_type="image/png", width=28, height=28, phash=None, sketch=sketch)
        changes.append(SampleChange(key_of(number), blob=blob, split="pool"))
    started = time.perf_counter()
    commit(site.dataset, ChangeSet(changes), author=site.author)
    return time.perf_counter() - started


def _label(site: Site, keys: list[str]) -> float:
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.versions.commit import commit

    label = {"class": CLASSES[0]}
    changes = ChangeSet([SampleChange(key, split="train", label=label, source="human") for key in keys])
    started = time.perf_counter()
    made = commit(site.dataset, changes, author=site.author)
    took = time.perf_counter() - started
    assert made.labelled == len(keys) == LABELLED
    return took


def _pages(site: Site, address: str) -> list[Any]:
    found, url = [], f"{address}?limit=500"
    while url:
        page = site.get(url)
        found += page["results"]
        url = (page["next"] or "").removeprefix("http://testserver")
    return found


def _asked(ask: Callable[[], object]) -> float:
    """Seconds, the median of some askings; the first pays for what is loaded once."""
    taken = []
    for _ in range(ASKED + 1):
        started = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken[1:])


def _database_bytes() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
