"""`python -m bench.rehearsal.simulated CONFIG.json`: many workers in one process, by real time.

A worker does to the rows and the broker what one of the platform does: it takes a message, claims by `jobs.turns.take`,
renews its lease, completes inside the fence, hands its slot on. Only the work is missing: in its place the worker waits
for the `seconds` of the shard's parameters, `clock` times faster than a real one would. Events of all workers are one
heap by time; nothing runs beside them, so that two processes are as many as two cores carry.
"""

import heapq
import itertools
import json
import os
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

MACHINE = 8
"""Workers that share a machine, and its sign of life."""
IDLE_SECONDS = 0.02
TOLD_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Faults:
    """How often what goes wrong, of claims or of messages; and how long, in real seconds of the simulated world."""

    killed: float = 0.01
    frozen: float = 0.005
    slow: float = 0.02
    lost: float = 0.01
    doubled: float = 0.01
    slower: float = 5.0
    restart_seconds: float = 60.0
    skew_seconds: float = 3600.0


@dataclass(frozen=True, slots=True)
class Config:
    """Of one process. A shard takes its seconds within `spread` (a share) of them; a worker's first one waits `start`
    seconds more, until its program runs as fast as it will."""

    seed: int
    workers: int
    first: int
    start: float
    spread: float
    clock: float
    queue: str
    faults: Faults | None


@dataclass(slots=True)
class Told:
    """What happened in this process."""

    counts: Counter[str] = field(default_factory=Counter)
    busy: float = 0.0
    claims: list[float] = field(default_factory=list)
    late: float = 0.0


@dataclass(slots=True)
class Worker:
    """One slot: how far its clock is off, the message and the claim it holds, when it began and will end, the seconds
    between two renewals, and whether its program runs."""

    name: str
    owner: str
    skew: timedelta
    message: Any = None
    held: Any = None
    began: float = 0.0
    ends: float = 0.0
    renews: float = 0.0
    warm: bool = False


class Simulation:
    """Of the workers of one process, until the job has ended."""

    def __init__(self, config: Config, job: int) -> None:
        from kombu import Connection

        from config.celery import app

        self._config, self._job, self._dice = config, job, random.Random(config.seed)
        self._order, self._events = itertools.count(), list[tuple[float, int, Callable[..., None], tuple[Any, ...]]]()
        self._free: deque[Worker] = deque()
        self.told = Told()
        self._connection = Connection(app.conf.broker_url)
        self._channel: Any = self._connection.channel()
        app.amqp.queues[config.queue].bind(self._channel).declare()
        for number in range(config.first, config.first + config.workers):
            machine = f"rehearsed-{number // MACHINE}"
            skew = timedelta(seconds=self._dice.uniform(-1, 1) * (config.faults.skew_seconds if config.faults else 0))
            self._free.append(Worker(f"compute@{machine}", f"{machine}:{number}", skew))

    def run(self) -> None:
        """Until the job is no longer open."""
        from jobs.models import Job

        self._at(time.monotonic(), self._beats)
        looked = told = 0.0
        while True:
            now = time.monotonic()
            if self._events and self._events[0][0] <= now:
                due, _, what, about = heapq.heappop(self._events)
                self.told.late = max(self.told.late, now - due)
                what(*about)
            elif not (self._free and self._hears()):
                time.sleep(min(IDLE_SECONDS, max(0.0, self._events[0][0] - now)))
            if now - looked > TOLD_SECONDS:
                looked = now
                if not Job.objects.filter(pk=self._job, state__in=Job.OPEN).exists():
                    return
            if now - told > TOLD_SECONDS:
                told = now
                print(json.dumps({"event": "progress", **self.told.counts}), flush=True)

    def _at(self, when: float, what: Callable[..., None], *about: Any) -> None:
        heapq.heappush(self._events, (when, next(self._order), what, about))

    def _hears(self) -> bool:
        """A message, if there is one, for the worker that has been free longest."""
        message = self._channel.basic_get(self._config.queue)
        if message is None:
            return False
        faults = self._config.faults
        self.told.counts["messages"] += 1
        if faults and self._dice.random() < faults.lost:
            self.told.counts["messages_lost"] += 1
            self._channel.basic_ack(message.delivery_tag)
            return True
        if faults and self._dice.random() < faults.doubled:
            from jobs.models import Job
            from jobs.tasks import send_wakeups

            self.told.counts["messages_doubled"] += 1
            send_wakeups(Job.objects.get(pk=self._job), 1, on_gpus=False)
        self._claims(self._free.popleft(), message)
        return True

    def _claims(self, worker: Worker, message: Any) -> None:
        from jobs import turns

        began = time.monotonic()
        with _clock_of(worker):
            held = turns.take(self._job, owner=worker.owner, worker=worker.name)
        now = time.monotonic()
        if held is None:
            self._channel.basic_ack(message.delivery_tag)
            self._free.append(worker)
            self.told.counts["messages_for_nothing"] += 1
            return
        self.told.claims.append(now - began)
        self.told.counts["claims"] += 1
        worker.message, worker.held, worker.began = message, held, began
        self._fate(worker, began)

    def _fate(self, worker: Worker, now: float) -> None:
        """What will become of the claim is decided when it begins; rows count a shard's seconds from there too."""
        config, faults, held = self._config, self._config.faults, worker.held
        seconds = held.shard.params["seconds"] * self._dice.uniform(1 - config.spread, 1 + config.spread)
        if not worker.warm:
            worker.warm, seconds = True, seconds + config.start
        fate = self._dice.random() if faults else 1.0
        if faults and fate < faults.killed:
            self._at(now + seconds * self._dice.random() / config.clock, self._dies, worker, held)
        elif faults and fate < faults.killed + faults.frozen:
            worker.ends = now + seconds / config.clock
            self._at(worker.ends + 2 * _lease_seconds(), self._completes, worker, held)
            self.told.counts["frozen"] += 1
            return
        elif faults and fate < faults.killed + faults.frozen + faults.slow:
            seconds *= faults.slower
            self.told.counts["slow"] += 1
        worker.ends = now + seconds / config.clock
        self._at(worker.ends, self._completes, worker, held)
        worker.renews = _report_seconds(self._job)
        self._at(now + worker.renews, self._renews, worker, held)

    def _dies(self, worker: Worker, held: Any) -> None:
        """kill -9: nothing is said to anybody; the broker has the message again when the connection is gone."""
        if worker.held is not held:  # it lost its lease before
            return
        self.told.counts["killed"] += 1
        self._channel.basic_reject(worker.message.delivery_tag, requeue=True)
        worker.held, worker.message, worker.warm = None, None, False
        rest = self._config.faults.restart_seconds if self._config.faults else 0.0
        self._at(time.monotonic() + rest / self._config.clock, self._free.append, worker)

    def _renews(self, worker: Worker, held: Any) -> None:
        from jobs import services

        if worker.held is not held or time.monotonic() >= worker.ends:
            return
        share = min(1.0, (time.monotonic() - worker.began) / (worker.ends - worker.began))
        with _clock_of(worker):
            status = services.renew(held, done=int(share * held.shard.units))
        self.told.counts["renewals"] += 1
        if status is services.LeaseStatus.HELD:
            self._at(time.monotonic() + worker.renews, self._renews, worker, held)
            return
        self.told.counts["leases_lost"] += 1
        self._rests(worker)

    def _completes(self, worker: Worker, held: Any) -> None:
        from jobs import services, tasks, turns

        if worker.held is not held:  # it died, or has lost its lease
            return
        with _clock_of(worker):
            counted = services.complete(held, {"scored": held.shard.units}, apply=lambda: _count(held))
            turns.used(held.shard.job.project_id, time.monotonic() - worker.began)
            if counted:
                self.told.counts["completed"] += 1
                self.told.busy += worker.ends - worker.began
            else:
                self.told.counts["late_results_refused"] += 1
            tasks.hand_on(held.shard.job, on_gpus=False)
        self._rests(worker)

    def _rests(self, worker: Worker) -> None:
        self._channel.basic_ack(worker.message.delivery_tag)
        worker.held = worker.message = None
        self._free.append(worker)

    def _beats(self) -> None:
        """The signs of life of all machines of this process, as each would write its own."""
        from django.conf import settings
        from django.db.models.functions import Now

        from jobs.models import Beat

        last = self._config.first + self._config.workers
        for begin in range(self._config.first, last, MACHINE):
            machine, slots = begin // MACHINE, range(min(MACHINE, last - begin))
            facts = {"host": f"rehearsed-{machine}", "queues": ["compute"],
                     "processes": [{"pid": one, "rss": None, "since": None} for one in slots]}  # fmt: skip
            row = Beat(name=f"compute@rehearsed-{machine}", seen=Now(), **facts)
            changed = [*facts, "seen"]
            Beat.objects.bulk_create([row], update_conflicts=True, unique_fields=["name"], update_fields=changed)
        self._at(time.monotonic() + settings.WORKER_BEAT_SECONDS, self._beats)


@contextmanager
def _clock_of(worker: Worker) -> Iterator[None]:
    """Meanwhile this process's clock is as wrong as the worker's: no decision may depend on it."""
    from django.utils import timezone

    now = timezone.now
    timezone.now = lambda: now() + worker.skew
    try:
        yield
    finally:
        timezone.now = now


def _lease_seconds() -> float:
    from django.conf import settings

    return float(settings.JOB_LEASE_SECONDS)


def _report_seconds(job: int) -> float:
    from jobs import context, services

    return context.report_seconds(services.running_count(job))


def _count(held: Any) -> None:
    """Where the rehearsal counts shards itself, inside the fence's transaction: twice would be seen."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rehearsed (job, shard, token, units) VALUES (%s, %s, %s, %s)",
            [held.shard.job_id, held.shard.index, held.token, held.shard.units],
        )


def main() -> int:
    """Needs the environment of a platform."""
    import django

    django.setup()
    document = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    faults, job = document.pop("faults"), document.pop("job")
    simulation = Simulation(Config(**document, faults=Faults(**faults) if faults else None), job)
    simulation.run()
    told, times = simulation.told, os.times()
    print(json.dumps({
        "event": "result", "counts": dict(told.counts), "busy": told.busy, "claims": told.claims, "late": told.late,
        "cpu": times.user + times.system,
    }))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
