"""The rules of jobs and shards. Every decision about time is the database's; every write of a worker is fenced."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Min, Q, Sum
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone

from accounts.models import User
from core import tracing
from core.errors import Conflict
from jobs.models import Job, JobEvent, Shard, ShardQuerySet
from jobs.needs import NO_ROOM, NOTHING, Capacity, Needs
from jobs.storage import check_room

# Sent after the commit that ended a job, with `job`. A receiver only wakes something up: it may be lost.
job_ended = Signal()

WAIT_POLL_SECONDS = 0.1
POSTPONED_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ShardSpec:
    """One shard to make: its parameters, how many units of work it holds, its phase (0 runs first), and what it needs
    of the machine that works on it."""

    params: Mapping[str, Any] = field(default_factory=dict)
    units: int = 1
    phase: int = 0
    needs: Needs = NOTHING


@dataclass(frozen=True, slots=True)
class Claim:
    """A shard held under a lease. `token` fences: a write with an older token changes nothing."""

    shard: Shard
    token: int


class LeaseStatus(Enum):
    """What renewing a lease tells its worker."""

    HELD = "held"
    LOST = "lost"
    CANCELLED = "cancelled"


@transaction.atomic
def create_job(
    kind: str,
    title: str,
    *,
    shards: Iterable[ShardSpec],
    params: Mapping[str, Any] | None = None,
    unit: str = "items",
    created_by: User | None = None,
    project: int | None = None,
    sole: str = "",
) -> Job:
    """Create a queued job with its shards, in a project, or of the platform itself. The caller has to wake it after the
    commit. Of the open jobs that are `sole` under one name there is one: if it exists, it is returned as it is.

    Raises ValueError for an unknown kind or no shard at all: such a job would never end. Raises Conflict
    (`storage_quota`) for a kind that stores more bytes, if the project has reached its storage limit.
    """
    specs = list(shards)
    if kind not in settings.JOB_HANDLERS or not specs:
        raise ValueError(f"a job needs a kind out of {sorted(settings.JOB_HANDLERS)} and at least one shard")
    if project is not None and kind in settings.JOB_STORING:
        check_room(project)
    first = min(spec.phase for spec in specs)
    facts: dict[str, Any] = {
        "params": dict(params or {}),
        "unit": unit,
        "created_by": created_by,
        "project_id": project,
    }
    facts["trace"] = tracing.place()
    job = Job(kind=kind, title=title, phase=first, sole=sole, **facts)
    try:
        with transaction.atomic():
            job.save(force_insert=True)
    except IntegrityError:
        if not sole or (other := Job.objects.filter(sole=sole, state__in=Job.OPEN).first()) is None:
            raise
        return other
    Shard.objects.bulk_create([shard_of(job, index, spec) for index, spec in enumerate(specs)], batch_size=1000)
    return job


def shard_of(job: Job, index: int, spec: ShardSpec) -> Shard:
    """The unsaved row of a shard."""
    needs = spec.needs
    return Shard(
        job=job,
        index=index,
        phase=spec.phase,
        params=dict(spec.params),
        units=spec.units,
        need_gpus=needs.gpus,
        need_gpu_memory=needs.gpu_memory_bytes,
        need_memory=needs.memory_bytes,
        need_cores=needs.cores,
        need_architecture=needs.architecture,
    )


@dataclass(frozen=True, slots=True)
class Claimant:
    """A claiming process (`host:pid`), the name of its worker, and the capacity that the worker has left."""

    owner: str
    worker: str = ""
    room: Capacity = NO_ROOM


def claim(job_id: int, *, worker: str) -> Claim | None:
    """Claim one shard of the job that needs nothing; None if there is none."""
    return claim_of(Shard.objects.filter(job_id=job_id), Claimant(worker))


@transaction.atomic
def claim_of(shards: ShardQuerySet, by: Claimant) -> Claim | None:
    """Claim one of these shards, all of one job, by a conditional update; None if none is claimable that needs no more
    than the claimant has left."""
    waiting = shards.claimable().within(by.room).order_by("index")
    if (first := waiting.first()) is None:
        return None
    job = _locked(first.job_id)
    while (shard := waiting.first()) is not None:  # a lost race means that somebody else got on
        if held := _win(shard, by):
            Job.objects.filter(pk=job.pk).update(served=Now())
            Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(state=Job.State.RUNNING, started=Now())
            return held
    return None


def renew(held: Claim, *, done: int, total: int | None = None) -> LeaseStatus:
    """Renew the lease and record the progress."""
    changes: dict[str, Any] = {"lease_until": _lease(), "units_done": done}
    if total is not None:
        changes["units"] = total
    mine = _held(held).update(**changes)
    if not Job.objects.filter(pk=held.shard.job_id, state__in=Job.OPEN, cancel_requested=False).exists():
        return LeaseStatus.CANCELLED
    return LeaseStatus.HELD if mine else LeaseStatus.LOST


@transaction.atomic
def while_held(held: Claim, apply: Callable[[], None]) -> bool:
    """Write what unfinished work made so far, inside the fence. Returns False if the claim was lost: nothing is
    written."""
    if not _held(held).update(lease_until=_lease()):
        return False
    apply()
    return True


@transaction.atomic
def complete(held: Claim, result: Mapping[str, Any], *, apply: Callable[[], None] | None = None) -> bool:
    """Count the shard's result, once. Returns False if the claim was lost: then nothing is written.

    `apply` writes what the result means to the caller's rows, inside the same transaction as the fence.
    """
    job = _locked(held.shard.job_id)
    if job.cancel_requested or not job.is_open:
        return False
    finished = {"state": Shard.State.DONE, "lease_until": None, "units_done": F("units"), "finished": Now()}
    if not _held(held).update(result=dict(result), **finished):
        return False
    if apply is not None:
        apply()
    _advance(job, result)
    return True


def fail(held: Claim, detail: str, *, code: str = "failed", retry: bool) -> None:
    """Give the shard back for another attempt with back-off, or end its job with the reason. No shard of a cancelled
    job is tried again."""
    with transaction.atomic():
        job = _locked(held.shard.job_id)
        again = retry and held.shard.attempts < settings.JOB_MAX_ATTEMPTS
        if again and job.cancel_requested:
            _cancel_held(held, job)
            return
        delay = timedelta(seconds=settings.JOB_BACKOFF_SECONDS * 2 ** (held.shard.attempts - 1))
        changes: dict[str, Any] = {"error": detail[:2000], "lease_until": None}
        if again:
            changes |= {"state": Shard.State.TODO, "not_before": Now() + delay}
        else:
            changes |= {"state": Shard.State.FAILED, "finished": Now()}
        if not _held(held).update(**changes):
            return
        verdict = "it is tried again" if again else "the job ends"
        log(job.pk, f"Shard {held.shard.index}, attempt {held.shard.attempts}: {detail}; {verdict}.", level="warning")
        if not again:
            _fail_job(job, detail, code=code)


def postpone(held: Claim, detail: str) -> None:
    """Give the shard back until what is missing (room on the disk, the object store, a dataset that nobody else writes)
    may be there again; such an attempt does not count. It is tried again every POSTPONED_SECONDS, and `detail` is
    logged once. The shard of a cancelled job ends."""
    with transaction.atomic():
        job = _locked(held.shard.job_id)
        if job.cancel_requested:
            _cancel_held(held, job)
            return
        told = Shard.objects.filter(pk=held.shard.pk, error=detail[:2000]).exists()
        later = Now() + timedelta(seconds=POSTPONED_SECONDS)
        changes = {"state": Shard.State.TODO, "lease_until": None, "attempts": F("attempts") - 1, "not_before": later}
        if _held(held).update(error=detail[:2000], **changes) and not told:
            log(job.pk, f"Shard {held.shard.index} waits: {detail}.", level="warning")


@transaction.atomic
def release(held: Claim) -> None:
    """Give an unfinished shard back at once (a worker that is told to stop). The shard of a cancelled job ends."""
    job = _locked(held.shard.job_id)
    if job.cancel_requested:
        _cancel_held(held, job)
        return
    _held(held).update(state=Shard.State.TODO, lease_until=None, attempts=F("attempts") - 1, not_before=None)


@transaction.atomic
def cancel(job_id: int) -> Job:
    """Ask a job to stop. Waiting shards end at once, running ones when their worker next looks.

    Raises Conflict (`job_past_return`) for a job past its point of no return (JOB_NO_RETURN)."""
    job = _locked(job_id)
    if job.is_open and job.phase >= settings.JOB_NO_RETURN.get(job.kind, job.phase + 1):
        raise Conflict(f"Job {job_id} can't be cancelled any more: it finishes what it began.", code="job_past_return")
    if job.is_open:
        job.cancel_requested = True
        job.save(update_fields=["cancel_requested"])
        job.shards.filter(state=Shard.State.TODO).update(state=Shard.State.CANCELLED)
        _finish_cancelled(job)
    return job


@transaction.atomic
def reopen(job_id: int) -> Job:
    """Put a failed or cancelled job back to work: what is done stays done, the rest is tried as if for the first time.
    The caller has to wake it. A worker that still runs one of its shards has lost it.

    Only for kinds of jobs whose app allows for it: other apps have already acted on the end of the job. Raises
    Conflict.
    """
    job = _locked(job_id)
    ended = Job.objects.filter(pk=job_id, state__in=[Job.State.FAILED, Job.State.CANCELLED])
    changes: dict[str, Any] = {"error": None, "cancel_requested": False, "started": None, "finished": None}
    if not ended.update(state=Job.State.QUEUED, woken=None, **changes):
        raise Conflict(f"Job {job_id} is {job.state}: only one that failed or was cancelled is resumed.",
                       code="job_not_resumable")  # fmt: skip
    job.shards.filter(state__in=[Shard.State.FAILED, Shard.State.CANCELLED]).update(
        state=Shard.State.TODO, attempts=0, units_done=0, not_before=None, lease_until=None, finished=None, error=""
    )
    first = job.shards.filter(state__in=Shard.OPEN).aggregate(phase=Min("phase"))["phase"]
    Job.objects.filter(pk=job_id).update(phase=first)
    log(job_id, "The job was put back to work.")
    job.refresh_from_db()
    return job


@transaction.atomic
def extend(job_id: int, shards: Iterable[ShardSpec]) -> Job:
    """Add shards in new phases to a job that has succeeded, and put it back to work. The caller has to wake it. Raises
    Conflict (`job_not_done`) for one that has not succeeded."""
    job = _locked(job_id)
    if job.state != Job.State.SUCCEEDED:
        raise Conflict(f"Job {job_id} is {job.state}: only one that has succeeded goes on.", code="job_not_done")
    last = job.shards.aggregate(index=Max("index"))["index"]
    rows = [shard_of(job, index, spec) for index, spec in enumerate(shards, last + 1)]
    Shard.objects.bulk_create(rows)
    job.state, job.phase, job.result = Job.State.QUEUED, min(row.phase for row in rows), None
    job.started = job.finished = job.woken = None
    job.save(update_fields=["state", "phase", "result", "started", "finished", "woken"])
    return job


def add_shard(job_id: int, spec: ShardSpec) -> None:
    """Add a shard to an open job; call it in `apply` of one that completes, which holds the job's lock."""
    job = Job.objects.get(pk=job_id)
    last = job.shards.aggregate(index=Max("index"))["index"]
    shard_of(job, last + 1, spec).save(force_insert=True)


def retry(job_id: int) -> Job:
    """Reopen a job whose kind allows it (JOB_RETRIED). The caller has to wake it. Raises Conflict."""
    kind = Job.objects.values_list("kind", flat=True).get(pk=job_id)
    if kind not in settings.JOB_RETRIED:
        raise Conflict(f"A job of kind {kind!r} can't be resumed: start a new one.", code="job_not_retried")
    return reopen(job_id)


@transaction.atomic
def set_priority(job_id: int, priority: Job.Priority) -> Job:
    """Set the priority of an open job among the jobs of its project. Raises Conflict (`job_ended`)."""
    job = _locked(job_id)
    if not job.is_open:
        raise Conflict(f"Job {job_id} is {job.state}: its priority changes nothing any more.", code="job_ended")
    if job.priority != priority:
        job.priority = priority
        job.save(update_fields=["priority"])
        log(job_id, f"Its priority is {priority.name.lower()} now.")
    return job


@transaction.atomic
def mark_cancelled(held: Claim) -> None:
    """Record that a worker has stopped the cancelled shard it held."""
    _cancel_held(held, _locked(held.shard.job_id))


def tidy() -> None:
    """End what no worker will end: cancelled jobs whose workers are gone, and jobs with a shard that loses every
    worker."""
    for job_id in Job.objects.filter(state__in=Job.OPEN, cancel_requested=True).values_list("pk", flat=True):
        with transaction.atomic():
            job = _locked(job_id)
            unclaimed = Q(state=Shard.State.TODO) | Q(state=Shard.State.RUNNING, lease_until__lt=Now())
            job.shards.filter(unclaimed).update(state=Shard.State.CANCELLED)
            _finish_cancelled(job)
    for shard in Shard.objects.worn_out():
        with transaction.atomic():
            job = _locked(shard.job_id)
            lost = Shard.objects.filter(pk=shard.pk, token=shard.token, lease_until__lt=Now())
            detail = f"Shard {shard.index} lost its worker {shard.attempts} times: out of memory, perhaps."
            if job.is_open and lost.update(state=Shard.State.FAILED, error=detail, finished=Now()):
                _fail_job(job, detail, code="worker_lost")


def standing_still() -> list[Job]:
    """Open jobs to wake: a shard became free since the last wake-up, or that wake-up is long past and was lost."""
    long_ago = Now() - timedelta(seconds=settings.JOB_REWAKE_SECONDS)
    unheard = Q(job__woken=None) | Q(job__woken__lt=long_ago)
    since = Q(not_before__gte=F("job__woken")) | Q(lease_until__gte=F("job__woken"))
    free = Shard.objects.claimable().filter(unheard | since).values_list("job_id", flat=True).distinct()
    return list(Job.objects.filter(pk__in=free).order_by("pk"))


def mark_woken(job_id: int) -> bool:
    """Note that wake-ups were sent just now."""
    return Job.objects.filter(pk=job_id).update(woken=Now()) == 1


def mark_unheard(job_id: int) -> None:
    """Note that no wake-up could be sent: the next sweep tries again."""
    Job.objects.filter(pk=job_id).update(woken=None)


def claimable_count(job_id: int) -> int:
    """How many shards could be claimed now."""
    return Shard.objects.claimable().filter(job_id=job_id).count()


def running_count(job_id: int) -> int:
    """How many shards of the job are being worked on."""
    return Shard.objects.filter(job_id=job_id, state=Shard.State.RUNNING).count()


def wanted_wakeups(job_id: int, *, on_gpus: bool = False, slots: int = 0) -> int:
    """How many wake-ups bring the job to all free slots, for its shards that need GPUs or for the others: fewer when
    some of them are running. `slots` is the number of known slots; COMPUTE_SLOTS are assumed at least."""
    shards = Shard.objects.on_gpus(on_gpus).filter(job_id=job_id)
    busy = shards.filter(state=Shard.State.RUNNING, lease_until__gte=Now()).count()
    free: int = max(settings.COMPUTE_SLOTS, slots) - busy
    return max(0, min(shards.claimable().count(), free))


def why_failed(job: Job) -> tuple[str, str]:
    """Code and detail of the error that ended a job."""
    error = job.error or {"code": f"job_{job.state}", "detail": f"the job was {job.state}"}
    return str(error["code"]), str(error["detail"])


def wait(job_id: int, *, seconds: float) -> Job:
    """Return the job when it has ended, or as it is after `seconds`. Not for use inside a transaction."""
    deadline = time.monotonic() + seconds
    while (job := Job.objects.get(pk=job_id)).is_open and time.monotonic() < deadline:
        time.sleep(WAIT_POLL_SECONDS)
    return job


def log(job_id: int, message: str, *, level: str = "info") -> None:
    """Add a line to the job's log."""
    JobEvent.objects.create(job_id=job_id, kind=JobEvent.Kind.LOG, data={"level": level, "message": message})


def progress(job: Job) -> dict[str, Any]:
    """`{done, total, rate, eta, unit}`: units, units per second since the start, seconds left (None when unknown)."""
    return progress_of(job, tallies([job])[job.pk])


@dataclass(frozen=True, slots=True)
class Tally:
    """What the shards of a job add up to: units done, units in all, shards that failed."""

    done: int = 0
    total: int = 0
    failed: int = 0


def tallies(jobs: Iterable[Job]) -> dict[int, Tally]:
    """Map jobs to their tallies, in one query."""
    ids = [job.pk for job in jobs]
    failed = Count("pk", filter=Q(state=Shard.State.FAILED))
    rows = Shard.objects.filter(job__in=ids).order_by().values_list("job")
    sums = rows.annotate(done=Sum("units_done"), total=Sum("units"), failed=failed)
    return dict.fromkeys(ids, Tally()) | {job: Tally(*(int(n or 0) for n in counts)) for job, *counts in sums}


def first_shards(jobs: Iterable[int], phase: int) -> dict[int, Shard]:
    """Map the ids of jobs to their first shard of a phase, without its result, in one query; leaves out jobs that have
    none."""
    first = Shard.objects.filter(job__in=list(jobs), phase=phase).order_by().values("job").annotate(first=Min("pk"))
    return {shard.job_id: shard for shard in Shard.objects.filter(pk__in=first.values("first")).defer("result")}


def progress_of(job: Job, tally: Tally) -> dict[str, Any]:
    """The same as `progress`, from a known tally."""
    until = job.finished or timezone.now()
    seconds = (until - job.started).total_seconds() if job.started else 0.0
    rate = tally.done / seconds if seconds > 0 and tally.done else None
    eta = (tally.total - tally.done) / rate if rate and job.is_open else None
    return {"done": tally.done, "total": tally.total, "rate": rate, "eta": eta, "unit": job.unit}


def _win(shard: Shard, by: Claimant) -> Claim | None:
    """Claim by a conditional update. It uses only the shard's own columns: PostgreSQL checks these again when it had to
    wait for another claim, but not those of a joined table."""
    changes: dict[str, Any] = {"state": Shard.State.RUNNING, "owner": by.owner, "lease_until": _lease()}
    changes |= {"units_done": 0, "worker": by.worker, "gpus": by.room.devices(shard.needs)}
    free = Shard.objects.unheld().within(by.room).filter(pk=shard.pk, token=shard.token)
    if not free.update(token=F("token") + 1, attempts=F("attempts") + 1, started=Now(), **changes):
        return None
    shard.token += 1  # never read back: after a pause it could be somebody else's
    shard.attempts += 1
    shard.gpus = changes["gpus"]
    return Claim(shard, shard.token)


def _locked(job_id: int) -> Job:
    """The job's row, locked until the transaction ends. Code that changes both locks the job before its shards:
    PostgreSQL leaves a shard locked by a transaction that had to wait for it, even if another one got it; completing
    that shard would then wait for a claim that waits for the job. Rows that only refer to the job (its events) do not
    wait."""
    return Job.objects.select_for_update(no_key=True).get(pk=job_id)


def _lease() -> Any:
    return Now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _held(held: Claim) -> Any:
    """The shard's row, only while this claim still owns it."""
    return Shard.objects.filter(pk=held.shard.pk, token=held.token, state=Shard.State.RUNNING)


def _advance(job: Job, result: Mapping[str, Any]) -> None:
    """Go to the next phase when this one is done, end the job after the last."""
    open_phase = job.shards.filter(state__in=Shard.OPEN).aggregate(first=Min("phase"))["first"]
    if open_phase is None:
        _end(job, Job.State.SUCCEEDED, result=dict(result))
    elif open_phase > job.phase:
        job.phase = open_phase
        job.woken = None
        job.save(update_fields=["phase", "woken"])


def _fail_job(job: Job, detail: str, *, code: str) -> None:
    """End the job; workers on its other shards learn it when they next look."""
    job.shards.filter(state__in=Shard.OPEN).update(state=Shard.State.CANCELLED, lease_until=None)
    _end(job, Job.State.FAILED, error={"code": code, "detail": detail[:2000]})


def _cancel_held(held: Claim, job: Job) -> None:
    """End the shard, and the job when it was cancelled and this was its last."""
    _held(held).update(state=Shard.State.CANCELLED, lease_until=None, finished=Now())
    if job.cancel_requested:
        _finish_cancelled(job)


def _finish_cancelled(job: Job) -> None:
    if job.is_open and not job.shards.filter(state__in=Shard.OPEN).exists():
        _end(job, Job.State.CANCELLED)


def _end(job: Job, state: Job.State, **changes: Any) -> None:
    changed = Job.objects.filter(pk=job.pk, state__in=Job.OPEN).update(state=state, finished=Now(), **changes)
    if changed:
        job.refresh_from_db()
        transaction.on_commit(lambda: job_ended.send(Job, job=job), robust=True)
