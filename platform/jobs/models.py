"""Job and Shard: the truth about long work. A lost or doubled message changes nothing here."""

from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Project
from core.tracing import MAX_TRACE
from jobs.needs import NOTHING, Capacity, Needs


class Job(models.Model):
    """One long operation, cut into shards that workers claim. Phases run one after the other."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Priority(models.IntegerChoices):
        """Priority among the jobs of one project; it gives no project precedence over another."""

        LOW = -1
        NORMAL = 0
        HIGH = 1

    OPEN = (State.QUEUED, State.RUNNING)

    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED)
    phase = models.PositiveSmallIntegerField(default=0)
    params = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    error = models.JSONField(null=True)
    unit = models.CharField(max_length=20, default="items")
    cancel_requested = models.BooleanField(default=False)
    # None: work of the platform itself, for its owners alone
    project = models.ForeignKey(Project, on_delete=models.PROTECT, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    woken = models.DateTimeField(null=True)
    priority = models.SmallIntegerField(choices=Priority, default=Priority.NORMAL)
    served = models.DateTimeField(null=True)  # when a shard of it was claimed last
    trace = models.CharField(max_length=MAX_TRACE, blank=True)  # where it was asked for (see `core.tracing`)
    sole = models.CharField(max_length=80, blank=True, db_default="")  # of the open jobs, one at most has this name

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["sole"], condition=Q(state__in=["queued", "running"]) & ~Q(sole=""), name="job_sole"
            )
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(state__in=["queued", "running"]), name="job_open"),
            models.Index(fields=["kind", "state", "created"], name="job_counted"),  # by `jobs.figures`
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}: {self.title}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    def needs_in(self, phase: int) -> Needs:
        """What the shards of a phase need; all of them need the same."""
        found = self.shards.filter(phase=phase).defer("params", "result").first()
        return found.needs if found else NOTHING


class Quota(models.Model):
    """A project's share and limit of slots, its limit of requests, and the slot time it used lately (see
    `jobs.turns`)."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True, related_name="+")
    share = models.PositiveSmallIntegerField(default=1)
    slots = models.PositiveSmallIntegerField(null=True)  # at once; None: no limit
    requests = models.PositiveIntegerField(null=True)  # a minute (`jobs.request_quotas`); None: no limit
    seconds = models.FloatField(default=0.0)
    as_of = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"quota of project {self.project_id}"


class Storage(models.Model):
    """What a project holds in the object store, and what it may hold (see `jobs.storage`)."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, primary_key=True, related_name="+")
    limit = models.PositiveBigIntegerField(null=True)  # bytes; None: no limit
    held = models.PositiveBigIntegerField(default=0)  # bytes, when they were counted last
    added = models.BigIntegerField(default=0)  # bytes since then, at most; only where there is a limit
    counted = models.DateTimeField(null=True)
    took = models.FloatField(default=0.0)  # seconds, of counting them

    def __str__(self) -> str:
        return f"storage of project {self.project_id}"

    @property
    def in_all(self) -> int:
        """Bytes held, with those added since the last count."""
        return self.held + self.added


class ShardQuerySet(models.QuerySet["Shard"]):
    def unheld(self) -> Self:
        """Shards that no worker holds, by the database's clock."""
        waiting = Q(state=Shard.State.TODO) & (Q(not_before=None) | Q(not_before__lte=Now()))
        abandoned = Q(state=Shard.State.RUNNING, lease_until__lt=Now(), attempts__lt=settings.JOB_MAX_CLAIMS)
        return self.filter(waiting | abandoned)

    def claimable(self) -> Self:
        """Shards that no worker holds, of open jobs, in the job's current phase."""
        return self.unheld().filter(job__state__in=Job.OPEN, job__cancel_requested=False, phase=F("job__phase"))

    def within(self, room: Capacity) -> Self:
        """Shards that need no more than `room`. The filter uses only the shard's own columns, as `unheld` does."""
        sizes = {gpu.memory for gpu in room.gpus}
        enough = Q(need_gpus=0)
        for size in sizes:
            count = sum(gpu.memory >= size for gpu in room.gpus)
            enough |= Q(need_gpus__lte=count, need_gpu_memory__lte=size)
        others = Q(need_memory__lte=max(0, room.memory), need_cores__lte=max(0, room.cores))
        return self.filter(enough, others, need_architecture__in=["", room.architecture])

    def on_gpus(self, wanted: bool) -> Self:  # noqa: FBT001 - which of two halves
        """Shards that need GPUs, or those that need none: each half has queues of its own."""
        return self.filter(need_gpus__gt=0) if wanted else self.filter(need_gpus=0)

    def needy(self) -> Self:
        """Shards that need anything of their worker."""
        return self.exclude(need_gpus=0, need_memory=0, need_cores=0, need_architecture="")

    def worn_out(self) -> Self:
        """Shards of open jobs that lost their worker too often to be claimed again."""
        lost = Q(state=Shard.State.RUNNING, lease_until__lt=Now(), attempts__gte=settings.JOB_MAX_CLAIMS)
        return self.filter(lost, job__state__in=Job.OPEN)


class Shard(models.Model):
    """The unit that is claimed, leased, and counted exactly once."""

    class State(models.TextChoices):
        TODO = "todo"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    OPEN = (State.TODO, State.RUNNING)

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="shards")
    index = models.PositiveIntegerField()
    phase = models.PositiveSmallIntegerField(default=0)
    params = models.JSONField(default=dict)
    state = models.CharField(max_length=12, choices=State, default=State.TODO)
    token = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True)
    units = models.PositiveBigIntegerField(default=1)
    units_done = models.PositiveBigIntegerField(default=0)
    result = models.JSONField(null=True)
    error = models.TextField(blank=True)
    started = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    # What it needs (`jobs.needs`), written once; and its last worker, with the GPUs that it was given.
    need_gpus = models.PositiveSmallIntegerField(default=0)
    need_gpu_memory = models.PositiveBigIntegerField(default=0)
    need_memory = models.PositiveBigIntegerField(default=0)
    need_cores = models.PositiveSmallIntegerField(default=0)
    need_architecture = models.CharField(max_length=20, blank=True)
    worker = models.CharField(max_length=200, blank=True)  # the name of its beat
    gpus = models.JSONField(default=list)

    objects = ShardQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "index"], name="shard_once")]
        indexes = [
            models.Index(
                fields=["job", "phase", "index"], condition=Q(state__in=["todo", "running"]), name="shard_open"
            )
        ]

    def __str__(self) -> str:
        return f"shard {self.index} of job {self.job_id}"

    @property
    def needs(self) -> Needs:
        return Needs(self.need_gpus, self.need_gpu_memory, self.need_memory, self.need_cores, self.need_architecture)


class JobEvent(models.Model):
    """A point of a curve or a line of the log; `pk` is the cursor a live page polls with."""

    class Kind(models.TextChoices):
        POINT = "point"
        LOG = "log"

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=5, choices=Kind)
    data = models.JSONField()
    time = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["job", "id"], name="job_event_cursor")]

    def __str__(self) -> str:
        return f"{self.kind} of job {self.job_id}"


class BeatQuerySet(models.QuerySet["Beat"]):
    def living(self) -> Self:
        """Those seen in the last WORKER_GONE_SECONDS."""
        return self.filter(seen__gte=Now() - timedelta(seconds=settings.WORKER_GONE_SECONDS))

    def slots(self, queue: str) -> int:
        """How many shards the living workers that listen to a queue can work on at once."""
        rows = self.living().values_list("queues", "processes")
        return sum(len(processes) for queues, processes in rows if queue in queues)


class Beat(models.Model):
    """The last heartbeat of a worker: the queues it listens to, its processes, and what its machine has and uses."""

    name = models.CharField(max_length=200, unique=True)
    host = models.CharField(max_length=200)
    queues = models.JSONField(default=list)
    processes = models.JSONField(default=list)  # [{pid, rss, since}]
    machine = models.JSONField(default=dict)  # see `jobs.machine`
    has = models.JSONField(default=dict)  # what shards may count on: `jobs.needs.Capacity`
    version = models.CharField(max_length=40, blank=True, default="", db_default="")  # empty: of 0.2.0 or before
    seen = models.DateTimeField()

    objects = BeatQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class WebBeat(models.Model):
    """The last heartbeat of a process of a web server. (Those of 0.2.0 and before have none.)"""

    name = models.CharField(max_length=200, unique=True)  # host:pid
    version = models.CharField(max_length=40)
    seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
