"""`/people`: who may use the platform, as what; who may say so."""

from collections.abc import Callable

import orjson
import pytest
from rest_framework.test import APIClient
from tests.threads import at_once

from accounts.models import Membership, Role, Token, User
from accounts.people import change_person
from accounts.services import create_user
from core.errors import Conflict
from core.models import IdempotencyRecord

ApiOf = Callable[[User], APIClient]
pytestmark = [pytest.mark.django_db, pytest.mark.both]


def test_an_owner_adds_somebody_who_signs_in_with_the_token(api: APIClient) -> None:
    answer = api.post("/people", {"username": "ana", "role": "reviewer"}, format="json")
    assert answer.status_code == 201
    assert {name: answer.json()[name] for name in ("username", "role", "active", "tokens", "last_seen")} == {
        "username": "ana", "role": "reviewer", "active": True, "tokens": 1, "last_seen": None,
    }  # fmt: skip
    ana = APIClient()
    ana.credentials(HTTP_AUTHORIZATION=f"Bearer {answer.json()['token']}")
    assert ana.get("/session").json()["user"]["role"] == "reviewer"
    assert api.get("/people/ana").json()["last_seen"] is not None


def test_a_person_was_seen_in_a_browser_too_also_when_their_tokens_are_gone(api: APIClient, bob: User) -> None:
    browser = APIClient()
    browser.post("/session", {"token": Token.objects.issue(bob, "laptop")[1]}, format="json")
    User.objects.filter(pk=bob.pk).update(last_seen=None)
    browser.get("/session")
    seen = api.get("/people/bob").json()["last_seen"]
    assert seen is not None
    browser.get("/session")
    api.patch("/people/bob", {"active": False}, format="json")
    assert api.get("/people/bob").json()["last_seen"] == seen


def test_the_first_token_is_told_once_and_kept_nowhere(api: APIClient) -> None:
    body, key = {"username": "ana"}, {"Idempotency-Key": "k"}
    secret = api.post("/people", body, format="json", headers=key).json()["token"]
    again = api.post("/people", body, format="json", headers=key)
    assert (again.status_code, again.json()["code"]) == (409, "answer_not_kept")
    assert User.objects.filter(username="ana").count() == 1
    assert secret.encode() not in b"".join(bytes(row.body) for row in IdempotencyRecord.objects.all())
    assert "token" not in api.get("/people/ana").json()
    assert secret not in str(list(Token.objects.values()))


@pytest.mark.parametrize("name", ["", "a b", "a/b", "12", "me", "ME", "x" * 151, "Alice", "a\u0000b", "..", "٣"])
def test_a_name_that_cannot_be_is_named(api: APIClient, name: str) -> None:
    answer = api.post("/people", {"username": name}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["username"])
    assert User.objects.count() == 1


def test_an_unknown_role_is_named(api: APIClient, bob: User) -> None:
    for answer in (
        api.post("/people", {"username": "ana", "role": "king"}, format="json"),
        api.patch("/people/bob", {"role": "king"}, format="json"),
    ):
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["role"])


def test_the_list_is_searched_and_turns_pages(api: APIClient, bob: User, rita: User) -> None:
    assert [row["username"] for row in api.get("/people").json()["results"]] == ["rita", "bob", "alice"]
    assert [row["username"] for row in api.get("/people?q=BO").json()["results"]] == ["bob"]
    page = api.get("/people?limit=2").json()
    assert [row["username"] for row in api.get(page["next"]).json()["results"]] == ["alice"]


CALLS = (  # and what a reviewer is answered
    ("GET", "/people", 200), ("POST", "/people", 403), ("GET", "/people/alice", 200), ("PATCH", "/people/alice", 403),
    ("GET", "/people/alice/tokens", 403), ("POST", "/people/alice/tokens", 403), ("PATCH", "/people/me", 403),
    ("DELETE", "/people/alice/tokens/1", 403), ("GET", "/people/nobody", 404), ("PATCH", "/people/nobody", 403),
    ("GET", "/people/nobody/tokens", 403),
)  # fmt: skip


@pytest.mark.parametrize(("method", "address", "to_rita"), CALLS)
def test_what_is_the_owners_is_nobody_elses(
    api_of: ApiOf, alice: User, bob: User, rita: User, method: str, address: str, to_rita: int
) -> None:
    """Not 404 for an annotator: who exists is not theirs to know."""
    body = {"username": "eve", "role": "owner", "name": "mine", "active": True}
    told = {
        user: api_of(user).generic(method, address, orjson.dumps(body).decode(), content_type="application/json")
        for user in (bob, rita)
    }
    assert told[bob].status_code == 403
    assert told[bob].json()["code"] in {"reviewers_only", "owners_only"}
    assert told[rita].status_code == to_rita
    assert not User.objects.filter(username="eve").exists()
    assert list(Membership.objects.filter(user=bob).values_list("role", flat=True)) == ["annotator"]
    assert not User.objects.get(pk=bob.pk).is_owner


def test_somebody_unknown_is_404_for_an_owner(api: APIClient) -> None:
    body = {"post": {"name": "x"}, "patch": {"active": True}}
    for method, path in (("get", ""), ("patch", ""), ("get", "/tokens"), ("post", "/tokens"), ("delete", "/tokens/1")):
        answer = getattr(api, method)(f"/people/nobody{path}", body.get(method), format="json")
        assert (answer.status_code, answer.json()["code"]) == (404, "person_unknown"), (method, path)


def test_everybody_sees_themselves_by_any_name(api_of: ApiOf, bob: User) -> None:
    for reference in ("me", "bob", bob.pk):
        assert api_of(bob).get(f"/people/{reference}").json()["username"] == "bob"


def test_a_role_counts_from_the_next_request_on(api: APIClient, api_of: ApiOf, bob: User) -> None:
    his = api_of(bob)
    assert his.get("/people").status_code == 403
    assert api.patch("/people/bob", {"role": "owner"}, format="json").json()["role"] == "owner"
    assert his.get("/people").status_code == 200


@pytest.mark.parametrize("change", [{"role": "reviewer"}, {"role": "annotator"}, {"active": False}])
def test_the_last_owner_stays_one(api: APIClient, alice: User, bob: User, change: dict[str, object]) -> None:
    answer = api.patch("/people/me", change, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "last_owner")
    api.patch("/people/bob", {"role": "owner"}, format="json")
    api.patch("/people/bob", {"active": False}, format="json")
    assert api.patch("/people/me", change, format="json").status_code == 409, "bob is no longer there"
    api.patch("/people/bob", {"active": True}, format="json")
    assert api.patch("/people/me", change, format="json").status_code == 200
    alice.refresh_from_db()
    assert not (alice.is_owner and alice.is_active)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", [{"role": "annotator"}, {"active": False}])
def test_two_owners_who_demote_each_other_at_once_leave_one(change: dict[str, object]) -> None:
    for attempt in range(5):
        pair = [create_user(f"{name}{attempt}", role=Role.OWNER)[0] for name in ("ana", "ben")]

        def demote(number: int, pair: list[User] = pair) -> bool:
            try:
                change_person(pair[1 - number], **change)  # type: ignore[arg-type]  # one of the two it takes
            except Conflict:
                return False
            return True

        assert sorted(at_once(2, demote)) == [False, True]
        owners = User.objects.filter(is_owner=True, is_active=True)
        assert owners.count() == 1
        owners.update(is_owner=False)


def test_who_is_taken_off_is_out_at_once_and_stays_so(api: APIClient, api_of: ApiOf, bob: User) -> None:
    his, browser = api_of(bob), APIClient()
    browser.post("/session", {"token": Token.objects.issue(bob, "browser")[1]}, format="json")
    assert (his.get("/session").status_code, browser.get("/session").status_code) == (200, 200)
    assert api.patch("/people/bob", {"active": False}, format="json").json()["active"] is False
    assert (his.get("/session").status_code, browser.get("/session").status_code) == (401, 401)
    refused = api.post("/people/bob/tokens", {"name": "again"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "person_inactive")
    api.patch("/people/bob", {"active": True}, format="json")
    assert (his.get("/session").status_code, browser.get("/session").status_code) == (401, 401), "old ones stay dead"
    secret = api.post("/people/bob/tokens", {"name": "again"}, format="json").json()["secret"]
    assert APIClient().post("/session", {"token": secret}, format="json").status_code == 200
