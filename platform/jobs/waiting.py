"""Where a waiting job stands: its place, what is before it, and when it will probably start.

The line is played forward: slots come free as measured paces say, and each takes what `jobs.turns` would give it then.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Count, Sum
from django.db.models.functions import Now
from django.utils import timezone

from accounts.rights import is_member
from jobs import turns
from jobs.models import Beat, Job, Shard
from jobs.paces import Paces
from jobs.turns import Line

ELSEWHERE = "work of another project"
SHOWN = 5
MOST_STARTS = 2000
"""Shards that are played forward at most; what starts later than that is not foretold."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job's place among those that wait for the same slots (1: next), the jobs before it, the seconds until it
    probably starts, or why that is unknown."""

    place: int
    ahead: Sequence[Job]
    seconds: float | None
    note: str | None

    def document(self) -> dict[str, Any]:
        """As the API shows it; of jobs in projects that the asker may not see it tells neither id nor title."""
        known = [(job, is_member(job.project_id)) for job in self.ahead]
        ahead = [{"id": job.pk if here else None, "title": job.title if here else ELSEWHERE} for job, here in known]
        return {"place": self.place, "ahead": ahead, "starts_in": self.seconds, "note": self.note}


def waiting(jobs: Iterable[Job], *, unable: Mapping[int, str]) -> dict[int, Waiting]:
    """Map those of the jobs that wait for a slot to where they stand. `unable` says why no living worker can do a job:
    when such a one starts nobody knows."""
    idle = _idle([job.pk for job in jobs if job.is_open and not job.cancel_requested])
    found: dict[int, Waiting] = {}
    for line in {turns.line_of(kind, on_gpus=on_gpus) for kind, on_gpus in idle.values()}:
        mine = {pk for pk, (kind, on_gpus) in idle.items() if turns.line_of(kind, on_gpus=on_gpus) == line}
        found |= _told(line, mine, unable)
    return found


def _idle(jobs: Sequence[int]) -> dict[int, tuple[str, bool]]:
    """Map those of the jobs that have a claimable shard, and none that runs, to their kind and whether they wait for
    GPUs."""
    if not jobs:
        return {}
    rows = Shard.objects.claimable().filter(job__in=jobs).order_by().values_list("job", "job__kind", "need_gpus")
    found = {job: (kind, gpus > 0) for job, kind, gpus in rows.distinct()}
    held = Shard.objects.filter(job__in=found, state=Shard.State.RUNNING, lease_until__gte=Now())
    busy = set(held.values_list("job", flat=True))
    return {job: facts for job, facts in found.items() if job not in busy}


def _told(line: Line, wanted: set[int], unable: Mapping[int, str]) -> dict[int, Waiting]:
    order = turns.in_turn(line.shards)
    places = {job.pk: number for number, job in enumerate(order)}
    shown = {pk for job in wanted if job in places for pk in _before(order, places[job])}
    ahead = Job.objects.only("title", "project_id").in_bulk(shown)
    play = _Play(line, order)
    play.run()
    found = {}
    for pk in wanted & places.keys():
        note = f"{unable[pk]}: start a worker that can take it" if pk in unable else play.note
        seconds = None if pk in unable else play.starts.get(pk)
        before = [ahead[one] for one in _before(order, places[pk]) if one in ahead]
        found[pk] = Waiting(places[pk] + 1, before, seconds, note if seconds is None else None)
    return found


def _before(order: Sequence[Job], place: int) -> list[int]:
    """The ids of the jobs right before a place."""
    return [job.pk for job in order[max(0, place - SHOWN) : place]]


@dataclass(slots=True)
class _Left:
    """What a job has left to claim: shards, and the seconds that each will take (None: nobody knows)."""

    job: Job
    shards: int
    seconds: float | None


class _Play:
    """One line, played forward from now: `starts` in seconds by job, and a `note` on why others have none."""

    def __init__(self, line: Line, order: Sequence[Job]) -> None:
        self._now, self._line, self._order = timezone.now(), line, order
        self._use, self._running = turns.use_of(), turns.use_of(line).running
        self._beats: list[Beat] = []
        self._slots = self._idle = self._started = 0
        self._yielding = 0  # shards that run and give way
        self._ends: list[tuple[float, int, int | None, bool]] = []  # seconds, number, project, whether it gives way
        self.starts: dict[int, float] = {}
        self.note: str | None = None

    def run(self) -> None:
        """Play until every job has started, or nobody knows what happens next."""
        held = self._held()
        paces = Paces([*self._order, *(shard.job for shard in held)])
        left = {row.job.pk: row for row in self._left(paces)}
        self._slots = self._seat(held, paces)
        at = 0.0
        for _ in range(MOST_STARTS):
            while self._idle and (row := self._next(left.values(), at)) is not None:
                self._start(row, at)
                if not row.shards:
                    del left[row.job.pk]
            if len(self.starts) == len(self._order) or not self._ends:
                break
            at, _number, project, gave_way = heapq.heappop(self._ends)
            self._running[project] -= 1
            self._yielding -= gave_way
            self._idle += 1
        self.note = self.note or "too much work is before it"

    def _held(self) -> list[Shard]:
        """The shards that hold slots of the workers of this line, whatever line they are of."""
        self._beats = [beat for beat in Beat.objects.living() if self._line.queue in beat.queues]
        rows = Shard.objects.filter(state=Shard.State.RUNNING, lease_until__gte=Now())
        rows = rows.filter(worker__in=[beat.name for beat in self._beats])
        return list(rows.select_related("job").defer("params", "result", "job__params", "job__result"))

    def _seat(self, held: Sequence[Shard], paces: Paces) -> int:
        """Note when the slots of the line come free; returns how many there are."""
        slots = sum(len(beat.processes) for beat in self._beats)
        if not slots:
            self.note = f"no worker listens to queue {self._line.queue}: start one"
        self._idle = max(0, slots - len(held))
        for shard in held:
            self._yielding += turns.gives_way(shard.job.kind)
            self._occupy(shard.job, paces.left(shard, self._now), 0.0)
        return slots

    def _left(self, paces: Paces) -> Iterable[_Left]:
        shards = self._line.shards.claimable().filter(job__in=[job.pk for job in self._order]).order_by()
        rows = shards.values_list("job").annotate(count=Count("pk"), units=Sum("units"))
        sums = {job: (count, units / count) for job, count, units in rows}
        for job in self._order:
            if job.pk in sums:
                count, units = sums[job.pk]
                yield _Left(job, count, paces.seconds(job, units))

    def _next(self, rows: Iterable[_Left], at: float) -> _Left | None:
        then = self._now + timedelta(seconds=at)
        allowed = [row for row in rows if self._may(row.job)]
        return min(allowed, key=lambda row: turns.turn(row.job, self._use, then), default=None)

    def _may(self, job: Job) -> bool:
        """Whether a job may hold one more slot: as `turns.take` decides."""
        if turns.gives_way(job.kind) and self._yielding >= max(1, self._slots - 1):
            return False
        most = self._use.quota(job.project_id).slots
        return most is None or self._running[job.project_id] < most

    def _start(self, row: _Left, at: float) -> None:
        job = row.job
        self.starts.setdefault(job.pk, at)
        self._idle -= 1
        row.shards -= 1
        job.served = self._now + timedelta(seconds=at)
        self._running[job.project_id] += 1
        self._yielding += turns.gives_way(job.kind)
        self._use.seconds[job.project_id] = self._use.seconds.get(job.project_id, 0.0) + (row.seconds or 0.0)
        self._occupy(job, row.seconds, at)

    def _occupy(self, job: Job, seconds: float | None, at: float) -> None:
        """A slot is held for so long; one of which nobody knows is not counted on."""
        if seconds is None:
            self.note = f"no job of kind {job.kind} has ended here lately, so its time is unknown"
            return
        self._started += 1  # two that end at once are told apart
        heapq.heappush(self._ends, (at + seconds, self._started, job.project_id, turns.gives_way(job.kind)))
