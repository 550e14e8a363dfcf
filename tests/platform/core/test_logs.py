"""Log records carry what is at work: of a real request its id and its user, of a real worker its job and shard."""

import json
import logging
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client
from rest_framework.test import APIClient
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.web import Web
from tests.workers import environment, wait_until

from accounts.models import Token, User
from blobs.settings import StoreConfig
from core.errors import NotFound
from core.logs import JsonFormatter, LineFormatter, add_log_fields, log_fields
from core.problems import response_to
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from jobs.tasks import wake

JSON = {"MOTHERLODE_LOG_FORMAT": "json"}


def records(log: Path) -> list[dict[str, Any]]:
    """Those in a log that are JSON; a worker's banner is not."""
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def record(message: str = "it broke", **more: Any) -> logging.LogRecord:
    return logging.LogRecord("a.name", logging.ERROR, __file__, 1, message, (), more.get("exc_info"))


def test_a_record_is_one_line_of_json_with_the_fields_that_hold() -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        failed = record("a file called \udcff", exc_info=sys.exc_info())
    with log_fields(job_id=3, shard=0):
        add_log_fields(user="ana")
        line = JsonFormatter().format(failed)
    assert "\n" not in line
    document = json.loads(line)
    assert document["time"].endswith("Z")
    assert "ValueError: two\nlines" in document.pop("exception")
    assert document.items() >= {"level": "ERROR", "logger": "a.name", "job_id": 3, "shard": 0, "user": "ana"}.items()
    assert "job_id" not in json.loads(JsonFormatter().format(record()))


def test_a_line_for_people_ends_with_the_fields() -> None:
    formatter = LineFormatter("%(levelname)s %(message)s")
    with log_fields(job_id=3, shard=0):
        assert formatter.format(record()) == "ERROR it broke [job_id=3 shard=0]"
    assert formatter.format(record()) == "ERROR it broke"


@pytest.mark.django_db
@pytest.mark.parametrize("asked", ["", "no spaces", "x" * 65, "a\tb", "ä"])
def test_an_id_that_is_not_well_formed_is_replaced(client: Client, asked: str) -> None:
    answers = [client.get("/health/live", headers={"X-Request-ID": asked})["X-Request-ID"] for _ in range(2)]
    assert asked not in answers
    assert len(set(answers)) == 2


@pytest.mark.django_db
def test_a_well_formed_id_is_answered_whatever_the_answer_is(client: Client, api: APIClient) -> None:
    for one, path in ((client, "/health/live"), (client, "/jobs"), (api, "/jobs"), (client, "/nowhere")):
        assert one.get(path, headers={"X-Request-ID": "a-1.b_2"})["X-Request-ID"] == "a-1.b_2"


def test_our_own_fault_names_the_request_and_theirs_does_not() -> None:
    with log_fields(request_id="a-1"):
        assert json.loads(response_to(None).content)["instance"] == "urn:motherlode:request:a-1"
        assert "instance" not in json.loads(response_to(NotFound("There is no job 1.")).content)


@pytest.mark.django_db(transaction=True)
def test_a_real_request_leaves_a_record_with_its_id_its_user_and_its_route(
    alice: User, s3_server: StoreConfig, broker: Broker, tmp_path: Path
) -> None:
    log = tmp_path / "web.log"
    started = Web(environment() | s3_server.to_env() | JSON, log)
    try:
        secret = Token.objects.issue(alice, "test")[1]
        headers = {"Authorization": f"Bearer {secret}", "X-Request-ID": "mine-7"}
        answer = httpx.get(f"{started.url}/jobs/12345", headers=headers)
        assert (answer.status_code, answer.headers["X-Request-ID"]) == (404, "mine-7")
        wait_until(lambda: any(one.get("request_id") == "mine-7" for one in records(log)))
    finally:
        started.kill()
    (found,) = [one for one in records(log) if one.get("request_id") == "mine-7"]
    whose = {"user_id": alice.pk, "user": "alice"}
    assert found.items() >= (whose | {"route": "/jobs/{pk}", "method": "GET", "status": 404}).items()
    assert "12345" not in json.dumps(found)


@pytest.mark.django_db(transaction=True)
def test_a_real_workers_records_carry_job_and_shard(worker: StartWorker, alice: User) -> None:
    running = worker(env=JSON).wait_ready()
    todo = [ShardSpec({"do": "count"}), ShardSpec({"do": "stumble", "until": 2})]
    job = create_job("practice", "stumbles once", shards=todo, created_by=alice)
    wake(job)
    wait_until(lambda: any(one["level"] == "ERROR" for one in records(running.log)))
    (failed,) = [one for one in records(running.log) if one["level"] == "ERROR"]
    ids = {"job_id": job.pk, "job_kind": "practice", "shard": 1, "user_id": alice.pk}
    assert failed.items() >= (ids | {"message": f"shard 1 of job {job.pk} failed"}).items()
    assert "the disk stumbled" in failed["exception"]
    (done,) = [one for one in records(running.log) if one["message"] == f"shard 0 of job {job.pk} is done"]
    assert (done["job_id"], done["shard"]) == (job.pk, 0)


@pytest.mark.django_db(transaction=True)
def test_what_a_program_prints_becomes_records_of_its_shard(worker: StartWorker) -> None:
    running = worker(env=JSON).wait_ready()
    job = create_job("programs", "prints", shards=[ShardSpec({"do": "work", "steps": 1})])
    wake(job)
    wait_until(lambda: Job.objects.get(pk=job.pk).state == Job.State.SUCCEEDED)
    printed = [one for one in records(running.log) if one["message"] == "about to work"]
    assert [(one["job_id"], one["shard"]) for one in printed] == [(job.pk, 0)]
