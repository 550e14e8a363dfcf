"""`/jobs`: the list, one job with its live events and its shards, cancelling, and taking up again what failed."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from jobs import services
from jobs.models import Job, JobEvent
from jobs.services import ShardSpec, claim, complete, create_job, fail

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def job_of(kind: str = "practice") -> Job:
    return create_job(kind, "a job", shards=[ShardSpec(units=10)])


def test_the_list_shows_the_newest_first_and_can_be_narrowed(api: APIClient) -> None:
    first, second, third = job_of(), job_of("train"), job_of()
    services.cancel(third.pk)
    assert [job["id"] for job in api.get("/jobs").json()["results"]] == [third.pk, second.pk, first.pk]
    assert [job["id"] for job in api.get("/jobs?kind=train").json()["results"]] == [second.pk]
    assert [job["id"] for job in api.get("/jobs?state=cancelled,failed").json()["results"]] == [third.pk]


@pytest.mark.parametrize(
    ("words", "found"), [("digits v0", {0}), ("TRAIN", {0, 1}), ("#{2}", {2}), ("{1}", {1}), ("nothing", set())]
)
def test_jobs_are_found_by_title_kind_and_number(api: APIClient, words: str, found: set[int]) -> None:
    made = [
        create_job("train", "Train small_cnn on digits v0", shards=[ShardSpec()]),
        create_job("train", "Train vit_tiny", shards=[ShardSpec()]),
        create_job("export", "Export roads", shards=[ShardSpec()]),
    ]
    words = words.format(*(job.pk for job in made))
    answer = api.get("/jobs", {"q": words}).json()
    assert {job["id"] for job in answer["results"]} == {made[index].pk for index in found}
    assert {"train", "export"} <= set(answer["kinds"])
    assert list(api.get("/jobs", {"q": "a\0"}).json()["errors"]) == ["q"]


def test_several_kinds_may_be_asked_for_but_none_that_is_unknown(api: APIClient) -> None:
    practice, train = job_of(), job_of("train")
    job_of("export")
    assert [job["id"] for job in api.get("/jobs?kind=train,practice").json()["results"]] == [train.pk, practice.pk]
    answer = api.get("/jobs?kind=dream")
    assert (answer.status_code, "use " in answer.json()["errors"]["kind"][0]) == (400, True)


def test_a_longer_list_asks_the_database_no_more_often(api: APIClient) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api.get("/jobs").status_code == 200
        return len(queries)

    for _ in range(2):
        job_of("train"), job_of("map")
    few = asked()
    for _ in range(10):
        job_of("train"), job_of("map")
    assert asked() == few


def broken(kind: str = "practice") -> Job:
    """A job of three shards: one is done, the second failed for good, the third was not tried any more."""
    job = create_job(kind, "a job", shards=[ShardSpec(units=10) for _ in range(3)])
    for detail in ("", "no such class"):
        held = claim(job.pk, worker="host:7")
        assert held is not None
        fail(held, detail, code="broken", retry=False) if detail else complete(held, {})
    job.refresh_from_db()
    return job


def test_failed_shards_are_counted_and_say_what_failed(api: APIClient) -> None:
    job = broken()
    document = api.get(f"/jobs/{job.pk}").json()
    assert (document["state"], document["failed_shards"]) == ("failed", 1)
    (failed,) = api.get(f"/jobs/{job.pk}/shards?state=failed").json()["results"]
    assert (failed["index"], failed["error"], failed["owner"], failed["attempts"]) == (1, "no such class", "host:7", 1)
    everything = api.get(f"/jobs/{job.pk}/shards").json()["results"]
    assert [(row["index"], row["state"]) for row in everything] == [(0, "done"), (1, "failed"), (2, "cancelled")]
    assert api.get(f"/jobs/{job.pk}/shards?state=lost").status_code == 400
    page = api.get(f"/jobs/{job.pk}/shards?limit=2").json()
    assert [row["index"] for row in api.get(page["next"]).json()["results"]] == [2]


def test_what_failed_is_taken_up_again_where_the_kind_bears_it(api: APIClient, settings, broker) -> None:
    settings.JOB_RETRIED = {"practice"}
    job = broken()
    assert api.get(f"/jobs/{job.pk}").json()["retriable"] is True
    answer = api.post(f"/jobs/{job.pk}/retry")
    assert (answer.status_code, answer.json()["state"], answer.json()["failed_shards"]) == (202, "queued", 0)
    assert answer.json()["progress"]["done"] == 10
    again = api.post(f"/jobs/{job.pk}/retry")
    assert (again.status_code, again.json()["code"]) == (409, "job_not_resumable")
    assert api.get(f"/jobs/{job.pk}").json()["retriable"] is False


def test_a_kind_whose_owner_has_drawn_conclusions_is_not_taken_up_again(api: APIClient) -> None:
    job = broken("backtest")
    assert api.get(f"/jobs/{job.pk}").json()["retriable"] is False
    answer = api.post(f"/jobs/{job.pk}/retry")
    assert (answer.status_code, answer.json()["code"]) == (409, "job_not_retried")
    assert Job.objects.get(pk=job.pk).state == Job.State.FAILED
    assert api.post("/jobs/99/retry").status_code == 404


def test_a_job_without_a_page_of_its_own_is_shown_as_a_job(api: APIClient) -> None:
    job = job_of()
    assert api.get(f"/jobs/{job.pk}").json()["href"] == f"/jobs/{job.pk}"


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
