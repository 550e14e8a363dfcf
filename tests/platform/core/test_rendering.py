"""JSON in and out: strict, bounded, fast."""

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import orjson
import pytest
from django.test import Client, override_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from tests.laws import examples

from core.rendering import OrjsonRenderer
from worker_programs import json_text

pytestmark = pytest.mark.django_db
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def post(api: APIClient, body: bytes, kind: str = "application/json") -> Any:
    return api.post("/session", body, content_type=kind)


@settings(max_examples=examples(50))
@given(JSON)
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    assert orjson.loads(OrjsonRenderer().render(value) or b"null") == value


def test_times_numbers_and_keys_of_python_and_numpy_are_written() -> None:
    value = {1: np.float32(0.5), "at": datetime(2026, 1, 2, tzinfo=UTC), "nan": float("nan")}
    assert orjson.loads(OrjsonRenderer().render(value)) == {"1": 0.5, "at": "2026-01-02T00:00:00Z", "nan": None}


def test_nothing_is_written_for_nothing() -> None:
    assert OrjsonRenderer().render(None) == b""


@pytest.mark.parametrize(
    "body",
    [b"{", b'{"token": NaN}', b'{"token": Infinity}', b"[" * 2000 + b"]" * 2000, b'"\xff"', rb'{"token": "\ud800"}',
     b'{"token": ' + b"9" * 4000 + b"}"],
    ids=["truncated", "nan", "infinity", "deep", "not-utf8", "surrogate", "a number of 4,000 digits"],
)  # fmt: skip
def test_what_is_not_json_is_refused(api: APIClient, body: bytes) -> None:
    answer = post(api, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[" * 1000 + b"]" * 1000, "nested more than 150 levels deep"),
        (b'{"token": "a", "token": "b"}', "'token' stands twice"),
        (rb'{"token": "a", "to\u006ben" : "b"}', "'token' stands twice"),
    ],
)
def test_json_that_is_not_taken_is_named_with_its_remedy(api: APIClient, body: bytes, words: str) -> None:
    answer = post(api, body)
    assert answer.status_code == 400
    assert words in answer.json()["errors"]["body"][0]


def test_a_name_in_a_text_is_no_name_given_twice(api: APIClient) -> None:
    body = {"name": '"name": "x", "name": ', "task": "classification", "classes": ["\\", '":']}
    assert api.post("/datasets", body, format="json").status_code in {201, 400}
    assert "twice" not in api.post("/datasets", body, format="json").json().get("detail", "")


def test_a_body_of_too_many_values_is_refused(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text.read_json, "__kwdefaults__", {"depth": 150, "values": 1000})
    answer = api.post("/datasets", b"[" + b"[]," * 1000 + b"1]", content_type="application/json")
    assert (answer.status_code, "more than 1,000 values" in answer.json()["detail"]) == (400, True)


def test_a_stranger_sends_little(client: Client) -> None:
    answer = client.post("/session", b" " * 5000, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_what_was_stored_before_there_were_limits_is_written_all_the_same() -> None:
    deep: Any = 10**30
    for _ in range(300):
        deep = {"a": deep}
    assert json.loads(OrjsonRenderer().render({"results": [deep, "\u00e9"]}))["results"] == [deep, "\u00e9"]


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1000)
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}])
def test_a_body_that_is_too_large_is_413(api: APIClient, headers: dict[str, str]) -> None:
    answer = api.post("/session", b'"' + b"x" * 1001 + b'"', content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml"])
def test_other_media_types_are_415(api: APIClient, kind: str) -> None:
    answer = post(api, b"token=x", kind)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"3", b"null"])
def test_a_body_of_another_shape_is_a_400(api: APIClient, body: bytes) -> None:
    assert post(api, body).status_code == 400
