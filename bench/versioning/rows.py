"""A million samples: what grows with the size of a dataset, and what must not. In this process, on its own database."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import numpy as np

from bench.versioning.corpus import CLASSES
from bench.versioning.table import Line, percentiles, seconds

BATCH = 50_000  # samples in one commit of the first load
APPENDED = 1000
BLOBS = 10_000  # samples share them
ASKED, DIFFED = 60, 10
SHARE, PROMISED_AT = 0.02, 1_000_000
GROWTH, NOISE_SECONDS = 1.5, 0.003  # a median may be so many times the one at the smallest size, and this much more


def use_database(folder: Path, url: str | None) -> None:
    """Make this process a platform over an empty database: SQLite below `folder`, or the one that `url` names."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "MOTHERLODE_SECRET_KEY": os.urandom(32).hex(),
        "MOTHERLODE_VAR": str(folder),
        "MOTHERLODE_DATABASE_URL": url or f"sqlite:///{folder / 'rows.sqlite3'}",
        "MOTHERLODE_ALLOWED_HOSTS": "testserver",
        "MOTHERLODE_LOG_LEVEL": "WARNING",
    }
    import django  # here, because settings read the environment

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


@dataclass(slots=True)
class Measured:
    """Seconds of the loads by size; of the appends; and of each question by size."""

    loads: dict[int, float] = field(default_factory=dict)
    appends: dict[int, float] = field(default_factory=dict)
    asked: dict[str, dict[int, list[float]]] = field(default_factory=dict)

    def lines(self) -> list[Line]:
        """Beside the promises: at each size against the smallest."""
        first = min(self.loads)
        found = []
        for size in self.loads:
            load, append = self.loads[size], self.appends[size]
            what = f"{APPENDED:,} on {size:,}, against loading {size:,}"
            promised = 1 / SHARE if size >= PROMISED_AT else None
            found.append(Line(what, seconds(load), seconds(append), load / append, promised))
        for question, times in self.asked.items():
            start = percentiles(times[first])[0]
            for size, values in times.items():
                p50, p95 = percentiles(values)
                allowed = GROWTH * start + NOISE_SECONDS
                what = f"{question}: {size:,}"
                found.append(Line(what, f"p50 {seconds(p50)}", f"p95 {seconds(p95)}", allowed / p50, 1.0))
        return found


def measure(sizes: Sequence[int]) -> Measured:
    """Grow one dataset to each of `sizes` in turn, and ask the same at each. Needs `use_database` before."""
    from accounts.models import User
    from catalog.versions.datasets import create_dataset

    author = User.objects.create(username="bench", is_owner=True)
    dataset = create_dataset("bench-rows", task="classification", classes=CLASSES, description="", author=author)
    commits = _Commits(dataset, author)
    measured, took = Measured(), 0.0
    for size in sorted(sizes):
        while commits.samples < size:
            took += commits.add(min(BATCH, size - commits.samples))
        measured.loads[size] = took
        measured.appends[size] = float(np.median([commits.add(APPENDED) for _ in range(3)]))
        for question, times in _ask(dataset, author, size=commits.samples).items():
            measured.asked.setdefault(question, {})[size] = times
    return measured


class _Commits:
    """Commits of generated samples, by the platform's own rule."""

    def __init__(self, dataset: Any, author: Any) -> None:
        self.samples = 0
        self._dataset, self._author = dataset, author
        self._blobs = blobs()

    def add(self, count: int) -> float:
        """Commit `count` new samples; returns the seconds of it."""
        from catalog.changes.sets import ChangeSet, SampleChange
        from catalog.versions.commit import commit

        changes = []
        for number in range(self.samples, self.samples + count):
            label = {"class": CLASSES[number % len(CLASSES)]} if number % 3 else None
            blob, split = self._blobs[number * 7919 % len(self._blobs)], ("train", "val", "pool")[number % 3]
            changes.append(SampleChange(f"{number % 97:02d}/{number:08d}.png", blob=blob, split=split, label=label))
        self.samples += count
        started = time.perf_counter()
        commit(self._dataset, ChangeSet(changes), author=self._author)
        return time.perf_counter() - started


def blobs() -> list[Any]:
    """Rows of images that nobody will read."""
    from blobs.refs import BlobRef
    from blobs.services import rows_for

    refs = []
    for number in range(BLOBS):
        data = number.to_bytes(8)
        digest = md5(data, usedforsecurity=False).hexdigest()
        pack = sha256(b"pack").hexdigest()
        refs.append(BlobRef(digest, sha256(data).hexdigest(), 8, f"packs/{pack[:2]}/{pack}", 8 * number))
    facts = {"media_type": "image/png", "width": 28, "height": 28}
    found = rows_for((ref, facts) for ref in refs)
    return [found[ref.md5] for ref in refs]


def _ask(dataset: Any, author: Any, *, size: int) -> dict[str, list[float]]:
    """Seconds of each question, asked several times through the API, each time about something else."""
    from rest_framework.test import APIClient

    client = APIClient()
    client.force_authenticate(author)
    numbers = np.random.default_rng(0)
    head = dataset.head.number
    samples = f"/datasets/{dataset.pk}/versions/{head}/samples"
    labelled = size // 30

    def get(address: str) -> Any:
        answer = client.get(address)
        if answer.status_code != 200:
            raise SystemExit(f"{address} answered {answer.status_code}: {answer.content[:500]!r}")
        return answer.json()

    def following() -> str:
        page = get(f"{samples}?limit=100&offset={numbers.integers(size - 300)}")
        return str(page["next"].removeprefix("http://testserver"))

    def asked(count: int, address: Callable[[], str]) -> list[float]:
        taken = []
        for wanted in [address() for _ in range(count + 1)]:
            started = time.perf_counter()
            get(wanted)
            taken.append(time.perf_counter() - started)
        return taken[1:]  # the first pays for what is loaded once

    diff = f"/datasets/{dataset.pk}/diff"
    return {
        "grid, any offset": asked(ASKED, lambda: f"{samples}?limit=100&offset={numbers.integers(size)}"),
        "grid, next page": asked(ASKED, following),
        "grid of one class, any offset": asked(
            ASKED,
            lambda: f"{samples}?limit=100&label={CLASSES[numbers.integers(10)]}&offset={numbers.integers(labelled)}",
        ),
        "facets": asked(ASKED, lambda: f"/datasets/{dataset.pk}/versions/{head}/facets"),
        "one sample by key": asked(ASKED, lambda: f"/datasets/{dataset.pk}/samples/{_key(numbers, size)}"),
        "diff of neighbours": asked(DIFFED, lambda: f"{diff}?from={head - 1}&to={head}"),
        "diff of neighbours, a page": asked(DIFFED, lambda: f"{diff}/added?from={head - 1}&to={head}&limit=100"),
    }


def _key(numbers: np.random.Generator, size: int) -> str:
    number = int(numbers.integers(size))
    return f"{number % 97:02d}/{number:08d}.png"


@contextmanager
def postgres(server: str) -> Iterator[str]:
    """The address of an empty database on a PostgreSQL server, dropped at the end."""
    import psycopg

    name = f"bench_{os.getpid()}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield f"{server}/{name}"
        finally:
            from django.db import connections

            connections.close_all()
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
