"""`python -m bench.publication`: what others wait for while many versions of a large dataset are published.

A platform of its own, in the embedded profile. Versions of a few labels each are committed as fast as it takes them;
beside them somebody edits the whole dataset once, and every few seconds a little of a small one. It prints which slots
publication held, how long the edits waited, the longest time without a sweep, and the bytes stored.
"""

import argparse
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from bench.crowd.meanwhile import beside
from bench.versioning.site import Site, own_site
from embedded.layout import project_root

LARGE, SMALL, SMALL_SAMPLES, CLASSES = "large", "small", 2000, ["cat", "dog"]
RELABELLED, FIRST_EDIT_SECONDS, BETWEEN_EDITS, LOOK_SECONDS, PATIENCE = 20, 20.0, 5.0, 0.5, 1200.0
ALL = "split in (pool, train, val)"
RUNNING = "SELECT kind FROM jobs_job JOIN jobs_shard ON job_id = jobs_job.id WHERE jobs_shard.state = 'running'"
WAITED = "SELECT created, started FROM jobs_job WHERE kind = 'edit' AND started IS NOT NULL"
UNPUBLISHED = "SELECT (SELECT count(*) FROM catalog_version) - (SELECT count(*) FROM publishing_publication)"
STORED = "SELECT sum(size) FROM blobs_storedobject"
SWEPT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[^\n]*jobs\.sweep\[[^\n]*succeeded")


@dataclass(slots=True)
class Seen:
    """What was looked at meanwhile: the number of slots that publication held at each look, and the seconds of small
    edits, which are answered by the request itself."""

    slots: Counter[int] = field(default_factory=Counter)
    edits: list[float] = field(default_factory=list)


def main() -> int:
    """Returns 1 if not all versions were published in time."""
    options = _options()
    if options.fill:
        fill(options.fill, options.samples)
        return 0
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {options.samples:,} samples", flush=True
    )
    with tempfile.TemporaryDirectory(prefix="motherlode-publication-") as name, own_site(Path(name)) as site:
        furnish(site, options.samples)
        wait_published(site)
        return measure(site, samples=options.samples, versions=options.versions)


def measure(site: Site, *, samples: int, versions: int) -> int:
    """Commit, publish, and print what others saw."""
    seen, began, stored = Seen(), time.time(), _one(site, STORED)
    with beside(lambda stop: look(site, seen, stop)), beside(lambda stop: edit(site, seen, stop)):
        with _client(site) as client:
            for _ in range(versions):
                relabel(client, samples)
        print(f"  {versions} versions committed in {time.time() - began:.1f} s", flush=True)
        published = wait_published(site)
    took = time.time() - began
    waits = [_seconds(created, started) for created, started in _rows(site, WAITED)]
    print(f"  all published after {took:.1f} s: {published}; {(_one(site, STORED) - stored) / 1e6:.1f} MB stored")
    print(f"  slots held by publication: {dict(sorted(seen.slots.items()))} looks; most {max(seen.slots, default=0)}")
    print(f"  the edit of all samples waited {max(waits, default=float('nan')):.1f} s for a worker")
    middle = statistics.median(seen.edits or [0])
    print(f"  {len(seen.edits)} small edits took {middle:.2f} s, at most {max(seen.edits, default=0):.2f} s")
    print(f"  the longest time without a sweep: {longest_gap(site, began, began + took):.1f} s", flush=True)
    return 0 if published else 1


def furnish(site: Site, samples: int) -> None:
    """Make the two datasets; their samples are rows that share bytes which nobody reads."""
    with _client(site) as client:
        for name, count in ((LARGE, samples), (SMALL, SMALL_SAMPLES)):
            _answered(client.post("/datasets", json={"name": name, "task": "classification", "classes": CLASSES}))
            environment = os.environ | {
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "MOTHERLODE_SECRET_KEY": os.urandom(32).hex(),
                "MOTHERLODE_VAR": str(site.var),
                "MOTHERLODE_DATABASE_URL": f"sqlite:///{site.var / 'db.sqlite3'}",
                "MOTHERLODE_LOG_LEVEL": "WARNING",
            }
            argv = [sys.executable, "-m", "bench.publication", "--fill", name, "--samples", str(count)]
            subprocess.run(argv, cwd=project_root(), env=environment, check=True)


def fill(dataset: str, count: int) -> None:
    """Commit samples, in a process that has the platform's database for its own."""
    import django  # here, because settings read the environment

    django.setup()
    from bench.versioning.rows import BATCH, blobs
    from catalog.changes.sets import ChangeSet, SampleChange
    from catalog.models import Dataset
    from catalog.versions.commit import commit

    row, there = Dataset.objects.select_related("created_by").get(name=dataset), blobs()
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        samples = [SampleChange(key(number), blob=there[number % len(there)]) for number in numbers]
        commit(row, ChangeSet(samples), author=row.created_by)


def key(number: int) -> str:
    """The key of the n-th sample."""
    return f"{number % 97:02d}/{number:08d}.png"


def relabel(client: httpx.Client, samples: int) -> None:
    """Commit a version of a few labels."""
    chosen = random.sample(range(samples), RELABELLED)
    labels = [{"key": key(number), "label": {"class": random.choice(CLASSES)}} for number in chosen]
    _answered(client.post(f"/datasets/{LARGE}", json={"labels": labels}))


def edit(site: Site, seen: Seen, stop: threading.Event) -> None:
    """Edit the large dataset once, and the small one again and again."""
    with _client(site) as client:
        if not stop.wait(FIRST_EDIT_SECONDS):
            _answered(client.post(f"/datasets/{LARGE}/edits", json={"filter": ALL, "label": {"class": CLASSES[0]}}))
        number = 0
        while not stop.wait(BETWEEN_EDITS):
            began = time.monotonic()
            body = {"filter": f"key prefix {number % 97:02d}/", "label": {"class": CLASSES[number // 97 % 2]}}
            _answered(client.post(f"/datasets/{SMALL}/edits", json=body))
            seen.edits.append(time.monotonic() - began)
            number += 1


def look(site: Site, seen: Seen, stop: threading.Event) -> None:
    """Count the slots that publication holds, again and again."""
    while not stop.wait(LOOK_SECONDS):
        seen.slots[sum(kind == "publish" for (kind,) in _rows(site, RUNNING))] += 1


def wait_published(site: Site) -> bool:
    """Wait until every version is published; False when that takes too long."""
    until = time.monotonic() + PATIENCE
    while _one(site, UNPUBLISHED) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    return not _one(site, UNPUBLISHED)


def longest_gap(site: Site, began: float, ended: float) -> float:
    """The longest time without a sweep, by the workers' logs."""
    logs = [log.read_text(errors="replace") for log in (site.var / "log").glob("worker-*.log")]
    found = [datetime.fromisoformat(time_).timestamp() for log in logs for time_ in SWEPT.findall(log)]
    times = sorted(one for one in found if began <= one <= ended)
    return max(after - before for before, after in zip([began, *times], [*times, ended], strict=True))


def _rows(site: Site, query: str) -> list[Any]:
    with closing(sqlite3.connect(f"file:{site.var / 'db.sqlite3'}?mode=ro", uri=True, timeout=60)) as connection:
        return connection.execute(query).fetchall()


def _one(site: Site, query: str) -> int:
    return int(_rows(site, query)[0][0] or 0)


def _seconds(before: str, after: str) -> float:
    return (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds()


@contextmanager
def _client(site: Site) -> Iterator[httpx.Client]:
    head = {"Authorization": f"Bearer {site.token}"}
    with httpx.Client(base_url=site.url, headers=head, timeout=120.0) as client:
        yield client


def _answered(answer: httpx.Response) -> None:
    if answer.is_error:
        raise SystemExit(f"{answer.request.url} answered {answer.status_code}: {answer.text[:500]}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.publication", description=__doc__)
    parser.add_argument("--samples", type=int, default=50_000, help="of the large dataset (default: 50000)")
    parser.add_argument("--versions", type=int, default=100, help="that are published (default: 100)")
    parser.add_argument("--fill", metavar="DATASET", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
