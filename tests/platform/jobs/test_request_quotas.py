"""Requests a minute of a project: counted in a real Valkey by all web processes, and not where none are limited."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import redis
from rest_framework.test import APIClient
from tests.threads import at_once

from accounts.models import AuditEvent, Membership, Project, Role, User
from accounts.projects import create_project
from catalog.versions.datasets import create_dataset
from core.errors import TooManyRequests
from embedded import valkey
from jobs import request_quotas
from jobs.models import Quota

pytestmark = [pytest.mark.django_db, pytest.mark.both]

NEW = {"name": "more", "task": "classification", "classes": ["a"], "project": "roads"}


@pytest.fixture(scope="module")
def counters() -> Iterator[str]:
    """The address of a Valkey of this file's own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    argv = [str(valkey.binary()), "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    server = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    url, ends = f"redis://127.0.0.1:{port}/0", time.monotonic() + 10
    with redis.Redis.from_url(url) as client:
        while time.monotonic() < ends:
            with suppress(redis.ConnectionError):
                client.ping()
                break
            time.sleep(0.01)
    yield url
    server.terminate()
    server.wait()


@pytest.fixture(autouse=True)
def counting(counters: str, settings: Any) -> Iterator[redis.Redis]:
    settings.COUNTERS_URL = counters
    request_quotas.known = request_quotas.Known()
    with redis.Redis.from_url(counters) as client:
        client.flushall()
        yield client


@pytest.fixture
def roads(alice: User) -> Project:
    project = create_project("roads")
    create_dataset("roads", task="classification", classes=["a"], description="", author=alice, project=project)
    return project


def limit(api: APIClient, most: int | None) -> Any:
    return api.patch("/projects/roads/quota", {"requests": most}, format="json")


def test_beyond_the_quota_a_request_is_refused_and_says_when_to_go_on(
    api: APIClient, roads: Project, counting: redis.Redis
) -> None:
    set_ = limit(api, 2)
    assert (set_.status_code, set_.json()["requests"], set_.json()["requested"]) == (200, 2, 0)
    assert [api.get("/datasets/roads").status_code for _ in range(2)] == [200, 200]
    refused = api.get("/datasets/roads")
    told = refused.json()
    assert (refused.status_code, told["code"]) == (429, "requests_quota")
    assert int(refused["Retry-After"]) == told["wait"]
    assert 50 < told["wait"] <= 60
    assert "2 requests a minute" in told["detail"]
    assert api.get("/datasets").status_code == 200, "a list of several projects counts for none"
    (key,) = counting.keys()
    counting.pexpire(key, 1)
    time.sleep(0.01)
    assert api.get("/datasets/roads").status_code == 200


def test_a_request_counts_once_whatever_it_looks_at(api: APIClient, roads: Project) -> None:
    limit(api, 100)
    api.get("/datasets/roads/versions")
    api.get("/datasets?project=roads")
    api.post(
        "/datasets", {"name": "more", "task": "classification", "classes": ["a"], "project": "roads"}, format="json"
    )
    assert {one["project"]: one["requested"] for one in api.get("/workers").json()["projects"]}["roads"] == 3
    assert request_quotas.counts([roads.pk]) == {roads.pk: 3}


def test_other_projects_and_unlimited_ones_are_not_counted(
    api: APIClient, roads: Project, counting: redis.Redis
) -> None:
    api.get("/datasets/roads")
    assert counting.keys() == []
    rail = create_project("rail")
    limit(api, 1)
    assert [api.get(f"/datasets?project={name}").status_code for name in ("roads", "rail", "rail")] == [200] * 3
    assert request_quotas.counts([roads.pk, rail.pk]) == {roads.pk: 1, rail.pk: 0}


def test_owners_of_the_platform_can_always_mend_it(api: APIClient, roads: Project) -> None:
    limit(api, 1)
    assert [api.get("/datasets/roads").status_code for _ in range(2)] == [200, 429]
    assert limit(api, 50).status_code == 200
    assert api.get("/datasets/roads").status_code == 200
    assert limit(api, None).json()["requested"] is None
    events = AuditEvent.objects.filter(kind="quota").order_by("pk").values_list("after", flat=True)
    assert list(events) == [{"requests": 1}, {"requests": 50}, {"requests": None}]


def test_a_refused_request_may_come_again_with_its_key(api: APIClient, roads: Project, counting: redis.Redis) -> None:
    limit(api, 1)
    api.get("/datasets/roads")
    send = lambda: api.post("/datasets", NEW, format="json", headers={"Idempotency-Key": "1"})  # noqa: E731 - said twice
    assert send().status_code == 429
    counting.flushall()
    assert send().status_code == 201


def test_somebody_of_one_project_is_counted_in_lists_too(
    api: APIClient, roads: Project, bob: User, api_of: Callable[[User], APIClient]
) -> None:
    Membership.objects.filter(user=bob).delete()
    Membership.objects.create(project=roads, user=bob, role=Role.VIEWER)
    limit(api, 1)
    assert [api_of(bob).get("/datasets").status_code for _ in range(2)] == [200, 429]
    assert api_of(bob).get("/session").status_code == 200, "what belongs to no project counts for none"
    assert api_of(bob).get("/projects/roads/quota").json()["requested"] == 2, "the refused one counts"
    assert api_of(bob).get("/workers").status_code == 200
    assert api_of(bob).get(f"/blobs/{'0' * 32}").status_code == 404, "images are looked for in all projects"


def test_many_at_once_are_counted_exactly(roads: Project) -> None:
    Quota.objects.create(project=roads, requests=25)
    request_quotas.known.limits, request_quotas.known.until = {roads.pk: 25}, time.monotonic() + 60

    def ask(_: int) -> int:
        refused = 0
        for _ in range(10):
            try:
                request_quotas.count(roads.pk)
            except TooManyRequests:
                refused += 1
        return refused

    assert sum(at_once(8, ask)) == 80 - 25


def test_a_redis_that_does_not_answer_refuses_nobody_and_is_let_alone(
    api: APIClient, roads: Project, settings: Any
) -> None:
    limit(api, 1)
    settings.COUNTERS_URL = "redis://127.0.0.1:1/0"
    assert [api.get("/datasets/roads").status_code for _ in range(3)] == [200] * 3
    assert request_quotas.known.silent_until > time.monotonic() + 1
    assert request_quotas.counts([roads.pk]) == {}


def test_where_nothing_counts_no_quota_is_set(api: APIClient, roads: Project, settings: Any) -> None:
    settings.COUNTERS_URL = ""
    refused = limit(api, 1)
    assert (refused.status_code, refused.json()["code"]) == (409, "requests_uncounted")
    assert "MOTHERLODE_COUNTERS_URL" in refused.json()["detail"]
    assert not Quota.objects.filter(requests__isnull=False).exists()
    assert limit(api, None).status_code == 200


@pytest.mark.parametrize("most", [0, -1, 1.5, "many", 10_000_001])
def test_a_quota_that_is_none_is_refused(api: APIClient, roads: Project, most: Any) -> None:
    assert list(limit(api, most).json()["errors"]) == ["requests"]


def test_other_processes_hear_of_a_quota(api: APIClient, roads: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    api.get("/datasets/roads")
    Quota.objects.update_or_create(project=roads, defaults={"requests": 1})  # as another process would
    assert [api.get("/datasets/roads").status_code for _ in range(2)] == [200, 200]
    monkeypatch.setattr(request_quotas, "HEARD_FOR", 0.0)
    request_quotas.forget()
    assert [api.get("/datasets/roads").status_code for _ in range(2)] == [200, 429]
