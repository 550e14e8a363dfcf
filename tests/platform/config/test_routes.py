"""Every route, of every app, is closed without credentials, except those that must be open."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

OPEN = {("GET", "/"), ("GET", "/health/live"), ("GET", "/health/ready"), ("GET", "/app/"), ("POST", "/session")}
NO_METHODS = {("PUT", "/session"), ("PATCH", "/session"), ("TRACE", "/session"), ("QUERY", "/session")}
SIGN_IN = {"/session/options", "/session/oidc", "/session/oidc/callback"}
"""What the sign-in page and the way through an identity provider begin with; they are only read."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SAMPLES = {"int": "1", "uuid": "00000000-0000-0000-0000-000000000000"}

pytestmark = pytest.mark.django_db


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "/") -> Iterator[str]:
    for entry in patterns:
        address = prefix + example(entry)
        if isinstance(entry, URLResolver):
            yield from routes(entry.url_patterns, address)
        else:
            yield address


def example(entry: URLPattern | URLResolver) -> str:
    """An address that the pattern matches: numbers for numbers, a word for all else."""
    if not hasattr(entry.pattern, "_route"):
        return "app/" if "app" in str(entry.pattern) else re.sub(r"[\^$]|\(.*?\)", "", str(entry.pattern))
    return re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES.get(found[1] or "", "x"), str(entry.pattern))


ADDRESSES = sorted(set(routes(get_resolver("config.urls").url_patterns)))


def test_the_walk_finds_the_routes_of_the_apps() -> None:
    assert {"/jobs/1/cancel", "/session", "/openapi.json", "/docs", "/app/"} <= set(ADDRESSES)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_stranger_is_told_401_and_nothing_else(client: Client, address: str) -> None:
    """Not 404 either: a stranger does not learn what exists."""
    for method in METHODS:
        if (
            (method, address) in OPEN | NO_METHODS
            or address in {"/", "/app/", *SIGN_IN}
            or address.startswith(("/health/", "/manual/"))
        ):
            continue
        status = client.generic(method, address, b"{}", content_type="application/json").status_code
        assert status in {401, 403}, f"{method} {address} answered {status} to a stranger"


@pytest.mark.parametrize(("method", "address"), sorted(NO_METHODS))
def test_a_stranger_who_may_sign_in_there_is_told_what_is_no_method_of_it(
    client: Client, method: str, address: str
) -> None:
    assert client.generic(method, address, b"{}", content_type="application/json").status_code == 405


@pytest.mark.parametrize("address", sorted(SIGN_IN))
@pytest.mark.parametrize("method", [method for method in METHODS if method != "GET"])
def test_where_signing_in_begins_nothing_is_changed(client: Client, address: str, method: str) -> None:
    assert client.generic(method, address, b"{}", content_type="application/json").status_code == 405


@pytest.mark.parametrize("address", ["/", "/app/", "/health/live", "/session/options"])
def test_what_is_open_answers(client: Client, address: str) -> None:
    assert client.get(address).status_code in {200, 302}
