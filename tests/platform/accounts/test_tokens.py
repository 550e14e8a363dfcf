"""`/people/{id}/tokens`: told once, kept as a digest, noted when used, worth nothing once deleted."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
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
