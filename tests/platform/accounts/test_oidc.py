"""Signing in through an identity provider, over real HTTP: a provider from a registry, and one that a test scripts."""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import oidc_provider_mock
import pytest
from django.core import signing
from joserfc import jwt
from joserfc.jwk import OctKey
from rest_framework.test import APIClient
from tests.platform.accounts.scripted_provider import (
    CLIENT,
    OTHER_KEY,
    SECRET,
    Provider,
    scripted_provider,
    unsigned,
    with_public_key,
)

from accounts.models import AuditEvent, Membership, Project, Token, User

pytestmark = pytest.mark.django_db
CALLBACK = "http://127.0.0.1:8000/session/oidc/callback"
ANA = "ana@example.org"


@pytest.fixture(scope="module")
def started() -> Iterator[Provider]:
    with scripted_provider() as made:
        yield made


@pytest.fixture
def provider(started: Provider, settings: Any) -> Provider:
    """As it is when nothing else is said: it knows ana."""
    started.claims, started.about, started.userinfo, started.sign = {}, {}, {}, None
    turn_on(settings, started.issuer)
    return started


def turn_on(settings: Any, issuer: str) -> None:
    settings.OIDC_ISSUER, settings.OIDC_NAME = issuer, "Example"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET


@pytest.fixture
def ana(api: APIClient) -> User:
    """Whom an owner added with the address that she has at the provider."""
    answer = api.post("/people", {"username": "ana", "role": "reviewer", "email": ANA}, format="json")
    assert answer.status_code == 201, answer.content
    return User.objects.get(username="ana")


def leave(browser: APIClient, provider: Provider, page: str = "") -> dict[str, str]:
    """Click on the button; what the provider is asked."""
    answer = browser.get("/session/oidc", {"next": page} if page else {})
    assert answer.status_code == 302
    address = urlsplit(answer["Location"])
    assert address._replace(query="").geturl() == f"{provider.issuer}/authorize", answer["Location"]
    provider.asked = {name: values[0] for name, values in parse_qs(address.query).items()}
    return provider.asked


def come_back(browser: APIClient, **query: str) -> str:
    """With what the provider gave; where that leads."""
    answer = browser.get("/session/oidc/callback", query)
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def sign_in(provider: Provider, browser: APIClient | None = None, page: str = "") -> str:
    browser = browser or APIClient()
    asked = leave(browser, provider, page)
    return come_back(browser, code="c", state=asked["state"], session_state="the provider's own")


def refused(place: str) -> str:
    path, _, query = place.partition("?")
    assert path == "/app/login", place
    return parse_qs(query)["refused"][0]


# -- a provider from a package registry --


@pytest.fixture(scope="module")
def real() -> Iterator[str]:
    people = [
        oidc_provider_mock.User(sub="7", claims={"email": ANA, "email_verified": True}),
        oidc_provider_mock.User(sub="8", claims={"email": ANA, "email_verified": False}),
    ]
    with oidc_provider_mock.run_server_in_thread(user_claims=people, require_nonce=True) as server:
        yield f"http://localhost:{server.server_port}"


def through(real: str, browser: APIClient, **form: str) -> str:
    """All the way, as a browser goes it."""
    there = browser.get("/session/oidc?next=/datasets")["Location"]
    assert there.startswith(f"{real}/")
    assert "Authorize Client" in httpx.get(there).text
    back = urlsplit(httpx.post(there, data=form).headers["Location"])
    assert back._replace(query="").geturl() == CALLBACK
    return come_back(browser, **{name: values[0] for name, values in parse_qs(back.query).items()})


def test_somebody_signs_in_with_a_provider_from_a_registry_and_out(real: str, settings: Any, ana: User) -> None:
    turn_on(settings, real)
    browser = APIClient()
    assert through(real, browser, sub="7") == "/app/datasets"
    assert browser.get("/session").json()["user"]["username"] == "ana"
    assert browser.session.get_expiry_age() <= 12 * 3600
    ana.refresh_from_db()
    assert (ana.oidc_issuer, ana.oidc_subject) == (real, "7")
    signed_out = browser.delete("/session").json()["provider"]
    assert browser.get("/session").status_code == 401
    there = urlsplit(signed_out["address"])
    assert there._replace(query="").geturl() == f"{real}/oauth2/end_session"
    told = {name: value for name, (value,) in parse_qs(there.query).items()}
    assert told["client_id"] == settings.OIDC_CLIENT_ID
    assert told["post_logout_redirect_uri"] == f"{settings.PUBLIC_URL}/app/login"
    assert told["id_token_hint"] in httpx.get(signed_out["address"]).text, "it takes what it is told"
    assert through(real, browser, sub="7") == "/app/datasets", "and in again"


def test_what_that_provider_refuses_or_does_not_vouch_for(real: str, settings: Any, ana: User) -> None:
    turn_on(settings, real)
    assert refused(through(real, APIClient(), action="deny")) in {"denied", "expired"}
    assert refused(through(real, APIClient(), sub="8")) == "email_not_verified"
    assert refused(through(real, APIClient(), sub="nobody@example.org")) == "email_not_verified"


# -- what is asked --


def test_the_code_flow_with_pkce_state_and_nonce_is_asked_for_at_the_public_address(provider: Provider) -> None:
    first, second = leave(APIClient(), provider), leave(APIClient(), provider)
    assert (first["response_type"], first["client_id"], first["redirect_uri"]) == ("code", CLIENT, CALLBACK)
    assert first["code_challenge_method"] == "S256"
    assert "openid" in first["scope"]
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name]) >= 20
        assert first[name] != second[name]


def test_who_only_begins_leaves_nothing_behind_and_no_script_reads_the_cookie(provider: Provider) -> None:
    browser = APIClient()
    leave(browser, provider)
    cookie = browser.cookies["oidc"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/session/oidc")
    assert "sessionid" not in browser.cookies


def test_the_sign_in_page_is_told_of_it_and_without_it_there_is_nothing(provider: Provider, settings: Any) -> None:
    told = {"provider": {"name": "Example", "address": "/session/oidc"}}
    assert APIClient().get("/session/options").json() == told
    settings.OIDC_ISSUER = ""
    assert APIClient().get("/session/options").json() == {"provider": None}
    for address in ("/session/oidc", "/session/oidc/callback"):
        answer = APIClient().get(address)
        assert (answer.status_code, answer.json()["code"]) == (404, "oidc_off")
    assert APIClient().post("/session/oidc").status_code == 405


# -- tokens that must not be believed --

WRONG: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "another audience": {"aud": "another-client"},
    "another audience, for us": {"aud": ["another-client"], "azp": CLIENT},
    "no audience": {"aud": None},
    "expired": {"exp": 1_600_000_000, "iat": 1_500_000_000},
    "no end": {"exp": None},
    "from the future": {"iat": 4_000_000_000, "exp": 4_000_000_300},
    "another nonce": {"nonce": "of another sign-in"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "too long a subject": {"sub": "x" * 256},
}


@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG)
def test_a_token_with_wrong_claims_signs_nobody_in(provider: Provider, ana: User, claims: dict[str, Any]) -> None:
    provider.claims = claims
    browser = APIClient()
    assert refused(sign_in(provider, browser)) == "not_verified"
    assert browser.get("/session").status_code == 401
    ana.refresh_from_db()
    assert ana.oidc_subject == ""


def test_a_token_signed_otherwise_signs_nobody_in(provider: Provider, ana: User) -> None:
    signers: dict[str, Any] = {
        "none": unsigned,
        "another key": lambda claims: jwt.encode({"alg": "RS256", "kid": "one"}, claims, OTHER_KEY),
        "an unknown key": lambda claims: jwt.encode({"alg": "RS256", "kid": "two"}, claims, OTHER_KEY),
        "the client's secret": lambda claims: jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(SECRET)),
        "the public key as a secret": with_public_key,
        "no token": lambda _: "no.token.at-all",
    }
    told = {}
    for name, provider.sign in signers.items():
        told[name] = refused(sign_in(provider))
    assert told == dict.fromkeys(signers, "not_verified")
    provider.sign = None
    assert sign_in(provider) == "/app/", "else anything would be refused"


def test_a_provider_that_calls_itself_otherwise_is_not_asked(provider: Provider) -> None:
    provider.about = {"issuer": "https://evil.example"}
    assert refused(str(APIClient().get("/session/oidc")["Location"])) == "provider_unreachable"


def test_a_provider_that_is_gone_is_said_to_be(provider: Provider, settings: Any) -> None:
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    place = str(APIClient().get("/session/oidc?next=/models")["Location"])
    assert (refused(place), parse_qs(urlsplit(place).query)["next"]) == ("provider_unreachable", ["/models"])


# -- coming back --


def test_whose_provider_has_no_page_for_it_or_is_gone_is_signed_out_here(
    provider: Provider, ana: User, settings: Any
) -> None:
    for issuer in (provider.issuer, "http://127.0.0.1:9"):
        browser = APIClient()
        sign_in(provider, browser)
        settings.OIDC_ISSUER = issuer
        assert browser.delete("/session").json() == {"provider": None}
        assert browser.get("/session").status_code == 401


def test_who_came_with_a_token_has_no_session_elsewhere(provider: Provider, ana: User, alice: User) -> None:
    browser, (_, secret) = APIClient(), Token.objects.issue(alice, "browser")
    assert browser.post("/session", {"token": secret}, format="json").status_code == 200
    assert browser.delete("/session").json() == {"provider": None}


def test_only_the_browser_that_left_comes_back_and_once(provider: Provider, ana: User) -> None:
    browser, other = APIClient(), APIClient()
    asked = leave(browser, provider)
    assert refused(come_back(other, code="c", state=asked["state"])) == "expired", "no cookie"
    leave(other, provider)
    assert refused(come_back(other, code="c", state=asked["state"])) == "expired", "the state of another"
    asked = leave(browser, provider)
    assert come_back(browser, code="c", state=asked["state"]) == "/app/"
    assert refused(come_back(browser, code="c", state=asked["state"])) == "expired", "a second time"


def test_a_forged_or_old_cookie_is_none(provider: Provider, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = APIClient()
    asked = leave(browser, provider)
    browser.cookies["oidc"] = signing.dumps({"state": "s", "nonce": "n", "code_verifier": "v"}, salt="another")
    assert refused(come_back(browser, code="c", state="s")) == "expired"
    asked = leave(browser, provider)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 601)
    assert refused(come_back(browser, code="c", state=asked["state"])) == "expired"


def test_a_refusal_of_the_provider_comes_back_in_our_words(provider: Provider) -> None:
    browser = APIClient()
    asked = leave(browser, provider, "/models")
    place = come_back(browser, error="access_denied", error_description="<b>evil</b>", state=asked["state"])
    assert place == "/app/login?refused=denied&next=%2Fmodels"


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("/datasets/3?split=pool", "/app/datasets/3?split=pool"),
        ("https://evil.example/", "/app/"),
        ("//evil.example/", "/app/"),
        ("/\\evil.example", "/app/"),
        ("\\\\evil.example", "/app/"),
        ("javascript:alert(1)", "/app/"),
        (" //evil.example", "/app/"),
    ],
)
def test_nobody_is_led_elsewhere(provider: Provider, ana: User, page: str, place: str) -> None:
    assert sign_in(provider, page=page) == place


# -- who somebody is --


def test_the_first_time_links_by_the_address_an_owner_wrote_down_from_then_on_by_who_they_are(
    provider: Provider, ana: User, api: APIClient
) -> None:
    provider.claims = {"email": "ANA@Example.org"}
    assert sign_in(provider) == "/app/"
    provider.claims = {"email": "married@example.org", "email_verified": False}
    browser = APIClient()
    assert sign_in(provider, browser) == "/app/"
    assert browser.get("/session").json()["user"]["username"] == "ana"
    assert api.get("/people/ana").json()["provider"] is True
    told = [(row.action, row.who) for row in AuditEvent.objects.filter(name="ana").order_by("pk")]
    assert told == [("added", "alice"), ("linked", "ana"), ("signed in", "ana"), ("signed in", "ana")]


def test_an_address_that_went_to_somebody_else_opens_nothing(provider: Provider, ana: User) -> None:
    assert sign_in(provider) == "/app/"
    provider.claims = {"sub": "the next ana"}
    assert refused(sign_in(provider)) == "unknown_person"


@pytest.mark.parametrize("claims", [{"email_verified": False}, {"email_verified": None}, {"email_verified": "true"},
                                    {"email": None}])  # fmt: skip
def test_an_address_that_is_not_verified_links_and_makes_nobody(
    provider: Provider, ana: User, settings: Any, claims: dict[str, Any]
) -> None:
    settings.OIDC_NEW_ROLE = "viewer"
    provider.claims, provider.userinfo = claims, {"sub": "ana-at-work"}
    assert refused(sign_in(provider)) == "email_not_verified"
    assert User.objects.count() == 2


def test_the_address_may_stand_at_the_providers_userinfo_if_that_tells_of_the_same(
    provider: Provider, ana: User
) -> None:
    provider.claims = {"email": None, "email_verified": None}
    provider.userinfo = {"sub": "somebody-else", "email": ANA, "email_verified": True}
    assert refused(sign_in(provider)) == "not_verified"
    provider.userinfo = {"sub": "ana-at-work", "email": ANA, "email_verified": True}
    assert sign_in(provider) == "/app/"


def test_a_username_alone_is_nobody(provider: Provider, api: APIClient) -> None:
    api.post("/people", {"username": ANA, "role": "viewer"}, format="json")
    provider.claims = {"preferred_username": ANA}
    assert refused(sign_in(provider)) == "unknown_person"


def test_strangers_are_refused_unless_the_settings_give_them_a_role(
    provider: Provider, alice: User, settings: Any
) -> None:
    assert refused(sign_in(provider)) == "unknown_person"
    event = AuditEvent.objects.get(action="refused to sign in")
    assert (event.name, event.after) == (ANA, {"through": provider.issuer, "reason": "unknown_person"})
    roads = Project.objects.create(name="roads")
    settings.OIDC_NEW_ROLE, settings.OIDC_NEW_PROJECT = "annotator", "roads"
    assert sign_in(provider) == "/app/"
    person = User.objects.get(username=ANA)
    assert (person.email, person.oidc_subject, person.tokens.count()) == (ANA, "ana-at-work", 0)
    assert list(Membership.objects.filter(user=person).values_list("project", "role")) == [(roads.pk, "annotator")]
    assert (person.is_owner, sign_in(provider)) == (False, "/app/")
    assert User.objects.count() == 2
    settings.OIDC_NEW_PROJECT = "nowhere"
    provider.claims = {"sub": "eve", "email": "eve@example.org"}
    assert refused(sign_in(provider)) == "unknown_person"


def test_somebody_new_does_not_get_a_name_that_is_there(provider: Provider, api: APIClient, settings: Any) -> None:
    settings.OIDC_NEW_ROLE = "viewer"
    api.post("/people", {"username": ANA.upper(), "role": "viewer"}, format="json")
    assert refused(sign_in(provider)) == "name_taken"


def test_who_was_taken_off_stays_out_and_so_do_their_sessions(provider: Provider, ana: User, api: APIClient) -> None:
    browser = APIClient()
    assert sign_in(provider, browser) == "/app/"
    api.patch("/people/ana", {"active": False}, format="json")
    assert browser.get("/session").status_code == 401
    assert refused(sign_in(provider)) == "inactive"
    api.patch("/people/ana", {"active": True}, format="json")
    assert sign_in(provider) == "/app/"


def test_another_address_ends_the_link_and_the_sessions(provider: Provider, ana: User, api: APIClient) -> None:
    browser = APIClient()
    assert sign_in(provider, browser) == "/app/"
    changed = api.patch("/people/ana", {"email": "ana@new.example"}, format="json").json()
    assert (changed["email"], changed["provider"]) == ("ana@new.example", False)
    assert browser.get("/session").status_code == 401
    assert refused(sign_in(provider)) == "unknown_person"


def test_an_address_is_one_persons_no_program_has_one_and_only_owners_write_and_read_it(
    ana: User, api: APIClient, ritas_api: APIClient
) -> None:
    calls = (
        api.post("/people", {"username": "ben", "email": "Ana@example.org"}, format="json"),
        api.post("/people", {"username": "camera", "service": True, "email": "c@example.org"}, format="json"),
        api.patch("/people/rita", {"email": ANA}, format="json"),
        api.patch("/people/rita", {"email": "no address"}, format="json"),
    )
    assert [(answer.status_code, list(answer.json()["errors"])) for answer in calls] == [(400, ["email"])] * 4
    assert not User.objects.filter(username__in=["ben", "camera"]).exists()
    assert ritas_api.patch("/people/me", {"email": "r@example.org"}, format="json").status_code == 403
    assert ritas_api.get("/people/ana").json()["email"] is None
    assert api.get("/people/ana").json()["email"] == ANA
