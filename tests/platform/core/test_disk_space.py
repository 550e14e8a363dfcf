"""A full disk: writes are refused in words, reads go on, work waits, and all goes on when there is room."""

import errno
from typing import Any

import pytest
from django.db import OperationalError, connection
from tests.practice import counted

from core import disk_space
from core.problems import response_to
from jobs import runner, services
from jobs.models import Job, Shard
from jobs.services import ShardSpec, claim, create_job

FULL = 1 << 60
NEW = {"name": "roads", "task": "classification", "classes": ["a", "b"]}
pytestmark = [pytest.mark.django_db, pytest.mark.both]


def test_writes_are_refused_and_reads_go_on_until_there_is_room(api: Any, settings: Any) -> None:
    assert api.post("/datasets", NEW, format="json").status_code == 201
    settings.MIN_FREE_BYTES = FULL
    refused = api.post("/datasets", NEW | {"name": "more"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (507, "disk_full")
    assert "MiB are free on the platform's disk" in refused.json()["detail"]
    assert api.get("/datasets/roads").status_code == 200
    assert "writes are refused" in api.get("/health/ready").json()["disk"]
    settings.MIN_FREE_BYTES = 0
    assert api.post("/datasets", NEW | {"name": "more"}, format="json").status_code == 201


def test_what_frees_space_or_ends_work_is_let_through(api: Any, settings: Any) -> None:
    api.post("/datasets", NEW, format="json")
    job = create_job("practice", "a job", shards=[ShardSpec()])
    settings.MIN_FREE_BYTES = FULL
    assert api.post(f"/jobs/{job.pk}/cancel").status_code == 202
    assert api.post("/datasets/roads/archive").status_code == 200
    assert api.post("/datasets/roads/deletion", {"confirm": "roads"}, format="json").status_code == 202
    assert api.post("/gc", {"dry_run": True}, format="json").status_code == 202


@pytest.mark.django_db(transaction=True)
def test_a_job_waits_while_the_disk_is_full(settings: Any) -> None:
    job = create_job("practice", "a job", shards=[ShardSpec()])
    settings.MIN_FREE_BYTES = FULL
    assert not runner.work_on(job.pk)
    assert job.shards.get().attempts == 0
    settings.MIN_FREE_BYTES = 0
    assert runner.work_on(job.pk)
    assert counted(job.pk) == [0]


@pytest.mark.django_db(transaction=True)
def test_a_shard_that_met_a_full_disk_is_tried_again_without_an_attempt_lost(settings: Any) -> None:
    job = create_job("practice", "a job", shards=[ShardSpec()])
    held = claim(job.pk, worker="me")
    assert held is not None
    runner._ended(held, OSError(errno.ENOSPC, "No space left on device"))
    shard = Shard.objects.get(pk=held.shard.pk)
    assert (shard.state, shard.attempts) == (Shard.State.TODO, 0)
    assert "A disk is full" in str(job.events.get().data["message"])
    assert Job.objects.get(pk=job.pk).is_open


@pytest.mark.django_db(transaction=True)
def test_a_shard_waits_for_a_silent_store_however_long(settings: Any, tmp_path: Any) -> None:
    params = {"do": "wait for the store", "store": str(tmp_path / "there")}
    job = create_job("practice", "a job", shards=[ShardSpec(params=params)])
    for _ in range(settings.JOB_MAX_ATTEMPTS + 3):
        assert runner.work_on(job.pk)
        assert job.shards.update(not_before=None) == 1
    assert [event.data["message"] for event in job.events.all()] == ["Shard 0 waits: the object store does not answer."]
    (tmp_path / "there").touch()
    assert runner.work_on(job.pk)
    assert services.wait(job.pk, seconds=0).state == Job.State.SUCCEEDED


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's disk is not ours to fill")
def test_a_database_without_room_is_told_as_a_full_disk() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        pages = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
        try:
            with pytest.raises(OperationalError) as raised:
                cursor.execute("CREATE TABLE large AS SELECT randomblob(100000000) AS bytes")
        finally:
            cursor.execute("PRAGMA max_page_count = 1073741823")
    assert disk_space.is_cause_of(raised.value)
    assert response_to(raised.value).status_code == 507


def test_other_faults_are_no_full_disk() -> None:
    assert not disk_space.is_cause_of(OSError(errno.EIO, "Input/output error"))
    assert not disk_space.is_cause_of(OperationalError("database is locked"))
    assert not disk_space.is_cause_of(ValueError("a file that somebody called 'No space left on device'"))
