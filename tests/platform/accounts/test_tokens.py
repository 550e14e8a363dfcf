"""`/people/{id}/tokens`: told once, kept as a digest, noted when used, worth nothing once deleted."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Token, User
from accounts.people import MAX_TOKENS

ApiOf = Callable[[User], APIClient]
pytestmark = [pytest.mark.django_db, pytest.mark.both]


def test_a_person_makes_lists_and_deletes_their_own(api_of: ApiOf, bob: User) -> None:
    his = api_of(bob)
    made = his.post("/people/me/tokens", {"name": "laptop"}, format="json")
    assert (made.status_code, made["Cache-Control"]) == (201, "no-store")
    listed = his.get("/people/me/tokens").json()["results"]
    assert [row["name"] for row in listed] == ["laptop", "test", "first"]
    assert all("secret" not in row for row in listed)
    other = APIClient()
    other.credentials(HTTP_AUTHORIZATION=f"Bearer {made.json()['secret']}")
    assert other.get("/session").json()["user"]["username"] == "bob"
    assert his.delete(f"/people/me/tokens/{made.json()['id']}").status_code == 204
    assert other.get("/session").status_code == 401
    assert his.delete(f"/people/me/tokens/{made.json()['id']}").status_code == 404


def test_nobody_reaches_another_persons_token_through_their_own_address(api_of: ApiOf, alice: User, bob: User) -> None:
    hers = Token.objects.filter(user=alice).get()
    answer = api_of(bob).delete(f"/people/me/tokens/{hers.pk}")
    assert (answer.status_code, answer.json()["code"]) == (404, "token_unknown")
    assert Token.objects.filter(pk=hers.pk).exists()


def test_an_owner_manages_everybodys(api: APIClient, bob: User) -> None:
    made = api.post(f"/people/{bob.pk}/tokens", {"name": "camera"}, format="json").json()
    assert [row["name"] for row in api.get("/people/bob/tokens").json()["results"]] == ["camera", "first"]
    assert api.delete(f"/people/bob/tokens/{made['id']}").status_code == 204
    assert Token.objects.filter(user=bob).count() == 1


def test_a_secret_is_in_one_answer_alone(api: APIClient) -> None:
    body, key = {"name": "laptop"}, {"Idempotency-Key": "k"}
    secret = api.post("/people/me/tokens", body, format="json", headers=key).json()["secret"]
    again = api.post("/people/me/tokens", body, format="json", headers=key)
    assert (again.status_code, again.json()["code"]) == (409, "answer_not_kept")
    assert secret not in again.content.decode() + api.get("/people/me/tokens").content.decode()
    assert Token.objects.filter(name="laptop").count() == 1


def test_use_is_noted_at_most_once_a_minute(alice: User) -> None:
    token, secret = Token.objects.issue(alice, "laptop")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")

    def noted() -> datetime | None:
        client.get("/session")
        token.refresh_from_db()
        return token.last_used

    first = noted()
    assert first is not None
    assert noted() == first
    Token.objects.filter(pk=token.pk).update(last_used=first - timedelta(seconds=61))
    assert (noted() or first) >= first


def test_a_request_within_the_minute_writes_nothing(api: APIClient) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert api.get("/session").status_code == 200
    assert not [query["sql"] for query in asked.captured_queries if not query["sql"].startswith("SELECT")]


def test_a_token_that_goes_takes_the_sessions_it_opened_along_but_not_that_of_who_does_it(bob: User) -> None:
    lost, secret = Token.objects.issue(bob, "lost")
    thief, browser = APIClient(), APIClient()
    thief.post("/session", {"token": secret}, format="json")
    browser.post("/session", {"token": Token.objects.issue(bob, "kept")[1]}, format="json")
    csrf = {"X-CSRFToken": browser.cookies["csrftoken"].value} if "csrftoken" in browser.cookies else {}
    assert browser.delete(f"/people/me/tokens/{lost.pk}", headers=csrf).status_code == 204
    assert (thief.get("/session").status_code, browser.get("/session").status_code) == (401, 200)


def test_a_person_holds_so_many_tokens_and_no_more(api: APIClient, bob: User) -> None:
    for number in range(MAX_TOKENS - 1):
        Token.objects.issue(bob, str(number))
    answer = api.post("/people/bob/tokens", {"name": "one more"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_tokens")


def test_a_token_needs_a_name(api: APIClient) -> None:
    for body in ({}, {"name": ""}, {"name": "x" * 101}):
        answer = api.post("/people/me/tokens", body, format="json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["name"])


def signed(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_a_token_that_only_reads_changes_nothing_makes_no_token_and_opens_no_session(api: APIClient) -> None:
    made = api.post("/people/me/tokens", {"name": "dashboard", "scope": "read"}, format="json").json()
    assert (made["scope"], made["expires"]) == ("read", None)
    reader = signed(made["secret"])
    assert reader.get("/people").status_code == 200
    assert reader.options("/people").status_code == 200
    for method, address, body in (
        ("post", "/datasets", {"name": "digits"}),
        ("post", "/people/me/tokens", {"name": "more"}),
        ("delete", f"/people/me/tokens/{made['id']}", None),
        ("put", "/session/preferences", {}),
    ):
        answer = getattr(reader, method)(address, body, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "token_only_reads"), (method, address)
        assert "'dashboard' only reads" in answer.json()["detail"]
    opened = APIClient().post("/session", {"token": made["secret"]}, format="json")
    assert (opened.status_code, opened.json()["code"], dict(opened.cookies)) == (403, "token_only_reads", {})
    assert [row["name"] for row in api.get("/people/me/tokens").json()["results"]][:1] == ["dashboard"]


def test_a_token_that_only_reads_does_what_viewers_do_by_post(api: APIClient) -> None:
    made = api.post("/people/me/tokens", {"name": "mirror", "scope": "read"}, format="json").json()
    reader = signed(made["secret"])
    assert reader.post("/blobs", {"digests": ["0" * 32]}, format="json").status_code == 200
    assert reader.post("/datasets/none/exports", {"format": "coco"}, format="json").json()["code"] == "dataset_unknown"
    assert reader.post("/models/none/versions/1/predict").json()["code"] == "model_unknown"


def test_a_token_ends_and_takes_the_session_that_it_opened_along(api: APIClient, alice: User) -> None:
    made = api.post("/people/me/tokens", {"name": "week", "expires_in_days": 7}, format="json").json()
    left = datetime.fromisoformat(made["expires"]) - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    browser = APIClient()
    assert browser.post("/session", {"token": made["secret"]}, format="json").status_code == 200
    assert 7 * 24 * 3600 - 60 < browser.session.get_expiry_age() <= 7 * 24 * 3600
    holder = signed(made["secret"])
    assert holder.get("/session").status_code == 200
    Token.objects.filter(pk=made["id"]).update(expires=timezone.now())
    refused = holder.get("/session")
    assert refused.status_code == 401
    assert "'week' expired on" in refused.json()["detail"]
    again = APIClient().post("/session", {"token": made["secret"]}, format="json")
    assert (again.status_code, "'week' expired on" in again.json()["detail"]) == (401, True)
    assert Token.objects.holding(made["secret"]) is None
    assert api.get("/people/me/tokens").json()["results"][0]["expires"] is not None, "it is shown still"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"scope": "write"}, "scope"),
        ({"expires_in_days": 0}, "expires_in_days"),
        ({"expires_in_days": 3651}, "expires_in_days"),
        ({"expires_in_days": "soon"}, "expires_in_days"),
        ({"expires": "2030-01-01"}, "expires"),
    ],
)
def test_a_scope_or_an_end_that_cannot_be_is_named(api: APIClient, body: dict[str, object], field: str) -> None:
    answer = api.post("/people/me/tokens", {"name": "x"} | body, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])
    assert not Token.objects.filter(name="x").exists()
