"""Service accounts have tokens alone, which owners make and which end; tokens may be good in one project alone."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, Project, Token, User
from accounts.services import create_user, first_project
from blobs.models import Blob

ApiOf = Callable[[User], APIClient]
pytestmark = pytest.mark.django_db
CAMERA = {"username": "camera", "role": "engineer", "service": True}
DATASET = {"name": "pets", "task": "classification", "classes": ["cat", "dog"]}


def signed(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def days_left(iso: str) -> int:
    return round((datetime.fromisoformat(iso) - timezone.now()) / timedelta(days=1))


@pytest.fixture
def camera(api: APIClient) -> Any:
    """A service account that builds, as the API answered; `token` is its first one."""
    answer = api.post("/people", CAMERA, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_an_owner_makes_one_that_works_as_its_role_allows(api: APIClient, camera: Any) -> None:
    assert (camera["service"], camera["role"]) == (True, "engineer")
    its = signed(camera["token"])
    assert its.post("/datasets", DATASET, format="json").status_code == 201
    assert its.post("/people", {"username": "eve"}, format="json").json()["code"] == "owners_only"
    rows = {row["username"]: row["service"] for row in api.get("/people").json()["results"]}
    assert rows == {"camera": True, "alice": False}
    (member,) = api.get("/projects/default/members").json()["results"]
    assert (member["username"], member["service"]) == ("camera", True)
    event = AuditEvent.objects.get(action="added")
    assert (event.name, event.after) == ("camera", {"role": "engineer", "service": True})


def test_it_opens_no_session(camera: Any) -> None:
    browser = APIClient()
    answer = browser.post("/session", {"token": camera["token"]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "service_account")
    assert browser.get("/session").status_code == 401


def test_its_tokens_end_and_only_owners_make_and_delete_them(api: APIClient, camera: Any) -> None:
    (first,) = api.get("/people/camera/tokens").json()["results"]
    assert days_left(first["expires"]) == 90
    longer = api.post("/people/camera/tokens", {"name": "b", "expires_in_days": 365}, format="json").json()
    never = api.post("/people/camera/tokens", {"name": "c", "expires_in_days": None}, format="json").json()
    assert (days_left(longer["expires"]), days_left(never["expires"])) == (365, 90)
    its = signed(camera["token"])
    for answer in (
        its.post("/people/me/tokens", {"name": "mine", "expires_in_days": 3650}, format="json"),
        its.delete(f"/people/me/tokens/{longer['id']}"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "service_account")
    assert api.delete(f"/people/camera/tokens/{longer['id']}").status_code == 204
    assert [row["name"] for row in its.get("/people/me/tokens").json()["results"]] == ["c", "first"]


def test_days_of_the_first_token_are_asked_for_people_too(api: APIClient) -> None:
    made = api.post("/people", CAMERA | {"expires_in_days": 7}, format="json").json()
    api.post("/people", {"username": "ana", "expires_in_days": 30}, format="json")
    api.post("/people", {"username": "ben"}, format="json")
    ends = {one.user.username: one.expires for one in Token.objects.select_related("user").exclude(user__is_owner=True)}
    assert days_left(ends["camera"].isoformat()) == 7  # type: ignore[union-attr]  # it has an end, or this fails
    assert days_left(ends["ana"].isoformat()) == 30  # type: ignore[union-attr]  # as above
    assert ends["ben"] is None
    assert made["service"] is True


def test_it_never_owns_the_platform(api: APIClient, camera: Any) -> None:
    for answer in (
        api.post("/people", CAMERA | {"username": "robot", "role": "owner"}, format="json"),
        api.patch("/people/camera", {"role": "owner"}, format="json"),
    ):
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["role"])
    assert not User.objects.filter(is_owner=True, is_service=True).exists()
    assert api.patch("/people/camera", {"role": "owner", "project": "default"}, format="json").status_code == 200


def test_it_is_out_at_once_when_an_owner_deactivates_it(api: APIClient, camera: Any) -> None:
    assert api.patch("/people/camera", {"active": False}, format="json").json()["active"] is False
    assert signed(camera["token"]).get("/session").status_code == 401


@pytest.fixture
def secret(alice: User) -> str:
    """Of an owner's token that is good in `roads` alone."""
    return Token.objects.issue(alice, "for roads", project=Project.objects.create(name="roads"))[1]


@pytest.fixture
def limited(secret: str) -> APIClient:
    return signed(secret)


def test_a_token_for_one_project_is_its_persons_role_there_and_nothing_else(api: APIClient, limited: APIClient) -> None:
    assert limited.post("/datasets", DATASET, format="json").json()["project"] == "roads"
    api.post("/datasets", DATASET | {"name": "far", "project": "default"}, format="json")
    assert [row["name"] for row in limited.get("/datasets").json()["results"]] == ["pets"]
    assert limited.get("/datasets/far").status_code == 404
    elsewhere = limited.post("/datasets", DATASET | {"name": "b", "project": "default"}, format="json")
    assert elsewhere.status_code == 404
    for method, address in (("post", "/people"), ("post", "/projects"), ("patch", "/people/bob"), ("post", "/gc")):
        answer = getattr(limited, method)(address, {"username": "eve", "name": "x"}, format="json")
        assert answer.status_code in {403, 404, 405}, (address, answer.content)
    assert limited.put("/projects/roads/members/alice", {"role": "viewer"}, format="json").status_code == 200


def test_it_makes_and_deletes_no_token_and_opens_no_session(limited: APIClient, secret: str, alice: User) -> None:
    first = alice.tokens.get(name="first")
    for answer in (
        limited.post("/people/me/tokens", {"name": "more"}, format="json"),
        limited.delete(f"/people/me/tokens/{first.pk}"),
        APIClient().post("/session", {"token": secret}, format="json"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "token_of_one_project")
    assert alice.tokens.filter(pk=first.pk).exists()


def test_a_person_makes_one_for_a_project_of_theirs(api: APIClient, api_of: ApiOf, eva: User) -> None:
    roads = Project.objects.create(name="roads")
    her, body = api_of(eva), {"name": "ci", "project": "default", "scope": "read", "expires_in_days": 7}
    made = her.post("/people/me/tokens", body, format="json").json()
    assert (made["project"], made["scope"]) == ("default", "read")
    assert signed(made["secret"]).get("/datasets").status_code == 200
    assert signed(made["secret"]).post("/datasets", DATASET, format="json").json()["code"] == "token_only_reads"
    assert her.post("/people/me/tokens", {"name": "ci", "project": "roads"}, format="json").status_code == 404
    refused = api.post("/people/eva/tokens", {"name": "ci", "project": "roads"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["project"])
    event = AuditEvent.objects.filter(action="token made").latest("pk")
    assert event.after is not None
    assert event.after["project"] == "default"
    assert roads.memberships.count() == 0


def test_who_leaves_the_project_has_nothing_by_it(api: APIClient, eva: User) -> None:
    _, secret = Token.objects.issue(eva, "ci", project=first_project())
    assert signed(secret).get("/datasets").status_code == 200
    api.delete("/projects/default/members/eva")
    assert signed(secret).get("/datasets").status_code == 403


def test_it_ends_with_its_project(api: APIClient, alice: User) -> None:
    api.post("/projects", {"name": "roads"}, format="json")
    secret = api.post("/people/me/tokens", {"name": "ci", "project": "roads"}, format="json").json()["secret"]
    assert signed(secret).get("/session").status_code == 200
    assert api.delete("/projects/roads").status_code == 204
    assert signed(secret).get("/session").status_code == 401


def test_to_an_owner_by_such_a_token_stored_bytes_of_other_projects_are_missing(limited: APIClient) -> None:
    limited.post("/datasets", DATASET, format="json")
    stored = Blob.objects.create(
        md5="1" * 32, sha256="1" * 64, size=1, key="files/md5/11/" + "1" * 30, width=1, height=1
    )
    body = {"samples": [{"key": "a.png", "md5": stored.md5}]}
    answer = limited.post("/datasets/pets", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "bytes_missing"), answer.content


def test_a_service_account_in_a_project_is_one_of_its_people(api: APIClient, camera: Any) -> None:
    Project.objects.create(name="roads")
    api.put("/projects/roads/members/camera", {"role": "viewer"}, format="json")
    person = api.get("/people/camera").json()
    assert {one["project"]: one["role"] for one in person["projects"]} == {"default": "engineer", "roads": "viewer"}
    secret = api.post("/people/camera/tokens", {"name": "r", "project": "roads"}, format="json").json()["secret"]
    assert signed(secret).post("/datasets", DATASET, format="json").json()["code"] == "engineers_only"
    assert create_user("x", role="viewer")[0].is_service is False
