"""The living workers and their capacity, and the jobs that none of them can do."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from jobs.models import Beat, Job, Shard, ShardQuerySet, WebBeat
from jobs.needs import NO_ROOM, Capacity, Needs, lacking
from jobs.turns import line_of, queue_of

NEED_COLUMNS = ("need_gpus", "need_gpu_memory", "need_memory", "need_cores", "need_architecture")


@dataclass(frozen=True, slots=True)
class Running:
    """How many workers and web processes run a version; an empty one is 0.2.0 or before, whose web processes are not
    known."""

    version: str
    workers: int
    web: int


def versions() -> list[Running]:
    """Return the versions of the living workers and web processes, in order."""
    alive = timedelta(seconds=settings.WORKER_GONE_SECONDS)
    workers = Counter(Beat.objects.living().values_list("version", flat=True))
    web = Counter(WebBeat.objects.filter(seen__gte=Now() - alive).values_list("version", flat=True))
    return [Running(version, workers[version], web[version]) for version in sorted({*workers, *web})]


def by_queue() -> dict[str, set[Capacity]]:
    """Map each queue to the capacities of the living workers that listen to it, without duplicates."""
    found: dict[str, set[Capacity]] = defaultdict(set)
    for queues, has in Beat.objects.living().values_list("queues", "has"):
        for queue in queues:
            found[queue].add(Capacity.of(has))
    return found


def can_be_done(job: Job, *, on_gpus: bool) -> bool:
    """Whether a living worker could claim a shard of this job now, among those that need GPUs or among the others.
    Shards without needs always count: a worker listens before its first heartbeat."""
    shards = line_of(job.kind, on_gpus=on_gpus).shards.filter(job=job).claimable()
    rooms = [NO_ROOM, *by_queue()[queue_of(job.kind, on_gpus=on_gpus)]]
    return any(shards.within(room).exists() for room in rooms)


def are_unlike(shards: ShardQuerySet, *, queue: str) -> bool:
    """Whether one of these shards is claimable and fits some living workers of the queue, but not others."""
    rooms = by_queue()[queue]
    if len(rooms) < 2:
        return False
    needs = [Needs(*columns) for columns in shards.claimable().needy().order_by().values_list(*NEED_COLUMNS).distinct()]
    fits = [[room.fits(one) for room in rooms] for one in needs]
    return any(any(here) and not all(here) for here in fits)


def missing(jobs: Iterable[Job]) -> dict[int, str]:
    """Map jobs to the reason why no living worker can do their claimable shards. For jobs that have begun, only shards
    with stated needs are checked."""
    rows = {job.pk: job for job in jobs if job.is_open and not job.cancel_requested}
    if not rows:
        return {}
    there, found = by_queue(), dict[int, str]()
    for job in rows.values():
        queue = queue_of(job.kind, on_gpus=False)
        if job.state == Job.State.QUEUED and not there[queue]:
            found[job.pk] = f"no worker listens to queue {queue}"
    needy = Shard.objects.claimable().needy().filter(job__in=rows).order_by()
    for pk, *columns in needy.values_list("job", *NEED_COLUMNS).distinct():
        needs = Needs(*columns)
        queue = queue_of(rows[pk].kind, on_gpus=needs.gpus > 0)
        found.pop(pk, None)
        if words := lacking(needs, there[queue], queue=queue):
            found[pk] = words
    return found
