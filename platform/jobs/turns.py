"""Whose shard a free slot runs next: what somebody waits for before what gives way, fair shares between projects,
turns within one.

A wake-up only says that a slot of some queue has come free. Work of a lane that gives way gets it when nothing else
waits there, or when it has waited for PATIENCE seconds itself. Among the rest it goes to the project that was given the
least time lately for its share; there to the jobs of the highest priority, each in its turn, one shard at a time. A
project's time is how long its shards held slots, halved every HALF_LIFE seconds, and how long those that run have held
theirs so far.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Project
from jobs import services
from jobs.handlers import handler_for
from jobs.lanes import CLOCK, GPU_QUEUE
from jobs.models import Beat, Job, Quota, Shard, ShardQuerySet
from jobs.needs import NO_ROOM, Capacity
from jobs.services import Claim, Claimant

HALF_LIFE = 900.0
"""Seconds after which used slot time counts half."""
PATIENCE = 900.0
"""Seconds without a slot after which work that gives way is served like any other: never is not later."""
UNTOUCHED = Quota()


@dataclass(frozen=True, slots=True)
class Use:
    """What projects use: shards that hold a slot of the line asked for, and seconds that count against their share. The
    key None is the platform's own work."""

    running: Counter[int | None] = field(default_factory=Counter)
    seconds: dict[int | None, float] = field(default_factory=dict)
    quotas: dict[int | None, Quota] = field(default_factory=dict)

    def quota(self, project: int | None) -> Quota:
        """The project's quota; the default one if none was set."""
        return self.quotas.get(project, UNTOUCHED)

    def burden(self, project: int | None) -> float:
        """Seconds for each part of the project's share: the least is served first."""
        return self.seconds.get(project, 0.0) / self.quota(project).share


@dataclass(frozen=True, slots=True)
class Line:
    """What a free slot chooses from: shards of these kinds of jobs that need GPUs, or those that need none."""

    kinds: frozenset[str]
    on_gpus: bool = False
    queue: str = ""

    @property
    def shards(self) -> ShardQuerySet:
        return Shard.objects.on_gpus(self.on_gpus).filter(job__kind__in=self.kinds)


def line_of(kind: str, *, on_gpus: bool) -> Line:
    """The line in which a shard of this kind of job waits. All that need GPUs wait in one line, whatever their kind,
    without those that need none: these would hold a worker that is there for its GPUs."""
    queue = queue_of(kind, on_gpus=on_gpus)
    return Line(everything() if on_gpus else of_queue(queue), on_gpus, queue)


def take(
    job_id: int, *, owner: str, worker: str = "", on_gpus: bool = False, among: frozenset[str] | None = None
) -> Claim | None:
    """Claim the shard whose turn it is in this job's line; None if there is none. `owner` is the process that claims,
    `worker` the name of its heartbeat: without one it gets shards that need nothing. `among` names the kinds of jobs
    that may be taken up now; None: all.

    A shard that fits this worker only when it holds less than now reserves what becomes free: no other shard with needs
    goes before it, or a large one would wait forever behind small ones.
    """
    line = line_of(Job.objects.values_list("kind", flat=True).get(pk=job_id), on_gpus=on_gpus)
    has, kept = capacity_of(worker), False
    served = line if among is None else replace(line, kinds=line.kinds & among)
    for job in in_turn(served.shards.within(has)):
        held, waits_for_room = _claim(job, line, Claimant(owner, worker, NO_ROOM if kept else has))
        if held is not None:
            return held
        kept = kept or waits_for_room
    return None


def in_turn(shards: ShardQuerySet, use: Use | None = None) -> list[Job]:
    """The open jobs that have a claimable shard among these, in the order in which they are served. `use` is what
    `use_of` returned a moment ago; None: it is asked."""
    names = ("kind", "project_id", "priority", "served", "created")
    waiting = list(waits(Job.objects.all(), shards).only(*names))
    if len(waiting) < 2:
        return waiting
    used_by, now = use or use_of(), timezone.now()
    return sorted(waiting, key=lambda job: turn(job, used_by, now))


def turn(job: Job, use: Use, now: datetime) -> tuple[Any, ...]:
    """The key by which waiting jobs are sorted: the least is served first."""
    return (defers(job, now), use.burden(job.project_id), *turn_in_project(job))


def turn_in_project(job: Job) -> tuple[Any, ...]:
    """The part of `turn` that only a claim of a shard of this job changes."""
    return (-job.priority, job.served is not None, job.served or job.created, job.pk)


def defers(job: Job, now: datetime) -> bool:
    """Whether this job lets all others go first: its lane gives way, and it has not waited for PATIENCE seconds."""
    return gives_way(job.kind) and _seconds(job.served or job.created, now) < PATIENCE


def waits(jobs: "QuerySet[Job]", shards: ShardQuerySet | None = None) -> "QuerySet[Job]":
    """Filter `jobs` to open ones with a claimable shard: one of `shards`, or any."""
    rows = Shard.objects.all() if shards is None else shards
    return jobs.filter(Exists(rows.claimable().filter(job=OuterRef("pk"))), state__in=Job.OPEN)


def any_waiting(kind: str, *, on_gpus: bool) -> Job | None:
    """One of the jobs with a claimable shard in the line of this kind of job: a slot that is woken for it serves them
    all."""
    return waits(Job.objects.all(), line_of(kind, on_gpus=on_gpus).shards).order_by("pk").first()


def use_of(line: Line | None = None) -> Use:
    """What each project holds of the slots of this line, or of all, and the slot time that it used lately."""
    now, use = timezone.now(), Use()
    for quota in Quota.objects.all():
        use.quotas[quota.project_id] = quota
        use.seconds[quota.project_id] = quota.seconds * _left_of(quota.as_of, now)
    held = Shard.objects.filter(state=Shard.State.RUNNING, lease_until__gte=Now())
    for project, kind, gpus, started in held.values_list("job__project_id", "job__kind", "need_gpus", "started"):
        use.running[project] += line is None or (kind in line.kinds and (gpus > 0) == line.on_gpus)
        use.seconds[project] = use.seconds.get(project, 0.0) + _seconds(started or now, now)
    return use


@transaction.atomic
def used(project: int | None, seconds: float) -> None:
    """Add the time that a shard of a project held a slot; the platform's own work is not counted."""
    if project is None or not Project.objects.filter(pk=project).exists():
        return
    Quota.objects.get_or_create(project_id=project)
    row, now = Quota.objects.select_for_update().get(project_id=project), timezone.now()
    row.seconds, row.as_of = row.seconds * _left_of(row.as_of, now) + seconds, now
    row.save(update_fields=["seconds", "as_of"])


def queue_of(kind: str, *, on_gpus: bool) -> str:
    """The queue whose workers are woken for a shard of this kind of job; "" for a kind that no longer exists."""
    if on_gpus:
        return GPU_QUEUE
    return handler_for(kind).lane.queue if kind in settings.JOB_HANDLERS else ""


def queue_names() -> list[str]:
    """The names of all queues, also the one of the sweeps."""
    return sorted({CLOCK, GPU_QUEUE, *(handler_for(kind).lane.queue for kind in settings.JOB_HANDLERS)})


def of_queue(queue: str) -> frozenset[str]:
    """The kinds of jobs that this queue's workers run."""
    return frozenset(kind for kind in settings.JOB_HANDLERS if handler_for(kind).lane.queue == queue)


def everything() -> frozenset[str]:
    """All kinds of jobs."""
    return frozenset(settings.JOB_HANDLERS)


def capacity_of(worker: str) -> Capacity:
    """The capacity that a worker reports; none if it has not sent a heartbeat yet."""
    told = Beat.objects.filter(name=worker).values_list("has", flat=True).first() if worker else None
    return Capacity.of(told or {})


def _claim(job: Job, line: Line, by: Claimant) -> tuple[Claim | None, bool]:
    """Claim a shard of this job, unless its project is at its limit of slots, or its lane gives way and would take the
    line's last slot; also returns whether one waits for the claimant to hold less. The quota's row is locked meanwhile,
    so that two workers don't both take the last slot, and so are the heartbeats of the claimant's machine, so that no
    two shards are given the same GPU."""
    if gives_way(job.kind) and not leaves_a_slot(line):
        return None, False
    with transaction.atomic():
        quota = Quota.objects.select_for_update().filter(project=job.project_id, slots__isnull=False).first()
        if quota is not None and use_of(line).running[job.project_id] >= (quota.slots or 0):
            return None, False
        mine = line.shards.filter(job=job)
        needy = mine.claimable().needy().within(by.room).exists()
        left = replace(by, room=_left(by) if needy else Capacity(architecture=by.room.architecture))
        held = services.claim_of(mine, left)
        return held, held is None and needy


def leaves_a_slot(line: Line) -> bool:
    """Whether one more shard that gives way would leave a slot of this line to other work. The only slot may be taken.
    Two that ask at the same moment may both be let through: the next shard waits for it."""
    yielding = [kind for kind in line.kinds if gives_way(kind)]
    held = line.shards.filter(state=Shard.State.RUNNING, lease_until__gte=Now(), job__kind__in=yielding).count()
    return held < max(1, Beat.objects.slots(line.queue) - 1)


def gives_way(kind: str) -> bool:
    """Whether this kind of job is in a lane that gives way."""
    return kind in settings.JOB_HANDLERS and handler_for(kind).lane.gives_way


def _left(by: Claimant) -> Capacity:
    """The capacity that the claimant's worker has left besides the shards that it holds, without the GPUs that any
    worker of its machine has given away. The next caller waits until this transaction is over."""
    host = by.owner.partition(":")[0]
    list(Beat.objects.select_for_update().filter(host=host).order_by("pk").values_list("pk"))
    here = Shard.objects.filter(state=Shard.State.RUNNING, lease_until__gte=Now(), owner__startswith=f"{host}:")
    held = list(here.needy())
    devices = [device for shard in held for device in shard.gpus]
    return by.room.less([shard.needs for shard in held if shard.worker == by.worker], devices)


def _left_of(since: datetime, now: datetime) -> float:
    """The fraction of the time used until `since` that still counts."""
    return float(0.5 ** (_seconds(since, now) / HALF_LIFE))


def _seconds(since: datetime, now: datetime) -> float:
    """Seconds from `since` to `now`; 0 if a clock was set back."""
    return max(0.0, (now - since).total_seconds())
