"""Workers, the broker and the S3 server are killed while a pool is scored: every sample is scored exactly once."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from rest_framework.test import APIClient
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.datasets.conftest import data, png
from tests.linear_model import CLASSES, registered
from tests.workers import Worker

from accounts.models import User
from blobs.services import store
from embedded import seaweed
from jobs import tasks
from jobs.models import Job, Shard
from mining_jobs.models import SCORE, MiningJob, ScoreFile
from mining_jobs.scores.files import parts_of, table_of
from registry.models import Model, ModelVersion

IMAGES, SHARD = 200, 5
BLOWS = {
    4: Counter(process=1, worker=1, broker=1, store=1),
    20: Counter(process=11, worker=2, broker=3, store=4),
}
MOST = 60  # times that a shard may be claimed
SECONDS = {4: 200.0, 20: 600.0}  # by kills; far less where nothing else runs
LONGEST = 0.8  # from one blow to the next, beside what it takes to be back on one's feet
PATIENCE = {
    "MOTHERLODE_JOB_LEASE_SECONDS": "1",
    "MOTHERLODE_JOB_MAX_CLAIMS": str(MOST),
    "MOTHERLODE_JOB_MAX_ATTEMPTS": str(MOST),
    "MOTHERLODE_COMPUTE_SLOTS": "2",
}


class Server:
    """An S3 server of the test's own, which can be killed and started again on what it had on disk."""

    def __init__(self, folder: Path) -> None:
        self.config = seaweed.SeaweedConfig.on_free_ports(folder / "data", access_key="tester", secret_key="s" * 16)
        self.log = folder / "s3.log"
        self.start()

    def start(self) -> None:
        argv, env, cwd = seaweed.command(self.config)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(argv, env=env, cwd=cwd, stdout=log, stderr=subprocess.STDOUT)
        seaweed.wait_ready(self.config)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The platform's object store, here and in all processes that are started from now on."""
    made = Server(tmp_path)
    environment = {"ENDPOINT": made.config.endpoint, "ACCESS_KEY": "tester", "SECRET_KEY": "s" * 16, "BUCKET": "faults"}
    for name, value in environment.items():
        monkeypatch.setenv(f"MOTHERLODE_S3_{name}", value)
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", "")  # everything is asked of the server
    store.cache_clear()
    store().ensure_bucket()
    yield made
    store.cache_clear()
    made.kill()


@pytest.fixture
def linear(server: Server, api: APIClient, settings: Any) -> Model:
    """A model without versions, and a dataset with a pool that is scored in many shards."""
    settings.SHARD_SAMPLES = SHARD
    common = {"task": "classification", "classes": CLASSES}
    assert api.post("/datasets", {"name": "dots"} | common, format="json").status_code == 201
    assert api.post("/models", {"name": "linear"} | common, format="json").status_code == 201
    samples = [{"key": f"{number}.png", "data": data(png(number, (4, 4))), "split": "pool"} for number in range(IMAGES)]
    answer = api.post("/datasets/dots", {"samples": samples, "near_duplicates": "allow"}, format="json")
    assert answer.status_code == 201, answer.content
    return Model.objects.get()


def start(api: APIClient, version: ModelVersion) -> Job:
    body = {"dataset": "dots", "model": f"linear@{version.number}", "strategy": "margin", "count": 5}
    answer = api.post("/mining/jobs", body, format="json")
    assert answer.status_code == 202, answer.content
    return MiningJob.objects.get(pk=answer.json()["id"]).job


def strike_worker(job: Job) -> bool:
    """Kill a process that scores right now; False when there was none to be hit."""
    owners = list(job.shards.filter(state=Shard.State.RUNNING).values_list("owner", flat=True))
    if not owners:
        return False
    with suppress(ProcessLookupError):
        os.kill(int(random.choice(owners).rpartition(":")[2]), signal.SIGKILL)
        return True
    return False


def is_open(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_open


@override_settings(JOB_MAX_CLAIMS=MOST)
@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.clock)])
@pytest.mark.timeout(max(SECONDS.values()) + 90)
def test_every_sample_is_scored_once_while_workers_broker_and_store_are_killed(
    worker: StartWorker, broker: Broker, server: Server, linear: Model, api: APIClient, alice: User, kills: int
) -> None:
    def pool() -> Worker:
        return worker(processes=2, queues=("compute",), env=PATIENCE).wait_ready()

    running, hits, jobs, deadline = pool(), Counter[str](), list[Job](), time.monotonic() + SECONDS[kills]
    blows = random.sample(list(BLOWS[kills].elements()), kills)
    while blows or is_open(jobs[-1]):
        assert time.monotonic() < deadline, f"{dict(hits)} in {len(jobs)} jobs, the last at {done(jobs[-1])}"
        assert running.is_alive, running.log.read_text()
        if not jobs or not is_open(jobs[-1]):  # the next model, as long as there are blows to fall
            jobs.append(start(api, registered(linear, alice, seed=len(jobs), number=len(jobs) + 1)))
        tasks.sweep()  # beat would do this
        time.sleep(random.uniform(0.0, LONGEST) if blows else 0.1)
        if not blows or (blows[-1] == "process" and not strike_worker(jobs[-1])):
            continue
        blow = blows.pop()
        hits[blow] += 1
        if blow == "worker":
            running.kill()
            running = pool()
        elif blow == "store":
            server.kill()
            time.sleep(random.uniform(0.0, 0.5))
            server.start()
        elif blow == "broker":
            broker.kill()
    assert hits == BLOWS[kills]
    assert max(shard.attempts for job in jobs for shard in job.shards.all()) > 1, "no kill hit a shard at work"
    for job in jobs:
        assert_each_once(job)

    again = start(api, jobs[-1].mining.model)
    while is_open(again):
        assert time.monotonic() < deadline + 60
        tasks.sweep()
        time.sleep(0.1)
    results = [shard.result or {} for shard in again.shards.filter(phase=SCORE)]
    assert (sum(r["scored"] for r in results), sum(r["reused"] for r in results)) == (0, IMAGES)
    assert not ScoreFile.objects.filter(job=again).exists()


def done(job: Job) -> str:
    return f"{job.shards.filter(state=Shard.State.DONE).count()} of {job.shards.count()}"


def assert_each_once(job: Job) -> None:
    assert job.state == Job.State.SUCCEEDED, job.error
    shards = job.shards.filter(phase=SCORE)
    files = list(ScoreFile.objects.filter(job=job).select_related("blob"))
    assert sorted(file.shard for file in files) == sorted(shards.values_list("index", flat=True))
    found = Counter(row for part in parts_of(file.blob.ref for file in files) for row in part.md5.tolist())
    assert (len(found), set(found.values())) == (IMAGES, {1})
    assert sum((shard.result or {})["scored"] for shard in shards) == IMAGES
    assert len(table_of(job.mining.model)) == IMAGES
