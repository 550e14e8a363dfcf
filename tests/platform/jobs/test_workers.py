"""`/workers`: real workers are seen while they live, with what they do; the broker says what waits; what is bad is
listed."""

import os
import socket
import time
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone
from rest_framework.test import APIClient
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.workers import wait_until

from jobs import machine
from jobs.heartbeat import of_worker
from jobs.models import Beat, Job, Shard
from jobs.services import ShardSpec, claim, complete, create_job
from jobs.tasks import wake, work

pytestmark = pytest.mark.both

HERE = socket.gethostname()


def machines(api: APIClient) -> dict[str, dict[str, Any]]:
    answer = api.get("/workers")
    assert answer.status_code == 200, answer.content
    return {one["name"]: one for one in answer.json()["machines"]}


def depth(api: APIClient, name: str = "practice") -> dict[str, Any]:
    return {queue["name"]: dict(queue) for queue in api.get("/workers").json()["queues"]}[name]


@pytest.mark.django_db(transaction=True)
def test_a_worker_is_seen_with_what_it_works_on_until_it_is_told_to_stop(
    worker: StartWorker, api: APIClient, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    running = worker(processes=2).wait_ready()
    wait_until(lambda: HERE in machines(api))
    seen = machines(api)[HERE]
    assert {one["pid"] for one in seen["workers"]} == set(running.children)
    assert {tuple(one["queues"]) for one in seen["workers"]} == {("practice",)}
    assert all(one["busy_with"] is None and one["rss"] > 10 << 20 for one in seen["workers"])
    assert 0 <= seen["cpu_percent"] <= 100
    assert seen["cores"] == len(os.sched_getaffinity(0))
    assert 0 < seen["memory"]["used"] < seen["memory"]["total"]
    assert 0 < seen["disk"]["used"] <= seen["disk"]["total"]

    job = create_job("practice", "wait for the gate", shards=[ShardSpec({"gate": str(gate)})])
    wake(job)
    wait_until(lambda: Shard.objects.get(job=job).state == Shard.State.RUNNING)
    busy = [one["busy_with"] for one in machines(api)[HERE]["workers"]]
    assert {"job": job.pk, "shard": 0, "title": "wait for the gate"} in busy
    assert busy.count(None) == 1
    assert depth(api)["running"] == 1
    gate.touch()
    wait_until(lambda: Job.objects.get(pk=job.pk).state == Job.State.SUCCEEDED)
    assert all(one["busy_with"] is None for one in machines(api)[HERE]["workers"])

    running.process.terminate()
    wait_until(lambda: HERE not in machines(api))


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_an_autoscaler_started_ends_itself_when_it_is_idle_and_never_while_it_works(
    worker: StartWorker, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    running = worker(env={"MOTHERLODE_WORKER_IDLE_SECONDS": "0.5"}).wait_ready()
    job = create_job("practice", "works", shards=[ShardSpec({"gate": str(gate)})])
    wake(job)
    wait_until(lambda: Shard.objects.get(job=job).state == Shard.State.RUNNING)
    time.sleep(2 * django_settings.WORKER_BEAT_SECONDS)
    assert running.is_alive
    gate.touch()
    wait_until(lambda: not running.is_alive)
    assert running.process.returncode == 0
    job.refresh_from_db()
    assert (job.state, Shard.objects.get(job=job).attempts) == (Job.State.SUCCEEDED, 1)
    assert not Beat.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_is_gone_after_a_minute_of_silence(worker: StartWorker, api: APIClient) -> None:
    running = worker().wait_ready()
    wait_until(lambda: HERE in machines(api))
    running.kill()
    assert HERE in machines(api)
    Beat.objects.update(seen=Now() - timedelta(seconds=61))
    assert machines(api) == {}


@pytest.mark.django_db(transaction=True)
def test_workers_of_one_machine_stand_together_and_a_second_beat_writes_over_the_first(
    api: APIClient, settings
) -> None:
    settings.WORKER_BEAT_SECONDS = 0.05
    beats = [of_worker(f"{name}@{HERE}", queues=[name], processes=lambda: [os.getpid()]) for name in ("a", "b")]
    for beat in beats:
        beat.start()
    wait_until(lambda: Beat.objects.count() == 2)
    first = Beat.objects.earliest("seen").seen
    wait_until(lambda: Beat.objects.earliest("seen").seen > first)
    assert Beat.objects.count() == 2
    (one,) = machines(api).values()
    assert [(row["name"], row["queues"]) for row in one["workers"]] == [(f"a@{HERE}", ["a"]), (f"b@{HERE}", ["b"])]
    for beat in beats:
        beat.stop()
    wait_until(lambda: not Beat.objects.exists())


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_answer_costs_a_beat_and_no_more(monkeypatch, settings) -> None:
    settings.WORKER_BEAT_SECONDS = 0.05
    name = f"{uuid.uuid4()}@{HERE}"
    beat = of_worker(name, queues=[], processes=list)
    with monkeypatch.context() as patch:
        patch.setattr(Beat.objects, "bulk_create", lambda *_, **__: 1 / 0)
        beat.start()
        beat._thread.join(0.3)
        assert beat._thread.is_alive()
    wait_until(lambda: Beat.objects.filter(name=name).exists())
    beat.stop()
    beat._thread.join(10)


@pytest.mark.django_db
def test_a_beat_is_one_write(django_assert_num_queries) -> None:
    beat = of_worker(f"one@{HERE}", queues=[], processes=list)
    before = timezone.now()
    with django_assert_num_queries(1, connection=connection):
        beat._beat()
    assert Beat.objects.get().seen >= before - timedelta(seconds=5)


@pytest.mark.django_db(transaction=True)
def test_the_broker_says_how_many_messages_wait(api: APIClient, broker: Broker, worker: StartWorker, settings) -> None:
    worker().wait_ready().kill()  # RabbitMQ knows a queue once somebody listened to it
    broker.wait_unheard()
    job = create_job("practice", "a job", shards=[ShardSpec(), ShardSpec(), ShardSpec()])
    for _ in range(2):
        work.apply_async((job.pk,), queue=f"{settings.QUEUE_PREFIX}practice")
    wait_until(lambda: depth(api)["waiting"] == 2)
    assert (depth(api)["shards_waiting"], depth(api)["running"]) == (3, 0)


@pytest.mark.django_db
def test_a_broker_that_is_away_is_not_taken_for_empty(api: APIClient, settings) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        scheme = settings.CELERY_BROKER_URL.partition(":")[0]
        settings.CELERY_BROKER_URL = f"{scheme}://127.0.0.1:{probe.getsockname()[1]}/0"
    if scheme == "redis":  # for RabbitMQ, Celery's own connection is asked, which tests share
        assert depth(api)["waiting"] is None
    settings.CELERY_BROKER_URL = "filesystem://"
    assert depth(api)["waiting"] is None


@pytest.mark.django_db
def test_images_that_could_not_be_read_are_told_of_once_with_the_newest_job(api: APIClient) -> None:
    cache.clear()
    bad = {"md5": "0" * 32, "code": "not_an_image", "detail": "it is not an image"}
    for _ in range(2):
        job = create_job("practice", "a job", shards=[ShardSpec(), ShardSpec()])
        results: list[dict[str, Any]] = [{"quarantined": [bad]}, {"quarantined": []}]
        for result in results:
            held = claim(job.pk, worker="me")
            assert held is not None
            complete(held, result)
    told = api.get("/workers").json()["quarantined"]
    assert told == {
        "images": 1,
        "results": [
            {
                "sample": None,
                "dataset": None,
                "digest": "0" * 32,
                "reason": "it is not an image",
                "code": "not_an_image",
            }
            | {"job": job.pk}
        ],
    }
    cache.clear()


def test_a_machine_without_a_gpu_says_so() -> None:
    found, note = machine.gpus()
    assert (found == []) == (note is not None)
    assert note is None or "NVIDIA" in note


def test_a_process_that_has_gone_has_no_figures() -> None:
    assert (machine.resident(2**22 - 1), machine.begun(2**22 - 1)) == (None, None)
    assert (machine.resident(os.getpid()) or 0) > 1 << 20
