"""Workers that are told to stop: nothing is lost, nothing counts twice, no attempt is spent."""

import signal
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from tests.conftest import StartWorker
from tests.practice import counted
from tests.workers import Worker, wait_until

from jobs import tasks
from jobs.models import Job, Shard
from jobs.services import ShardSpec, create_job

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]
RESTARTS = 10
QUICK = {"MOTHERLODE_WORKER_GRACE_SECONDS": "0.5"}


def stopped(one: Worker) -> float:
    """Tell the worker to stop as `docker stop` does, the main process alone; the seconds until it has ended."""
    began = time.monotonic()
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(timeout=20) == 0, one.log.read_text()
    return time.monotonic() - began


def test_ten_rolling_restarts_under_load_lose_nothing_and_double_nothing(worker: StartWorker) -> None:
    """Of two workers one is always there. Shards take longer than the grace, or less: both kinds are stopped."""
    shards = [ShardSpec({"seconds": 0.05 if number % 4 else 1.2}) for number in range(120)]
    job = create_job("practice", "a job", shards=shards)
    running = [worker(processes=2, env=QUICK).wait_ready() for _ in range(2)]
    tasks.wake(job)
    for number in range(RESTARTS):
        time.sleep(0.7)
        old = running[number % 2]
        running[number % 2] = worker(processes=2, env=QUICK)
        if not number:  # the work of a slow machine may be done after it
            wait_until(begins_a_long_shard(job, old))
        assert stopped(old) < 10
        running[number % 2].wait_ready()
        tasks.sweep()
    wait_until(ended(job, sweeping=True), seconds=60)
    assert Job.objects.get(pk=job.pk).state == "succeeded"
    assert counted(job.pk) == list(range(120)), "each once"
    claims = job.shards.values_list("token", "attempts")
    assert max(attempts for _, attempts in claims) == 1, "what was given back costs no attempt"
    assert any(token > 1 for token, _ in claims), "some were given back in the middle"


def test_a_shard_that_ends_within_the_grace_is_finished_and_none_is_begun(worker: StartWorker, tmp_path: Path) -> None:
    shards = [ShardSpec({"seconds": 1.5}), ShardSpec({"seconds": 1.5})]
    job = create_job("practice", "a job", shards=shards)
    one = worker(env={"MOTHERLODE_WORKER_GRACE_SECONDS": "8"}).wait_ready()
    tasks.wake(job)
    wait_until(lambda: job.shards.filter(state=Shard.State.RUNNING).exists())
    assert stopped(one) < 6
    assert counted(job.pk) == [0]
    assert list(job.shards.order_by("index").values_list("state", "token")) == [("done", 1), ("todo", 0)]


def test_what_is_given_back_goes_on_elsewhere_at_once(worker: StartWorker) -> None:
    job = create_job("practice", "a job", shards=[ShardSpec({"seconds": 3.0})])
    one = worker(env=QUICK).wait_ready()
    tasks.wake(job)
    wait_until(lambda: job.shards.filter(state=Shard.State.RUNNING).exists())
    stopped(one)
    (shard,) = job.shards.all()
    assert (shard.state, shard.attempts, shard.token, shard.lease_until) == ("todo", 0, 1, None)
    worker().wait_ready()
    tasks.sweep()
    wait_until(ended(job, sweeping=True))
    assert counted(job.pk) == [0]


def begins_a_long_shard(job: Job, one: Worker) -> Callable[[], bool]:
    """Whether a worker holds a shard that takes longer than the grace and has hardly begun."""
    long = job.shards.filter(state=Shard.State.RUNNING, params__seconds__gt=1, worker__startswith=f"{one.log.stem}@")
    return lambda: long.filter(started__gt=timezone.now() - timedelta(seconds=0.3)).exists()


def ended(job: Job, *, sweeping: bool) -> Callable[[], bool]:
    def look() -> bool:
        if sweeping:
            tasks.sweep()  # beat would do this
        return not Job.objects.get(pk=job.pk).is_open

    return look
