"""Workers are killed while they read an archive into a dataset and while they commit it: the last version stays as it
was, and the retry makes one version of all of it."""

import random
import time

import pytest
from django.test import override_settings
from rest_framework.test import APIClient
from tests.conftest import StartWorker
from tests.datasets.catalog.test_ingest_upload import tar_of
from tests.datasets.conftest import CLASSES, png, sent
from tests.workers import wait_until

from accounts.models import User
from catalog.models import Dataset
from catalog.versions.datasets import create_dataset, find_dataset, find_version
from jobs import tasks
from jobs.models import Job, Shard

pytestmark = pytest.mark.production

KILLS = 4
FIRST, MORE = 50, 2500
SECONDS = 150.0
LONGEST = 1.5  # from the claim to the blow: reading and committing take about that
MAX_CLAIMS = KILLS * 3
PATIENCE = {"MOTHERLODE_JOB_LEASE_SECONDS": "1", "MOTHERLODE_JOB_MAX_CLAIMS": str(MAX_CLAIMS)}


def keys(version: str) -> set[str]:
    rows = find_version(find_dataset("digits"), version).revisions
    return set(rows.values_list("sample__key", flat=True))


def images(numbers: range) -> dict[str, bytes]:
    return {f"cat/{number}.png": png(number) for number in numbers}


@override_settings(JOB_MAX_CLAIMS=MAX_CLAIMS)
@pytest.mark.timeout(SECONDS + 90)
@pytest.mark.usefixtures("object_store")
def test_a_killed_commit_leaves_the_last_version_and_is_made_once(
    worker: StartWorker, api: APIClient, alice: User
) -> None:
    create_dataset("digits", task="classification", classes=CLASSES, description="", author=alice)
    api.post("/datasets/digits", {"archive": sent("a.tar", tar_of(images(range(FIRST)), "w"))})
    told = api.post("/datasets/digits", {"archive": sent("b.tar", tar_of(images(range(FIRST, FIRST + MORE)), "w"))})
    job = Job.objects.get(pk=told.json()["job"]["id"])
    shard, before = job.shards.get(), keys("head")
    hits, deadline = 0, time.monotonic() + SECONDS
    while hits < KILLS:
        pool = worker(queues=("compute",), env=PATIENCE).wait_ready()
        tasks.sweep()
        wait_until(lambda: running(shard) or not is_open(job))
        time.sleep(random.uniform(0.0, LONGEST) * (hits / (KILLS - 1)) ** 2)  # sooner at first: some must hit
        hits += running(shard)
        pool.kill()
        if not is_open(job):  # it was done before the blow fell: the earlier ones have hit
            break
        assert keys("head") == before
        assert Dataset.objects.get(name="digits").versions.count() == 1
        time.sleep(1.1)  # its lease
        assert time.monotonic() < deadline
    worker(queues=("compute",), env=PATIENCE).wait_ready()
    while is_open(job):
        tasks.sweep()
        time.sleep(0.1)
        assert time.monotonic() < deadline, job.error
    assert job.state == Job.State.SUCCEEDED, job.error
    assert hits >= KILLS // 2, "too few kills hit the shard at work: this proves little"
    assert (keys("1"), keys("head")) == (before, before | set(images(range(FIRST, FIRST + MORE))))
    assert Dataset.objects.get(name="digits").versions.count() == 2


def is_open(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_open


def running(shard: Shard) -> bool:
    shard.refresh_from_db()
    return shard.state == Shard.State.RUNNING
