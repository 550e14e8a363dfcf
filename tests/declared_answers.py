"""Every answer that a test's client gets is held against frontend/openapi.json: a status, a media type or a field that
is not declared there, a field that is missing and a value of another type fail the test."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.test import Client
from django.urls import Resolver404
from jsonschema_rs import Registry, Validator, validator_for
from rest_framework.views import APIView

SCHEMA = Path(__file__).parents[1] / "frontend" / "openapi.json"
UNDECLARED = {"tests", "drf_spectacular", "mlflow_api"}
"""Packages whose views are in no schema: those of a test, those that show the schema, and those of a protocol that is
not ours."""
LINES = "application/x-ndjson"
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
JSON = {"application/json", "application/problem+json", LINES}


@pytest.fixture(scope="session", autouse=True)
def declared_answers() -> Iterator[None]:
    """Looks at the answers of Django's client, and so of DRF's."""
    request = Client.request

    def checked(self: Client, **given: Any) -> Any:
        response = request(self, **given)
        if (path := _path(response)) is not None:
            check(response.request["REQUEST_METHOD"].lower(), path, response)
        return response

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "request", checked)
        yield


def check(method: str, path: str, response: Any) -> None:
    """Raises AssertionError for an answer that the schema does not declare; for lines, when they are read."""
    what = f"{method.upper()} {path} answered {response.status_code}"
    operations = _operations()[path]
    operation = operations.get("get" if method == "head" else method)
    declared = _declared(operation, str(response.status_code))
    if declared is None and (operation is None or method == "options"):
        declared = {"content": PROBLEM}
    assert declared is not None, f"{what}, which is not declared"
    if method in {"head", "options"}:
        return
    content = declared.get("content", {})
    media_type = response.get("Content-Type", "").partition(";")[0]
    if not content:
        assert not getattr(response, "content", True), f"{what} with a body, which is not declared"
        return
    known = next((name for name in content if fnmatch(media_type, name)), None)
    assert known is not None, f"{what} as {media_type or 'nothing'}, which is not declared"
    if known not in JSON:
        return
    schema = orjson.dumps(content[known]["schema"])
    if media_type == LINES:
        response.streaming_content = _checked_lines(response.streaming_content, schema, what)
    else:
        _check_document(response.content, schema, what)


def _declared(operation: Mapping[str, Any] | None, status: str) -> Any:
    """The answer that an operation declares for this status, by itself or as one of a hundred."""
    responses = operation["responses"] if operation else {}
    declared = responses.get(status, responses.get(f"{status[0]}XX"))
    if declared is not None and "$ref" in declared:
        declared = _schema()["components"]["responses"][declared["$ref"].rpartition("/")[2]]
    return declared


def _check_document(document: bytes, schema: bytes, what: str) -> None:
    faults = [
        f"{'.'.join(map(str, one.instance_path)) or 'body'}: {one.message}"
        for one in _validator(schema).iter_errors(orjson.loads(document))
    ]
    if faults:
        raise AssertionError("\n".join([f"{what}, not as declared:", *faults]))


def _checked_lines(pieces: Iterable[bytes], schema: bytes, what: str) -> Iterator[bytes]:
    begun = b""
    for piece in pieces:
        *lines, begun = (begun + piece).split(b"\n")
        for line in lines:
            _check_document(line, schema, what)
        yield piece


def _path(response: Any) -> str | None:
    """The address in the schema, its parameters without names; None for what is not of the API."""
    try:
        match = response.resolver_match
        view = getattr(match.func, "cls", None)
    except Resolver404:
        return None
    if view is None or not issubclass(view, APIView) or view.__module__.partition(".")[0] in UNDECLARED:
        return None
    return "/" + re.sub(r"<[^>]+>", "{}", match.route)


@cache
def _operations() -> Mapping[str, Mapping[str, Any]]:
    return {re.sub(r"{\w+}", "{}", path): operations for path, operations in _schema()["paths"].items()}


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = _closed(orjson.loads(SCHEMA.read_bytes()))
    return schema


@cache
def _registry() -> Registry:
    return Registry([("urn:api", {"components": _schema()["components"]})])


@cache
def _validator(schema: bytes) -> Validator:
    """Compiled once for each answer of each operation."""
    text = schema.replace(b'"#/components', b'"urn:api#/components')
    return validator_for(orjson.loads(text), registry=_registry(), validate_formats=True)


def _closed(schema: Any) -> Any:
    """The same, with no fields in an object but those that are declared."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(one) for name, one in schema.items()}
    if isinstance(schema.get("properties"), dict) and "object" in schema.get("type", ""):
        closed.setdefault("additionalProperties", False)
    return closed
