"""Every error is a problem document with a stable code, and tells nothing of our insides."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import IntegrityError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path
from rest_framework import exceptions
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIClient
from rest_framework.views import APIView

from core import errors

INSIDES = re.compile(r"psycopg|SELECT|Traceback|site-packages|/work|sqlite", re.IGNORECASE)
SQL = 'near "x": syntax error SELECT secret FROM accounts_token -- sqlite3'
NESTED: dict[str, Any] = {"a": [{"non_field_errors": ["bad"]}, {"b": ["worse"]}]}
CASES: dict[str, tuple[Callable[[], Exception], int, str]] = {
    "invalid": (lambda: errors.Invalid.field("name", "must not be empty"), 400, "invalid"),
    "own-code": (lambda: errors.Invalid("no", code="unknown_class"), 400, "unknown_class"),
    "unprocessable": (lambda: errors.Unprocessable("no"), 422, "unprocessable"),
    "large": (lambda: errors.TooLarge("no"), 413, "too_large"),
    "not-found": (lambda: errors.NotFound("no"), 404, "not_found"),
    "conflict": (lambda: errors.Conflict("no", extra={"head": 3}), 409, "conflict"),
    "not-allowed": (lambda: errors.NotAllowed("no"), 403, "not_allowed"),
    "unavailable": (lambda: errors.Unavailable("no"), 503, "unavailable"),
    "drf-validation": (lambda: exceptions.ValidationError({"a": [{"b": ["bad"]}, {}]}), 400, "invalid"),
    "drf-body": (lambda: exceptions.ValidationError({"non_field_errors": ["bad"]}), 400, "invalid"),
    "drf-nested": (lambda: exceptions.ValidationError(NESTED), 400, "invalid"),
    "drf-permission": (exceptions.PermissionDenied, 403, "not_allowed"),
    "drf-throttled": (lambda: exceptions.Throttled(wait=9), 429, "throttled"),
    "http404": (Http404, 404, "not_found"),
    "permission": (PermissionDenied, 403, "not_allowed"),
    "suspicious": (lambda: SuspiciousOperation("/etc/passwd"), 400, "invalid"),
    "too-big": (lambda: RequestDataTooBig("The body is too big."), 413, "too_large"),
    "database-away": (lambda: OperationalError(SQL), 503, "unavailable"),
    "database-broken": (lambda: IntegrityError(SQL), 500, "internal"),
    "bug": (lambda: ZeroDivisionError(SQL), 500, "internal"),
}


class Raising(APIView):
    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    def get(self, request: Request, name: str) -> Response:
        raise CASES[name][0]()


class Echoing(APIView):
    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]

    def post(self, request: Request) -> Response:
        return Response(request.data)


def raising(request: HttpRequest, name: str) -> HttpResponse:
    raise CASES[name][0]()


urlpatterns = [path("echo", Echoing.as_view()), path("drf/<name>", Raising.as_view()), path("plain/<name>", raising)]
handler400 = handler403 = handler404 = handler500 = "core.problems.handler"
pytestmark = pytest.mark.urls(__name__)


@pytest.mark.parametrize("kind", ["drf", "plain"])
@pytest.mark.parametrize("name", CASES)
def test_each_error_has_its_status_and_code(client: Client, kind: str, name: str) -> None:
    _, status, code = CASES[name]
    answer = client.get(f"/{kind}/{name}")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    document = answer.json()
    assert (document["status"], document["code"], document["type"]) == (status, code, f"urn:motherlode:problem:{code}")
    assert document["title"]
    assert document["detail"]
    assert not INSIDES.search(answer.content.decode())
    assert (status == 503) == ("Retry-After" in answer and status != 429)


@pytest.mark.parametrize("kind", ["drf", "plain"])
def test_faulty_fields_are_named(client: Client, kind: str) -> None:
    assert client.get(f"/{kind}/invalid").json()["errors"] == {"name": ["must not be empty"]}
    assert client.get(f"/{kind}/drf-validation").json()["errors"] == {"a.0.b": ["bad"]}


@pytest.mark.parametrize(
    ("name", "fields"), [("drf-body", {"body": ["bad"]}), ("drf-nested", {"a.0": ["bad"], "a.1.b": ["worse"]})]
)
def test_what_is_about_no_single_field_has_no_name_of_a_library(client: Client, name: str, fields: Any) -> None:
    assert client.get(f"/drf/{name}").json()["errors"] == fields


def test_a_method_that_is_not_possible_names_those_that_are(client: Client) -> None:
    answer = client.put("/drf/invalid")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.json()["detail"] == "PUT is not possible at this address; these are: GET, HEAD."


def test_a_media_type_that_is_not_taken_is_told_with_those_that_are(client: Client) -> None:
    answer = client.post("/echo", b"{}", content_type="text/plain")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert answer.json()["detail"] == "Content-Type: this address reads application/json, not 'text/plain'."
    answer = client.post("/echo", b"{}", content_type="application/json", headers={"accept": "text/csv"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
    assert answer.json()["detail"] == "Accept: this address answers with application/json."


def test_a_number_that_json_does_not_have_is_named(client: Client) -> None:
    answer = client.post("/echo", b'{"share": NaN}', content_type="application/json")
    assert answer.json()["detail"] == (
        "The body is not valid JSON: NaN is not a number in JSON, write null or a number: line 1 column 11."
    )


@pytest.mark.urls("config.urls")
@pytest.mark.django_db
def test_who_sends_no_token_is_told_how_to(client: Client) -> None:
    answer = client.get("/datasets")
    assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")
    assert answer.json()["detail"] == "Sign in, or send your token in the header `Authorization: Bearer TOKEN`."


def test_an_error_may_carry_more_facts(client: Client) -> None:
    assert client.get("/drf/conflict").json()["head"] == 3


def test_what_waits_says_how_long(client: Client) -> None:
    assert client.get("/drf/drf-throttled")["Retry-After"] == "9"


@pytest.mark.urls("config.urls")
def test_an_unknown_address_is_a_problem_document_too(client: Client) -> None:
    answer = client.get("/no/such/thing")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.urls("config.urls")
@override_settings(ALLOWED_HOSTS=["elsewhere"])
def test_a_foreign_host_is_refused_with_a_problem_document(client: Client) -> None:
    answer = client.get("/health/live")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_what_fails_before_the_view_is_a_problem_document(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError(SQL)

    monkeypatch.setattr("core.middleware.idempotency.fingerprint", away)
    api.raise_request_exception = False
    answer = api.post("/plain/bug", headers={"Idempotency-Key": "a"})
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert not INSIDES.search(answer.content.decode())
