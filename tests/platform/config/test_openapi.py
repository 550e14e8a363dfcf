"""What the API's schema tells of every operation: its refusals, and the bounds of all that may be sent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.declared_answers import SCHEMA

DOCUMENT = json.loads(SCHEMA.read_text())
METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    if method in METHODS
}


def resolved(node: Any) -> Any:
    """The part of the document that a reference names."""
    if isinstance(node, dict) and "$ref" in node:
        found: Any = DOCUMENT
        for step in node["$ref"][2:].split("/"):
            found = found[step]
        return found
    return node


def sent_parts(node: Any, at: str, seen: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema of what may be sent, and where it stands; each named one once."""
    if isinstance(node, bool) or (name := node.get("$ref", "")) in seen:
        return
    if name:
        seen.add(name)
        node, at = resolved(node), name.rpartition("/")[2]
    if "type" in node:
        yield at, node
    for field, one in node.get("properties", {}).items():
        yield from sent_parts(one, f"{at}.{field}", seen)
    others = [node.get("items", True), node.get("additionalProperties", True)]
    for one in (*others, *(one for word in ("oneOf", "anyOf", "allOf") for one in node.get(word, []))):
        yield from sent_parts(one, at, seen)


def everything_sent() -> list[tuple[str, dict[str, Any]]]:
    seen: set[str] = set()
    parts: list[tuple[str, dict[str, Any]]] = []
    for name, operation in OPERATIONS.items():
        for parameter in operation.get("parameters", []):
            parts += sent_parts(parameter["schema"], f"{name}?{parameter['name']}", seen)
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            if media_type != "application/octet-stream":
                parts += sent_parts(content["schema"], name, seen)
    return parts


SENT = everything_sent()


def is_unbounded(schema: dict[str, Any]) -> bool:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if {"enum", "const"} & schema.keys():
        return False
    bounds = {
        "string": [{"maxLength"}, {"format"}],
        "integer": [{"minimum", "maximum"}, {"exclusiveMinimum", "maximum"}],
        "number": [{"minimum", "maximum"}, {"exclusiveMinimum", "maximum"}, {"exclusiveMinimum", "exclusiveMaximum"}],
        "array": [{"maxItems"}],
    }
    return any(kind in bounds and not any(words <= schema.keys() for words in bounds[kind]) for kind in types)


def test_the_walk_finds_what_is_sent() -> None:
    assert len(OPERATIONS) > 200
    places = {at for at, _ in SENT}
    assert {"GET /jobs?limit", "NewDatasetRequest.name", "BoxShape.box", "POST /datasets?Idempotency-Key"} <= places


def test_every_text_number_and_list_has_bounds() -> None:
    assert [at for at, schema in SENT if is_unbounded(schema)] == []


def test_every_object_is_closed_or_says_how_many_names_it_has() -> None:
    objects = [(at, schema) for at, schema in SENT if "object" in schema["type"]]
    open_ones = [
        at
        for at, schema in objects
        if schema.get("additionalProperties") is not False and "maxProperties" not in schema
    ]
    assert open_ones == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_tells_of_its_refusals(name: str) -> None:
    operation, method = OPERATIONS[name], name.partition(" ")[0]
    parameters = operation.get("parameters", [])
    expected = {"400", "431", "5XX"}
    if "security" in operation:  # what reads no credentials is listed in test_routes
        expected |= {"401", "403", "429"}
    if any(one["in"] == "path" for one in parameters) or "requestBody" in operation:
        expected |= {"404"}
    if method != "GET":
        expected |= {"409", "412"}
    if "requestBody" in operation:
        expected |= {"411", "413", "415"}
    if method == "POST":
        expected |= {"422"}
    assert expected <= operation["responses"].keys()
    assert "default" not in operation["responses"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_refusal_is_the_problem_document(name: str) -> None:
    for status, answer in OPERATIONS[name]["responses"].items():
        if status[0] in "45":
            assert [*resolved(answer)["content"]] == ["application/problem+json"]


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name.startswith("POST ")])
def test_a_post_takes_an_idempotency_key(name: str) -> None:
    headers = [one["name"] for one in OPERATIONS[name].get("parameters", []) if one["in"] == "header"]
    assert headers == ["Idempotency-Key"]
