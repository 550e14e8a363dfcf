"""JSON in and out: strict, bounded, fast."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import orjson
import pytest
from django.test import override_settings
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from core.rendering import OrjsonRenderer

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


@settings(max_examples=50, deadline=None)
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
    [b"{", b'{"token": NaN}', b'{"token": Infinity}', b"[" * 5000 + b"]" * 5000, b'"\xff"', rb'{"token": "\ud800"}'],
    ids=["truncated", "nan", "infinity", "deep", "not-utf8", "surrogate"],
)
def test_what_is_not_json_is_refused(api: APIClient, body: bytes) -> None:
    answer = post(api, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


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
