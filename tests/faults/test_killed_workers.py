"""Worker processes are killed and frozen in the middle of a shard; each shard's result is counted exactly once."""

import os
import random
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from django.test import override_settings
from tests.conftest import StartWorker
from tests.practice import counted
from tests.workers import Worker, wait_until

from jobs import tasks
from jobs.models import Job, Shard
from jobs.services import ShardSpec, create_job

pytestmark = pytest.mark.production

SHARDS = 60
KILLS = 22
FREEZES = 2
LEASE = 1.0
SECONDS = 100.0
PATIENCE = {
    "MOTHERLODE_JOB_LEASE_SECONDS": str(LEASE),
    "MOTHERLODE_COMPUTE_SLOTS": "3",
    "MOTHERLODE_JOB_MAX_CLAIMS": str(KILLS * 2),
    "MOTHERLODE_JOB_MAX_ATTEMPTS": str(KILLS * 2),
}


def is_open(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_open


def strike(job: Job, number: signal.Signals, *, spare: set[int]) -> int | None:
    """A signal to a process that is working on a shard right now; None when there was none to be hit."""
    owners = job.shards.filter(state=Shard.State.RUNNING).values_list("owner", flat=True)
    running = {int(owner.rpartition(":")[2]) for owner in owners} - spare
    if not running:
        return None
    pid = random.choice(sorted(running))
    spare.add(pid)
    try:
        os.kill(pid, number)
    except ProcessLookupError:  # its shard waits for the lease to run out
        return None
    return pid


def thaw(pid: int, *, struck: set[int]) -> None:
    """A zombie: its lease is over, and it goes on all the same. While frozen it may hold a lock of the database."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
    struck.discard(pid)  # from now on it takes work, and may be killed like any other


@override_settings(JOB_MAX_CLAIMS=KILLS * 2)  # more often than a job need survive
@pytest.mark.production
@pytest.mark.timeout(SECONDS + 60)
def test_each_result_is_counted_once_while_its_workers_are_killed(worker: StartWorker, tmp_path: Path) -> None:
    def start() -> Worker:
        return worker(processes=3, env=PATIENCE).wait_ready()

    gate = tmp_path / "gate"  # every fifth shard lasts until all the kills are done
    params = [{"seconds": 0.1} | ({"gate": str(gate)} if n % 5 == 0 else {}) for n in range(SHARDS)]
    job = create_job("practice", "hunted", shards=[ShardSpec(params=each) for each in params])
    pool = start()
    tasks.wake(job)
    kills, freezes, struck = 0, 0, set[int]()
    deadline = time.monotonic() + SECONDS
    while is_open(job):
        assert time.monotonic() < deadline, f"{len(counted(job.pk))} of {SHARDS} shards after {kills} kills"
        tasks.sweep()  # beat would do this
        time.sleep(random.uniform(0.05, 0.25))
        if kills == KILLS // 2:  # the whole worker, its parent too
            pool.kill()
            kills += 1
        elif freezes < FREEZES and kills > 5 and (pid := strike(job, signal.SIGSTOP, spare=struck)):
            freezes += 1
            threading.Timer(2 * LEASE, thaw, (pid,), {"struck": struck}).start()
        elif kills < KILLS:
            kills += strike(job, signal.SIGKILL, spare=struck) is not None
        else:
            gate.touch()
        if not pool.is_alive:  # the supervisor would do this
            pool = start()
    assert job.state == Job.State.SUCCEEDED, job.error
    assert counted(job.pk) == list(range(SHARDS))
    assert (kills, freezes) == (KILLS, FREEZES)
    attempts = sum(job.shards.values_list("attempts", flat=True))
    assert attempts >= SHARDS + KILLS // 2, "too few kills hit a shard at work: this proves little"


def test_a_killed_worker_s_shard_runs_again_within_lease_and_sweep(worker: StartWorker) -> None:
    job = create_job("practice", "orphaned", shards=[ShardSpec(params={"seconds": 0.5})])
    first = worker().wait_ready()
    tasks.wake(job)
    wait_until(lambda: job.shards.get().state == Shard.State.RUNNING)
    first.kill()
    killed = time.monotonic()
    worker()
    while is_open(job):
        tasks.sweep()
        time.sleep(0.1)
        assert time.monotonic() - killed < 20, "a lease is 2 s here, and the new worker must start"
    assert (counted(job.pk), job.shards.get().attempts) == ([0], 2)
