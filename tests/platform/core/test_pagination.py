"""Cursors: following them gives the whole list, once each, and no other word is taken for one."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.laws import examples

from accounts.models import User
from core.pagination import encode
from jobs.models import Job
from jobs.services import ShardSpec, create_job

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def walk(api: APIClient, url: str, *, between: list[int] | None = None) -> list[int]:
    """The ids of all pages; while the pages are turned, new jobs arrive."""
    ids: list[int] = []
    following: str | None = url
    while following:
        page = api.get(following).json()
        ids += [row["id"] for row in page["results"]]
        following = page["next"]
        if between:
            between.pop()
            make_jobs(1)
    return ids


def make_jobs(count: int) -> list[int]:
    return [create_job("practice", "a job", shards=[ShardSpec()]).pk for _ in range(count)]


@settings(max_examples=examples(15))
@given(count=st.integers(0, 12), limit=st.integers(1, 14))
def test_pages_make_up_the_whole_list(api: APIClient, count: int, limit: int) -> None:
    Job.objects.all().delete()
    made = make_jobs(count)
    assert walk(api, f"/jobs?limit={limit}") == made[::-1]


def test_what_arrives_while_pages_are_turned_moves_nothing(api: APIClient) -> None:
    made = make_jobs(7)
    assert walk(api, "/jobs?limit=2", between=[1, 2, 3]) == made[::-1]


def test_the_other_parameters_stay(api: APIClient) -> None:
    make_jobs(3)
    following = api.get("/jobs?limit=1&kind=practice&state=queued,running").json()["next"]
    assert {"limit=1", "kind=practice", "state=queued%2Crunning"} <= set(urlsplit(following).query.split("&"))


@pytest.mark.parametrize("limit", [1, 2, 500])
def test_what_is_called_just_so_comes_first_and_every_row_once(api: APIClient, limit: int) -> None:
    first, *others = [
        api.post("/projects", {"name": name}, format="json").json()["id"]
        for name in ("Road", "road-1", "broad", "road2")
    ]
    assert walk(api, f"/projects?limit={limit}&q=road") == [first, *sorted(others, reverse=True)]
    following = api.get("/projects?limit=1&q=road").json()["next"]
    assert api.get(following.replace("q=road", "q=")).status_code == 400


@pytest.mark.parametrize("cursor", ["", "x", "eyJhIjoxfQ", "NQ", "\x00", "..%2F", "null", "é"])
def test_a_word_that_is_no_cursor_is_a_400(api: APIClient, cursor: str) -> None:
    answer = api.get("/jobs", {"cursor": cursor})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["cursor"])


@given(st.text(max_size=40))
@settings(max_examples=examples(30))
def test_no_text_is_taken_for_a_cursor(api: APIClient, cursor: str) -> None:
    assert api.get("/jobs", {"cursor": cursor}).status_code == 400


def test_a_cursor_of_another_list_is_a_400(api: APIClient, alice: User) -> None:
    assert api.get("/jobs", {"cursor": encode(alice.pk, path="/models")}).status_code == 400
    assert api.get("/jobs", {"cursor": encode(alice.pk, path="/jobs")}).status_code == 200


@pytest.mark.parametrize("limit", ["0", "501", "-1", "ten", "1e3", ""])
def test_a_limit_out_of_bounds_is_a_400(api: APIClient, limit: str) -> None:
    answer = api.get("/jobs", {"limit": limit})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["limit"])
