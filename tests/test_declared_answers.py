"""The tests' look at answers notices what the OpenAPI document does not declare, and the document what is declared."""

from typing import Any

import orjson
import pytest
from django.http import HttpResponse, StreamingHttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from rest_framework import serializers
from rest_framework.test import APIClient
from tests.declared_answers import SCHEMA, check

from catalog.models import Dataset
from catalog.serializers.datasets import DatasetSerializer, dataset_document

LEASE = {"lease_until": "2026-11-23T10:00:00Z", "lease_token": 7}
PROBLEM = {"type": "urn:x", "title": "Conflict", "status": 409, "detail": "no", "code": "conflict"}


def answer(document: Any, status: int = 200, media_type: str = "application/json") -> HttpResponse:
    return HttpResponse(orjson.dumps(document), status=status, content_type=media_type)


def problem(document: Any) -> HttpResponse:
    return answer(document, 409, "application/problem+json")


def test_a_field_that_a_view_adds_fails(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(dataset: Dataset) -> dict[str, Any]:
        return dataset_document(dataset) | {"surprise": 1}

    monkeypatch.setattr("catalog.api.datasets.dataset_document", shown)
    with pytest.raises(AssertionError, match=r"POST /datasets answered 201, not as declared:\nbody: .*surprise"):
        api.post("/datasets", {"name": "pets", "task": "classification", "classes": ["cat"]}, format="json")


@pytest.mark.parametrize("response", [answer(LEASE), problem(PROBLEM), problem(PROBLEM | {"head": 3})])
def test_what_is_declared_passes(response: HttpResponse) -> None:
    check("post", "/labeling/tasks/{}/renew", response)


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (answer(LEASE | {"surprise": 1}), "'surprise' was unexpected"),
        (answer({"lease_token": 7}), '"lease_until" is a required property'),
        (answer(LEASE | {"lease_token": "7"}), 'lease_token: "7" is not of type "integer"'),
        (answer(LEASE | {"lease_until": "2026-11-23 10:00"}), "lease_until: .* is not a"),
        (answer(LEASE, 202), "answered 202, which is not declared"),
        (answer(LEASE, 200, "text/html"), "as text/html, which is not declared"),
        (answer(PROBLEM, 409), "as application/json, which is not declared"),
        (problem(PROBLEM | {"surprise": 1}), "'surprise' was unexpected"),
        (problem({"detail": "no"}), '"code" is a required property'),
    ],
)
def test_what_is_not_declared_fails(response: HttpResponse, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        check("post", "/labeling/tasks/{}/renew", response)


def test_lines_are_looked_at_as_they_are_read() -> None:
    pieces = [b'{"samples": 1}\n{"samples', b'": "two"}\n']
    response = StreamingHttpResponse(pieces, content_type="application/x-ndjson")
    check("get", "/datasets/{}/versions/{}/manifest", response)
    with pytest.raises(AssertionError, match="not as declared"):
        response.getvalue()


def test_another_type_in_a_declaration_is_another_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make check` compares the two byte by byte."""

    def made() -> object:
        return OpenApiJsonRenderer().render(
            SchemaGenerator().get_schema(request=None, public=True), renderer_context={}
        )

    assert made() == SCHEMA.read_bytes().rstrip()
    monkeypatch.setitem(DatasetSerializer._declared_fields, "head", serializers.CharField())
    assert made() != SCHEMA.read_bytes().rstrip()
