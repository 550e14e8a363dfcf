"""Who asks: bearer tokens for programs, a session with CSRF for the browser."""

import pytest
from rest_framework.test import APIClient

from accounts.models import Role, Token, User
from accounts.services import create_user
from core.errors import Invalid

pytestmark = pytest.mark.django_db


@pytest.fixture
def secret(alice: User) -> str:
    return Token.objects.issue(alice, "laptop")[1]


@pytest.fixture
def browser(secret: str) -> APIClient:
    """Logged in, and strict about CSRF as a real browser's server is."""
    client = APIClient(enforce_csrf_checks=True)
    assert client.post("/session", {"token": secret}, format="json").status_code == 200
    return client


def test_a_bearer_token_names_its_user(secret: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert client.get("/session").json() == {
        "user": {"id": User.objects.get().pk, "username": "alice", "role": "owner", "projects": []},
        "preferences": {},
    }


@pytest.mark.parametrize("header", [None, "Bearer", "Bearer ", "Bearer ml_wrong", "Basic YTpi", "bearer é"])
def test_anything_else_is_401(alice: User, header: str | None) -> None:
    client = APIClient()
    if header:
        client.credentials(HTTP_AUTHORIZATION=header)
    answer = client.get("/session")
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert answer.json()["code"] == "not_authenticated"
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_token_in_the_address_is_not_looked_at(secret: str) -> None:
    assert APIClient().get(f"/session?token={secret}").json()["code"] == "unknown_parameter"
    assert APIClient().get("/session").status_code == 401


def test_the_token_of_a_user_who_left_is_worth_nothing(api: APIClient, alice: User) -> None:
    assert api.get("/session").status_code == 200
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert api.get("/session").status_code == 401


def test_tokens_are_kept_as_digests_only(secret: str) -> None:
    token = Token.objects.get(name="laptop")
    kept = " ".join(str(value) for value in Token.objects.filter(pk=token.pk).values().get().values())
    assert secret not in kept
    assert secret.removeprefix("ml_") not in kept
    assert len(token.digest) == 64


def test_a_browser_logs_in_with_a_token_and_out_again(browser: APIClient) -> None:
    assert browser.get("/session").json()["user"]["username"] == "alice"
    csrf = browser.cookies["csrftoken"].value
    assert browser.delete("/session", headers={"X-CSRFToken": csrf}).status_code == 200
    assert browser.get("/session").status_code == 401


def test_the_session_cookie_is_out_of_reach_of_scripts_and_of_other_sites(browser: APIClient) -> None:
    cookie = browser.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_a_wrong_token_does_not_log_in(alice: User) -> None:
    answer = APIClient().post("/session", {"token": "ml_wrong"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    missing = APIClient().post("/session", {}, format="json")
    assert (missing.status_code, list(missing.json()["errors"])) == (400, ["token"])


def test_a_stale_session_does_not_stand_in_the_way_of_logging_in(browser: APIClient, secret: str) -> None:
    browser.cookies["sessionid"] = "gone"
    assert browser.post("/session", {"token": secret}, format="json").status_code == 200


def test_a_cookie_without_the_csrf_token_changes_nothing(browser: APIClient) -> None:
    answer = browser.post("/jobs/1/cancel")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
    csrf = browser.cookies["csrftoken"].value
    assert browser.post("/jobs/1/cancel", headers={"X-CSRFToken": csrf}).status_code == 404


def test_another_site_with_the_csrf_token_is_refused_too(browser: APIClient) -> None:
    headers = {"X-CSRFToken": browser.cookies["csrftoken"].value, "Origin": "https://evil.example"}
    assert browser.post("/jobs/1/cancel", headers=headers).status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_of_another_site_cannot_log_anybody_in(secret: str, kind: str) -> None:
    body = f'{{"token": "{secret}"}}'
    answer = APIClient().generic("POST", "/session", body, content_type=kind)
    assert (answer.status_code, "sessionid" in answer.cookies) == (415, False)


def test_a_name_is_given_once(alice: User) -> None:
    with pytest.raises(Invalid, match="taken"):
        create_user("alice", role=Role.ANNOTATOR)


@pytest.mark.parametrize("key", [None, "once"])
def test_a_browser_changes_things_with_its_session(browser: APIClient, key: str | None) -> None:
    browser.get("/session")
    headers = {"X-CSRFToken": browser.cookies["csrftoken"].value} | ({"Idempotency-Key": key} if key else {})
    answer = browser.post("/people", {"username": "eve"}, format="json", headers=headers)
    assert answer.status_code == 201, answer.content
    assert browser.post("/people", {"username": "mal"}, format="json").status_code == 403
