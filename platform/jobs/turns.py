"""Whose shard a free slot runs next: fair shares between projects, turns within one.

A wake-up only says that a slot of some queue has come free. It goes to the project that was given the least time lately
for its share; there to the jobs of the highest priority, each in its turn, one shard at a time. A project's time is how
long its shards held slots, halved every HALF_LIFE seconds, and how long those that run have held theirs so far.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Project
from jobs import services
from jobs.handlers import handler_for
from jobs.models import Job, Quota, Shard
from jobs.services import Claim

HALF_LIFE = 900.0
"""Seconds after which time that was used counts half."""
UNTOUCHED = Quota()


@dataclass(frozen=True, slots=True)
class Use:
    """What projects have: shards that hold a slot of the queues asked for, and seconds that count against their share.
    None stands for the platform's own work."""

    running: Counter[int | None] = field(default_factory=Counter)
    seconds: dict[int | None, float] = field(default_factory=dict)
    quotas: dict[int | None, Quota] = field(default_factory=dict)

    def quota(self, project: int | None) -> Quota:
        """Its quota; that of one of which nothing was said."""
        return self.quotas.get(project, UNTOUCHED)

    def burden(self, project: int | None) -> float:
        """Seconds for each part of its share: the least goes first."""
        return self.seconds.get(project, 0.0) / self.quota(project).share


def take(job_id: int, *, worker: str, among: frozenset[str] | None = None) -> Claim | None:
    """Claim the shard whose turn it is in this job's queue; None when there is none to be had. `among` names the kinds
    of jobs that may be taken up now; None: all."""
    kinds = of_queue(handler_for(Job.objects.values_list("kind", flat=True).get(pk=job_id)).queue)
    for job in in_turn(kinds if among is None else kinds & among):
        if held := _claim(job, kinds, worker):
            return held
    return None


def in_turn(kinds: frozenset[str]) -> list[Job]:
    """The open jobs of these kinds that have a shard to claim, in the order in which they are served."""
    names = ("project_id", "priority", "served", "created")
    waiting = list(waits(Job.objects.filter(kind__in=kinds)).only(*names))
    if len(waiting) < 2:
        return waiting
    use = use_of(kinds)
    return sorted(
        waiting,
        key=lambda job: (
            use.burden(job.project_id),
            -job.priority,
            job.served is not None,
            job.served or job.created,
            job.pk,
        ),
    )


def waits(jobs: "QuerySet[Job]") -> "QuerySet[Job]":
    """Those of these jobs that have a shard to claim."""
    return jobs.filter(Exists(Shard.objects.claimable().filter(job=OuterRef("pk"))), state__in=Job.OPEN)


def any_waiting(kind: str) -> Job | None:
    """One of the jobs that have a shard to claim in the queue of this kind of job: a slot that is woken for it serves
    them all."""
    return waits(Job.objects.filter(kind__in=of_queue(handler_for(kind).queue))).order_by("pk").first()


def use_of(kinds: frozenset[str]) -> Use:
    """What each project has of the slots of these kinds of jobs, and its time lately."""
    now, use = timezone.now(), Use()
    for quota in Quota.objects.all():
        use.quotas[quota.project_id] = quota
        use.seconds[quota.project_id] = quota.seconds * _left_of(quota.as_of, now)
    held = Shard.objects.filter(state=Shard.State.RUNNING, lease_until__gte=Now())
    for project, kind, started in held.values_list("job__project_id", "job__kind", "started"):
        use.running[project] += kind in kinds
        use.seconds[project] = use.seconds.get(project, 0.0) + _seconds(started or now, now)
    return use


@transaction.atomic
def used(project: int | None, seconds: float) -> None:
    """Count that a shard of a project held a slot for so long; of the platform's own work nothing is kept."""
    if project is None or not Project.objects.filter(pk=project).exists():
        return
    Quota.objects.get_or_create(project_id=project)
    row, now = Quota.objects.select_for_update().get(project_id=project), timezone.now()
    row.seconds, row.as_of = row.seconds * _left_of(row.as_of, now) + seconds, now
    row.save(update_fields=["seconds", "as_of"])


def of_queue(queue: str) -> frozenset[str]:
    """The kinds of jobs that this queue's workers run."""
    return frozenset(kind for kind in settings.JOB_HANDLERS if handler_for(kind).queue == queue)


def everything() -> frozenset[str]:
    """All kinds of jobs."""
    return frozenset(settings.JOB_HANDLERS)


def _claim(job: Job, kinds: frozenset[str], worker: str) -> Claim | None:
    """A shard of this job, unless its project has all the slots that it may have. The quota's row is held meanwhile, so
    that two workers don't both take the last one."""
    with transaction.atomic():
        quota = Quota.objects.select_for_update().filter(project=job.project_id, slots__isnull=False).first()
        if quota is not None and use_of(kinds).running[job.project_id] >= (quota.slots or 0):
            return None
        return services.claim(job.pk, worker=worker)


def _left_of(since: datetime, now: datetime) -> float:
    """The part of what was used then that still counts."""
    return float(0.5 ** (_seconds(since, now) / HALF_LIFE))


def _seconds(since: datetime, now: datetime) -> float:
    """From one to the other; none where a clock was set back."""
    return max(0.0, (now - since).total_seconds())
