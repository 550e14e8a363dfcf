"""`/jobs`: the list, one job with its live events, and cancelling."""

import pytest
from rest_framework.test import APIClient

from jobs import services
from jobs.models import Job, JobEvent
from jobs.services import ShardSpec, claim, complete, create_job

pytestmark = pytest.mark.django_db


def job_of(kind: str = "practice") -> Job:
    return create_job(kind, "a job", shards=[ShardSpec(units=10)])


def test_the_list_shows_the_newest_first_and_can_be_narrowed(api: APIClient) -> None:
    first, second, third = job_of(), job_of("train"), job_of()
    services.cancel(third.pk)
    assert [job["id"] for job in api.get("/jobs").json()["results"]] == [third.pk, second.pk, first.pk]
    assert [job["id"] for job in api.get("/jobs?kind=train").json()["results"]] == [second.pk]
    assert [job["id"] for job in api.get("/jobs?state=cancelled,failed").json()["results"]] == [third.pk]


def test_an_unknown_state_is_named(api: APIClient) -> None:
    answer = api.get("/jobs?state=sleeping")
    assert answer.status_code == 400
    assert "sleeping" in answer.json()["errors"]["state"][0]


def test_a_job_shows_state_progress_and_address(api: APIClient) -> None:
    job = job_of()
    held = claim(job.pk, worker="me")
    assert held is not None
    complete(held, {"made": 3})
    document = api.get(f"/jobs/{job.pk}").json()
    assert (document["state"], document["result"], document["url"]) == ("succeeded", {"made": 3}, f"/jobs/{job.pk}")
    assert (document["progress"]["done"], document["progress"]["total"]) == (10, 10)


def test_events_are_read_on_from_the_cursor(api: APIClient) -> None:
    job, other = job_of(), job_of()
    services.log(job.pk, "one")
    services.log(other.pk, "not mine")
    JobEvent.objects.create(job=job, kind=JobEvent.Kind.POINT, data={"step": 1, "values": {"loss": 0.5}})
    first = api.get(f"/jobs/{job.pk}").json()
    assert [line["message"] for line in first["log"]] == ["one"]
    assert [(point["step"], point["values"]) for point in first["points"]] == [(1, {"loss": 0.5})]
    services.log(job.pk, "two")
    second = api.get(f"/jobs/{job.pk}?since={first['next']}").json()
    assert ([line["message"] for line in second["log"]], second["points"]) == (["two"], [])
    third = api.get(f"/jobs/{job.pk}?since={second['next']}").json()
    assert (third["log"], third["points"], third["next"]) == ([], [], second["next"])


def test_a_job_can_be_cancelled(api: APIClient) -> None:
    job = job_of()
    answer = api.post(f"/jobs/{job.pk}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")


@pytest.mark.parametrize("path", ["/jobs/99", "/jobs/99?since=0"])
def test_a_job_that_is_not_there_is_a_404(api: APIClient, path: str) -> None:
    answer = api.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert api.post("/jobs/99/cancel").status_code == 404


@pytest.mark.parametrize("since", ["x", "-1", "99999999999999999999"])
def test_a_bad_cursor_names_its_parameter(api: APIClient, since: str) -> None:
    answer = api.get(f"/jobs/{job_of().pk}?since={since}")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["since"])
