"""Users of another project who read and write, health checks, small edits of the large dataset; and who looks which
jobs run and when the last sweep was."""

import random
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import httpx

from bench.beside.filling import key
from bench.beside.places import Place
from bench.beside.stock import CLASSES, LARGE, SMALL, SMALL_SAMPLES, Stock

READ, WRITE, HEALTH, EDIT = "read of another project", "write of another project", "/health/live", "small edit"
KINDS = (READ, WRITE, HEALTH, EDIT)
PAUSE = (0.5, 1.5)  # seconds between two requests of a user
WRITES = 0.2  # the share of writes among the requests of a user
HEALTH_PAUSE = 0.25
EDITS, EDIT_PAUSE = 18, 2.0
LOOK_PAUSE = 1.0
SWEEP = "jobs.sweep"
SWEEP_AGE = re.compile(r'^motherlode_scheduled_task_age_seconds\{task="([^"]+)"\} (\S+)$', re.M)


@dataclass(slots=True)
class Asked:
    """Seconds of the answers by kind, and their statuses or codes."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


@dataclass(slots=True)
class Seen:
    """By each look: the number of jobs of a kind that ran at once; the seconds since the last sweep of the jobs."""

    running: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    sweep_ages: list[float] = field(default_factory=list)


class Crowd:
    """Asks until it is closed."""

    def __init__(self, place: Place, stock: Stock) -> None:
        self._place, self._stock = place, stock
        self._stop, self.asked, self.seen, self.seconds = threading.Event(), Asked(), Seen(), 0.0
        works: list[Callable[[], None]] = [self._health, self._edits, self._look]
        works += [lambda number=number: self._user(number) for number in range(len(stock.users))]  # type: ignore[misc]
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.seconds = time.monotonic() - self._began
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, client: httpx.Client, kind: str, method: str, path: str, body: Any = None) -> None:
        began = time.monotonic()
        try:
            answer = client.request(method, path, json=body)
            outcome = "ok" if answer.is_success else f"{answer.status_code} {answer.json().get('code', '')}"
        except (httpx.HTTPError, ValueError) as fault:
            outcome = type(fault).__name__
        self.asked.seconds[kind].append(time.monotonic() - began)
        self.asked.outcomes[kind][outcome] += 1

    def _user(self, number: int) -> None:
        rng = random.Random(number)
        with self._place.client(self._stock.users[number]) as client:
            while not self._stop.wait(rng.uniform(*PAUSE)):
                if rng.random() < WRITES:
                    line = {"key": key(rng.randrange(SMALL_SAMPLES)), "label": {"class": rng.choice(CLASSES)}}
                    self._ask(client, WRITE, "POST", f"/datasets/{SMALL}", {"samples": [line]})
                else:
                    at = rng.randrange(SMALL_SAMPLES - 50)
                    self._ask(client, READ, "GET", f"/datasets/{SMALL}/versions/head/samples?limit=50&offset={at}")

    def _health(self) -> None:
        with self._place.client() as client:
            while not self._stop.wait(HEALTH_PAUSE):
                self._ask(client, HEALTH, "GET", "/health/live")

    def _look(self) -> None:
        """Look as often as it costs little; what the looks themselves take is no figure of anybody."""
        with self._place.client() as client:
            while not self._stop.wait(LOOK_PAUSE):
                with suppress(httpx.HTTPError, ValueError):
                    jobs = client.get("/jobs?state=running&limit=100").json()["results"]
                    for kind, count in Counter(str(job["kind"]) for job in jobs).items():
                        self.seen.running[kind].append(count)
                    ages = dict(SWEEP_AGE.findall(client.get("/metrics?scope=platform").text))
                    self.seen.sweep_ages.append(float(ages[SWEEP]))

    def _edits(self) -> None:
        """Eighteen people at once would be as many connections; here each asks when the one before has its answer."""
        rng = random.Random(0)
        with self._place.client() as client:
            for _ in range(EDITS):
                if self._stop.wait(EDIT_PAUSE):
                    return
                line = {"key": key(rng.randrange(self._stock.samples)), "meta": {"seen": rng.random()}}
                self._ask(client, EDIT, "POST", f"/datasets/{LARGE}", {"samples": [line]})
