"""What DRF lets pass is refused, wherever it stands: a field that the shape has not, true or false for a number."""

import pytest
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from core.forms import validated


class Row(serializers.Serializer[None]):
    key = serializers.CharField()
    meta = serializers.DictField(required=False)
    weight = serializers.FloatField(required=False)


class Terms(serializers.Serializer[None]):
    dry_run = serializers.BooleanField(default=False)
    rows = Row(many=True, required=False)
    listed = serializers.ListField(child=Row(), required=False)
    one = Row(required=False)
    hours = serializers.FloatField(required=False)


def read(body: object) -> dict[str, object]:
    request = Request(APIRequestFactory().post("/"))
    request._full_data = body  # type: ignore[attr-defined]
    return validated(Terms, request)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"dryrun": True}, "dryrun"),
        ({"one": {"key": "a", "metta": {}}}, "one.metta"),
        ({"rows": [{"key": "a"}, {"key": "b", "kez": 1}]}, "rows.1.kez"),
        ({"listed": [{"keys": "a"}]}, "listed.0.keys"),
        (QueryDict("dryrun=1"), "dryrun"),
        ({"hours": True}, "hours"),
        ({"one": {"key": "a", "weight": False}}, "one.weight"),
    ],
)
def test_what_would_be_taken_for_something_else_is_named_by_its_place(body: object, field: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        read(body)
    assert isinstance(refusal.value.detail, dict)
    assert list(refusal.value.detail) == [field]


def test_what_was_meant_is_guessed_or_all_fields_are_told() -> None:
    with pytest.raises(ValidationError, match="is no field here; did you mean dry_run"):
        read({"dryrun": True})
    with pytest.raises(ValidationError, match="is no field here; there are dry_run, rows, listed, one, hours"):
        read({"pretend": True})


def test_a_thousand_unknown_fields_are_told_of_by_the_first() -> None:
    with pytest.raises(ValidationError) as refusal:
        read({"rows": [{"key": "a", "kez": 1}] * 1000})
    assert len(refusal.value.detail) == 20


def test_what_is_open_stays_open() -> None:
    assert read({"one": {"key": "a", "meta": {"any": 1}}})["one"] == {"key": "a", "meta": {"any": 1}}
    with pytest.raises(ValidationError, match="Expected a dictionary"):
        read([{"dryrun": True}])
