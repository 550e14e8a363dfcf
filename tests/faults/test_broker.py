"""The broker is only a wake-up: it may lose, double, refuse, vanish, and carry what nobody should run."""

import os
import pickle
import time
from pathlib import Path

import pytest
from django.conf import settings
from kombu import Connection
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.practice import counted
from tests.workers import wait_until

from config.celery import app
from jobs import tasks, wakeups
from jobs.models import Job, Shard
from jobs.services import ShardSpec, create_job

pytestmark = pytest.mark.both

QUEUE = settings.QUEUE_PREFIX + "practice"


def ended(job: Job) -> bool:
    job.refresh_from_db()
    return not job.is_open


def swept_until_ended(job: Job, *, seconds: float = 20.0) -> None:
    def sweep() -> bool:
        tasks.sweep()
        time.sleep(0.1)
        return ended(job)

    wait_until(sweep, seconds=seconds)


class Bomb:
    """Unpickling it leaves a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_a_worker_survives_pickles_doubles_losses_and_an_absent_broker(
    worker: StartWorker, broker: Broker, tmp_path: Path
) -> None:
    """One worker through all of it: what it lived through before must not trouble it later."""
    running = worker().wait_ready()

    send_pickle(broker, Bomb(tmp_path / "exploded"))
    job = create_job("practice", "after a pickle", shards=[ShardSpec()])
    tasks.wake(job)
    wait_until(lambda: ended(job))
    assert not (tmp_path / "exploded").exists()
    assert "pickle" in running.log.read_text()

    doubled = create_job("practice", "doubled", shards=[ShardSpec()] * 5)
    for _ in range(6):
        tasks.wake(doubled)
    wait_until(lambda: ended(doubled))
    assert counted(doubled.pk) == list(range(5))

    broker.relay.stop()
    started = time.monotonic()
    unheard = create_job("practice", "nobody heard", shards=[ShardSpec()] * 3)
    tasks.wake(unheard)  # an edge: it must not fail because the broker is away, nor take long
    assert time.monotonic() - started < 5
    broker.relay.start()
    swept_until_ended(unheard, seconds=30)
    assert counted(unheard.pk) == [0, 1, 2]
    assert running.is_alive


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_worker_at_work_outlives_its_broker(
    worker: StartWorker, broker: Broker, tmp_path: Path, *, newest_first: bool
) -> None:
    """It waits for more work, and holds a message that it can't give back: no reason to die and take its work along."""
    gate = tmp_path / "gate"
    running = worker(processes=2).wait_ready()
    job = create_job("practice", "a long one", shards=[ShardSpec(params={"gate": str(gate)})])
    tasks.wake(job)
    wait_until(lambda: job.shards.filter(state=Shard.State.RUNNING).exists())
    broker.relay.stop(newest_first=newest_first)
    wait_until(lambda: "Trying to re-establish the connection" in running.log.read_text())
    wait_until(lambda: "Trying again in" in running.log.read_text())
    gate.touch()
    broker.relay.start()
    wait_until(lambda: ended(job))
    assert (counted(job.pk), job.shards.get().attempts) == ([0], 1)
    another = create_job("practice", "after that", shards=[ShardSpec()] * 3)
    tasks.wake(another)
    swept_until_ended(another)
    assert running.is_alive


def test_a_message_that_got_lost_is_sent_again(worker: StartWorker, broker: Broker) -> None:
    job = create_job("practice", "forgotten", shards=[ShardSpec()] * 4)
    tasks.wake(job)
    broker.forget()
    worker().wait_ready()
    time.sleep(0.3)
    assert counted(job.pk) == []
    swept_until_ended(job)
    assert counted(job.pk) == [0, 1, 2, 3]


def test_a_frozen_broker_holds_nobody_up_for_long(worker: StartWorker, broker: Broker) -> None:
    running = worker().wait_ready()
    job = create_job("practice", "nobody hears", shards=[ShardSpec()] * 2)
    broker.relay.freeze()
    try:
        started = time.monotonic()
        assert not wakeups.send(tasks.work, job.pk, queue=QUEUE)
        assert time.monotonic() - started < 5
        tasks.wake(job)  # the broker is not asked again so soon
    finally:
        broker.relay.thaw()
    swept_until_ended(job, seconds=60)
    assert counted(job.pk) == [0, 1]
    assert running.is_alive


def send_pickle(broker: Broker, content: object) -> None:
    headers = {"task": "jobs.work", "id": "1", "lang": "py"}
    with Connection(broker.url) as connection, connection.Producer() as producer:
        producer.publish(
            pickle.dumps(((content,), {}, {})),
            routing_key=QUEUE,
            exchange="",
            content_type="application/x-python-serialize",
            content_encoding="binary",
            headers=headers,
        )


def test_only_json_is_spoken() -> None:
    assert (app.conf.accept_content, app.conf.task_serializer) == (["json"], "json")
