"""Where a waiting job stands: its place, what is before it, and when it will probably start.

The line is played forward: slots come free as measured paces say, and each takes what `jobs.turns` would give it then.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, product
from typing import Any, NamedTuple

from django.db.models import Count, Sum
from django.db.models.functions import Now
from django.utils import timezone

from accounts.rights import is_member
from core.list_parameters import listed
from jobs import turns
from jobs.models import Beat, Job, Shard
from jobs.paces import Paces
from jobs.turns import Line, Use

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
    use = turns.use_of(line)
    order = turns.in_turn(line.shards, use)
    places = {job.pk: number for number, job in enumerate(order)}
    if not wanted & places.keys():
        return {}
    shown = {pk for job in wanted if job in places for pk in _before(order, places[job])}
    ahead = Job.objects.only("title", "project_id").in_bulk(shown)
    play = _Play(line, order, use)
    play.run(wanted & places.keys())
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
    """What a job has left to claim: shards, and the seconds that each will take (None: nobody knows). `entry` numbers
    its newest entry in a `_Contest`; 0: it has none."""

    job: Job
    shards: int
    seconds: float | None
    entry: int = 0


class _Group(NamedTuple):
    """Jobs among which the order changes only when a shard of one is claimed."""

    gives_way: bool
    defers: bool
    project: int | None


class _Contest:
    """What is left to claim, in the order of `turns.turn`. The next one is found without looking at all of them: each
    group is a heap, and so are the first ones of the groups. Entries that something has changed since are left in the
    heaps until they come to the top."""

    def __init__(self, rows: Iterable[_Left], use: Use, now: datetime) -> None:
        self._use, self._entries = use, count(1)
        self._groups: defaultdict[_Group, list[tuple[Any, ...]]] = defaultdict(list)
        self._firsts: tuple[list[tuple[Any, ...]], ...] = ([], [])  # of jobs that don't give way, of those that do
        self._deferring: list[tuple[datetime, int, _Left]] = []  # by how long they have waited
        for row in rows:
            self._add(row, now)
        for group in list(self._groups):
            self._compare(group)

    def next(self, now: datetime, may: Callable[[int | None], bool], *, giving_way: bool) -> _Left | None:
        """Remove and return the row that is served next; None if there is none. `may` says whether a project may have
        one more slot, `giving_way` whether work that gives way may."""
        self._end_patience(now)
        tops = [top for firsts in self._firsts[: 1 + giving_way] if (top := self._top(firsts, may)) is not None]
        if not tops:
            return None
        _turn, group = min(tops)
        found: _Left = heapq.heappop(self._groups[group])[-1]
        found.entry = 0
        return found

    def put_back(self, row: _Left, now: datetime) -> None:
        """Add what is left of a row of which a shard was started, and compare its project with the others anew."""
        if row.shards:
            self._add(row, now)
        for gives_way, defers in product((False, True), repeat=2):
            self._compare(_Group(gives_way, defers, row.job.project_id))

    def _add(self, row: _Left, now: datetime) -> _Group:
        job, row.entry = row.job, next(self._entries)
        group = _Group(turns.gives_way(job.kind), turns.defers(job, now), job.project_id)
        heapq.heappush(self._groups[group], (*turns.turn_in_project(job), row.entry, row))
        if group.defers:
            heapq.heappush(self._deferring, (job.served or job.created, row.entry, row))
        return group

    def _compare(self, group: _Group) -> None:
        if (turn := self._turn(group)) is not None:
            heapq.heappush(self._firsts[group.gives_way], (turn, group))

    def _turn(self, group: _Group) -> tuple[Any, ...] | None:
        """The `turns.turn` of the first row of a group."""
        rows = self._groups.get(group, [])
        while rows and rows[0][-2] != rows[0][-1].entry:
            heapq.heappop(rows)
        return (group.defers, self._use.burden(group.project), *rows[0][:-2]) if rows else None

    def _top(self, firsts: list[tuple[Any, ...]], may: Callable[[int | None], bool]) -> tuple[Any, ...] | None:
        """The first of the groups whose project may have a slot."""
        refused, top = list[tuple[Any, ...]](), None
        while firsts and top is None:
            turn, group = firsts[0]
            if turn != self._turn(group):
                heapq.heappop(firsts)
                self._compare(group)
            elif may(group.project):
                top = firsts[0]
            else:
                refused.append(heapq.heappop(firsts))
        for first in refused:
            heapq.heappush(firsts, first)
        return top

    def _end_patience(self, now: datetime) -> None:
        """Let those that have waited for long enough no longer defer."""
        while self._deferring:
            _since, entry, row = self._deferring[0]
            if entry == row.entry and turns.defers(row.job, now):
                break
            heapq.heappop(self._deferring)
            if entry == row.entry:
                self._compare(self._add(row, now))


class _Play:
    """One line, played forward from now: `starts` in seconds by job, and a `note` on why others have none."""

    def __init__(self, line: Line, order: Sequence[Job], use: Use) -> None:
        self._now, self._line, self._order = timezone.now(), line, order
        self._use, self._running = use, use.running
        self._beats: list[Beat] = []
        self._slots = self._idle = self._started = 0
        self._yielding = 0  # shards that run and give way
        self._ends: list[tuple[float, int, int | None, bool]] = []  # seconds, number, project, whether it gives way
        self.starts: dict[int, float] = {}
        self.note: str | None = None

    def run(self, wanted: Collection[int]) -> None:
        """Play until the wanted jobs have started, or nobody knows what happens next."""
        held = self._held()
        if not self._slots:
            self.note = f"no worker listens to queue {self._line.queue}: start one"
            return
        paces = Paces([*self._order, *(shard.job for shard in held)])
        contest = _Contest(self._left(paces), self._use, self._now)
        self._seat(held, paces)
        at = 0.0
        for _ in range(MOST_STARTS):
            while self._idle and (row := self._next(contest, at)) is not None:
                self._start(row, at)
                contest.put_back(row, self._then(at))
            if all(pk in self.starts for pk in wanted) or not self._ends:
                break
            at, _number, project, gave_way = heapq.heappop(self._ends)
            self._running[project] -= 1
            self._yielding -= gave_way
            self._idle += 1
        self.note = self.note or "too much work is before it"

    def _held(self) -> list[Shard]:
        """The shards that hold slots of the workers of this line, whatever line they are of; also counts these
        slots."""
        self._beats = [beat for beat in Beat.objects.living() if self._line.queue in beat.queues]
        self._slots = sum(len(beat.processes) for beat in self._beats)
        rows = Shard.objects.filter(state=Shard.State.RUNNING, lease_until__gte=Now())
        rows = rows.filter(worker__in=[beat.name for beat in self._beats])
        return list(rows.select_related("job").defer("params", "result", "job__params", "job__result"))

    def _seat(self, held: Sequence[Shard], paces: Paces) -> None:
        """Note when the slots of the line come free."""
        self._idle = max(0, self._slots - len(held))
        for shard in held:
            self._yielding += turns.gives_way(shard.job.kind)
            self._occupy(shard.job, paces.left(shard, self._now), 0.0)

    def _left(self, paces: Paces) -> Iterable[_Left]:
        shards = self._line.shards.claimable().filter(job__in=listed([job.pk for job in self._order])).order_by()
        rows = shards.values_list("job").annotate(count=Count("pk"), units=Sum("units"))
        sums = {job: (count, units / count) for job, count, units in rows}
        for job in self._order:
            if job.pk in sums:
                count, units = sums[job.pk]
                yield _Left(job, count, paces.seconds(job, units))

    def _next(self, contest: _Contest, at: float) -> _Left | None:
        """As `turns.take` decides: one slot at least is left to work that doesn't give way."""
        return contest.next(self._then(at), self._may, giving_way=self._yielding < max(1, self._slots - 1))

    def _may(self, project: int | None) -> bool:
        most = self._use.quota(project).slots
        return most is None or self._running[project] < most

    def _then(self, at: float) -> datetime:
        return self._now + timedelta(seconds=at)

    def _start(self, row: _Left, at: float) -> None:
        job = row.job
        self.starts.setdefault(job.pk, at)
        self._idle -= 1
        row.shards -= 1
        job.served = self._then(at)
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
