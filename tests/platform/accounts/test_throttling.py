"""Too many wrong tokens or secrets from an address: 429 with a wait, and nobody else is shut out by it."""

from base64 import b64encode
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from rest_framework.test import APIClient
from tests.threads import at_once

from accounts import throttling
from accounts.models import AuditEvent, Token, User, WrongSecrets

pytestmark = [pytest.mark.django_db, pytest.mark.both]
HOME, AWAY = "203.0.113.7", "198.51.100.9"
Answer = Any


def sign_in(secret: str, address: str = HOME) -> Answer:
    return APIClient(REMOTE_ADDR=address).post("/session", {"token": secret}, format="json")


def ask(secret: str, address: str = HOME) -> Answer:
    client = APIClient(REMOTE_ADDR=address)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client.get("/session")


def guess(count: int, way: Callable[[str, str], Answer] = sign_in, *, address: str = HOME) -> list[int]:
    guess.number += 1  # type: ignore[attr-defined]
    return [way(f"ml_{guess.number}_{number}", address).status_code for number in range(count)]  # type: ignore[attr-defined]


guess.number = 0  # type: ignore[attr-defined]


def later(seconds: int) -> None:
    """As if so much time had passed."""
    for row in WrongSecrets.objects.all():
        row.changed -= timedelta(seconds=seconds)
        row.until = row.until and row.until - timedelta(seconds=seconds)
        row.save()


@pytest.fixture
def secret(alice: User) -> str:
    return Token.objects.issue(alice, "laptop")[1]


@pytest.mark.parametrize("way", [sign_in, ask])
def test_the_tenth_wrong_token_waits_and_so_does_the_right_one_until_then(secret: str, way: Any) -> None:
    assert guess(10, way) == [401] * 9 + [429]
    refused = way(secret, HOME)
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    problem = refused.json()
    assert (problem["code"], refused["Retry-After"]) == ("too_many_attempts", str(problem["wait"]))
    assert 55 <= problem["wait"] <= 60
    assert "try again in" in problem["detail"]
    later(61)
    assert way(secret, HOME).status_code == 200


def test_a_guess_is_refused_alike_whether_or_not_it_is_right(secret: str) -> None:
    guess(10)
    told = [{name: sign_in(one).json()[name] for name in ("code", "title", "type")} for one in (secret, "ml_wrong")]
    assert told[0] == told[1]


def test_another_address_is_not_concerned(secret: str) -> None:
    guess(10)
    assert sign_in(secret, AWAY).status_code == 200


def test_a_token_that_was_used_here_before_is_let_in_while_others_guess(secret: str) -> None:
    assert ask(secret).status_code == 200
    guess(10)
    assert (ask(secret).status_code, sign_in(secret).status_code) == (200, 200)
    later(61)
    assert ask(secret, AWAY).status_code == 200


def test_each_further_guess_doubles_the_wait_up_to_a_quarter_of_an_hour(secret: str) -> None:
    guess(10)
    waits: list[int] = []
    for _ in range(6):
        later(1 + (waits[-1] if waits else 60))
        answer = sign_in(f"ml_more_{len(waits)}")
        waits.append(answer.json()["wait"])
        assert answer.status_code == 429
    assert waits == [120, 240, 480, 900, 900, 900]
    later(901)
    assert sign_in(secret).status_code == 200


def test_while_it_waits_nothing_is_counted_and_after_an_hour_it_begins_at_zero() -> None:
    guess(10)
    assert guess(5) == [429] * 5
    assert WrongSecrets.objects.get(key=f"tokens {HOME}").count == 10
    later(3700)
    assert guess(10) == [401] * 9 + [429]


def test_one_old_token_however_often_is_no_guessing(secret: str) -> None:
    assert {ask("ml_stale").status_code for _ in range(30)} == {401}
    assert sign_in(secret).status_code == 200
    assert ask("ml_stale").status_code == 401
    assert WrongSecrets.objects.get(key=f" {HOME}").count == 1, "nor after a sign-in, which forgets it for tokens alone"


def test_who_signs_in_begins_at_zero_again_but_not_for_guesses_in_between(secret: str) -> None:
    assert guess(9) == [401] * 9
    assert sign_in(secret).status_code == 200
    assert guess(9) == [401] * 9
    told = []
    for _ in range(5):
        sign_in(secret)
        told += guess(9)
    assert told.count(401) == 49 - 18, "one's own token does not open more than five times as many guesses"


def test_a_network_of_ipv6_is_one_address_and_a_mapped_one_is_itself() -> None:
    for number in range(10):
        sign_in(f"ml_{number}", f"2001:db8:1:2::{number + 1}")
    assert sign_in("ml_x", "2001:db8:1:2:ffff::1").status_code == 429
    assert sign_in("ml_x", "2001:db8:1:3::1").status_code == 401
    assert throttling.place_of("::ffff:203.0.113.7") == HOME


@pytest.mark.parametrize("way", ["Basic", "Bearer", "X-Motherlode-Token"])
def test_git_and_dvc_guess_no_more_than_others(secret: str, way: str) -> None:
    def fetch(told: str) -> HttpResponse:
        client = APIClient(REMOTE_ADDR=HOME)
        if way == "Basic":
            client.credentials(HTTP_AUTHORIZATION="Basic " + b64encode(f"me:{told}".encode()).decode())
        elif way == "Bearer":
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {told}")
        else:
            client.credentials(HTTP_X_MOTHERLODE_TOKEN=told)
        answer: HttpResponse = client.get("/dvc/datasets/signs/files/md5")
        return answer

    assert [fetch(f"ml_{number}").status_code for number in range(10)] == [401] * 9 + [429]
    assert (fetch(secret).status_code, fetch(secret)["Retry-After"] > "0") == (429, True)


def test_secrets_of_webhooks_are_counted_for_themselves(secret: str) -> None:
    def call(pipeline: int, told: str) -> int:
        client = APIClient(REMOTE_ADDR=HOME)
        return int(client.post(f"/hooks/pipelines/{pipeline}", headers={"X-Motherlode-Secret": told}).status_code)

    assert [call(1, f"guess{number}") for number in range(10)] == [401] * 9 + [429]
    assert (call(2, "guess"), sign_in(secret).status_code) == (401, 200)


def test_a_wait_is_in_the_audit_once_and_no_secret_is_kept(api: APIClient) -> None:
    guess(9)
    sign_in("ml_the-secret-of-somebody")
    guess(3)
    event = AuditEvent.objects.get(action="made to wait")
    assert (event.kind, event.name, event.address, event.who) == ("address", HOME, HOME, "")
    assert event.after is not None
    assert event.after["wrong secrets for"] == "tokens"
    assert "somebody" not in str(list(WrongSecrets.objects.values()))


def test_a_key_for_repeats_changes_nothing_of_it() -> None:
    def post(number: int) -> int:
        client = APIClient(REMOTE_ADDR=HOME)
        client.credentials(HTTP_AUTHORIZATION=f"Bearer ml_{number}")
        return int(client.post("/datasets", {}, format="json", headers={"Idempotency-Key": "k"}).status_code)

    assert [post(number) for number in range(11)] == [401] * 9 + [429] * 2


def test_it_can_be_turned_off(settings: Any) -> None:
    settings.SIGN_IN_TRIES = 0
    assert guess(60) == [401] * 60
    assert not WrongSecrets.objects.exists()


def test_a_used_token_knows_where_from(api: APIClient, secret: str) -> None:
    ask(secret, AWAY)
    rows = {row["name"]: row["last_address"] for row in api.get("/people/me/tokens").json()["results"]}
    assert rows == {"laptop": AWAY, "test": "127.0.0.1", "first": None}


def test_old_counts_are_deleted() -> None:
    guess(2)
    assert throttling.forget_old() == 0
    later(25 * 3600)
    assert throttling.forget_old() == 2


@pytest.mark.django_db(transaction=True)
def test_guesses_at_once_are_all_counted(transactional_db: None) -> None:
    told = at_once(16, lambda number: sign_in(f"ml_at_once_{number}").status_code)
    assert told.count(401) == 9
    assert told.count(429) == 7
