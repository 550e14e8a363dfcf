"""What DRF lets pass is refused, wherever it stands: a field that the shape has not, true or false for a number."""

import re
from typing import Any

import pytest
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from core.bounds import MAX_INTEGER, MAX_NAMES, MAX_TEXT
from core.forms import ReferenceField, validated
from core.problems import exception_handler


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
    with pytest.raises(ValidationError, match="is not a field here; did you mean dry_run"):
        read({"dryrun": True})
    with pytest.raises(ValidationError, match="is not a field here; there are dry_run, rows, listed, one, hours"):
        read({"pretend": True})


def test_a_thousand_unknown_fields_are_told_of_by_the_first() -> None:
    with pytest.raises(ValidationError) as refusal:
        read({"rows": [{"key": "a", "kez": 1}] * 1000})
    assert len(refusal.value.detail) == 20


def test_what_is_open_stays_open() -> None:
    assert read({"one": {"key": "a", "meta": {"any": 1}}})["one"] == {"key": "a", "meta": {"any": 1}}
    with pytest.raises(ValidationError, match="must be an object, not list"):
        read([{"dryrun": True}])


def test_nothing_at_all_is_refused() -> None:
    with pytest.raises(ValidationError, match="No data provided"):
        read(None)


def test_one_reading_leaves_nothing_for_the_next() -> None:
    assert read({"dry_run": True, "hours": 2}) == {"dry_run": True, "hours": 2.0}
    with pytest.raises(ValidationError):
        read({"hours": "x"})
    assert read({}) == {"dry_run": False}


LIBRARY_WORDS = re.compile(r"^[A-Z]|Ensure|valid (integer|number|choice|boolean|string)|dictionary|This field|pk")


class Everything(serializers.Serializer[None]):
    name = serializers.CharField(max_length=3, min_length=2)
    count = serializers.IntegerField(min_value=1, max_value=9)
    share = serializers.FloatField(min_value=0, max_value=1)
    split = serializers.ChoiceField(["train", "test"])
    keys = serializers.ListField(child=serializers.CharField(), min_length=1, max_length=2)
    meta = serializers.DictField()
    rows = Row(many=True)
    one = Row()
    dry_run = serializers.BooleanField()
    since = serializers.DateTimeField()
    file = serializers.FileField()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("name", "", "must not be empty"),
        ("name", None, "must not be null"),
        ("name", ["a"], "must be text"),
        ("name", "long", "must have at most 3 characters"),
        ("name", "a", "must have at least 2 characters"),
        ("count", 0, "must be at least 1"),
        ("count", 10, "must be at most 9"),
        ("count", "many", "must be a whole number"),
        ("count", "1" * 2000, "has too many digits for a number"),
        ("share", "half", "must be a number"),
        ("share", 2, "must be at most 1"),
        ("split", "tset", "must be one of train, test, not 'tset'"),
        ("keys", "a", "must be a list, not str"),
        ("keys", [], "must have at least 1 entries"),
        ("keys", ["a", "b", "c"], "must have at most 2 entries"),
        ("meta", [], "must be an object, not list"),
        ("rows", {}, "must be a list, not dict"),
        ("one", "x", "must be an object, not str"),
        ("dry_run", "perhaps", "must be true or false"),
        ("since", "yesterday", "must be a time such as 2026-03-01T12:00:00Z"),
        ("file", "text", "must be a file of a multipart form"),
    ],
)
def test_a_faulty_field_is_told_of_in_plain_words(field: str, value: object, message: str) -> None:
    form = Everything(data={field: value})
    assert not form.is_valid()
    assert message in str(form.errors[field])
    others = [str(one) for name, faults in form.errors.items() if name != field for one in faults]
    assert set(others) == {"is missing: this field is required", "is missing: send a file"} - (
        {"is missing: send a file"} if field == "file" else set()
    )


def test_no_field_class_in_use_keeps_a_message_of_the_librarys() -> None:
    used = {serializers.BooleanField, serializers.CharField, serializers.ChoiceField, serializers.DateTimeField}
    used |= {serializers.DictField, serializers.FileField, serializers.FloatField, serializers.IntegerField}
    used |= {serializers.JSONField, serializers.ListField, serializers.RegexField, serializers.ListSerializer}
    for kind in used - {serializers.ChoiceField}:
        messages = {key: text for base in reversed(kind.__mro__)
                    for key, text in getattr(base, "default_error_messages", {}).items()}  # fmt: skip
        assert not [text for text in messages.values() if LIBRARY_WORDS.search(str(text))], kind


class Typed(serializers.Serializer[None]):
    name = serializers.CharField(required=False)
    version = ReferenceField(required=False)
    names = serializers.ListField(child=serializers.CharField(), required=False)
    count = serializers.IntegerField(required=False)
    seed = serializers.IntegerField(required=False, min_value=0, max_value=9)
    share = serializers.FloatField(required=False)
    dry_run = serializers.BooleanField(required=False)
    shares = serializers.DictField(child=serializers.FloatField(), required=False)


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        ({"name": 5}, "name", "must be text"),
        ({"name": 0.5}, "name", "must be text"),
        ({"names": ["a", 5]}, "names.1", "must be text"),
        ({"version": 0.5}, "version", "must be text or a whole number"),
        ({"count": "5"}, "count", "must be a whole number, not text"),
        ({"share": "0.5"}, "share", "must be a number, not text"),
        ({"shares": {"train": "0.5"}}, "shares.train", "must be a number, not text"),
        ({"dry_run": "yes"}, "dry_run", "must be true or false"),
        ({"dry_run": 1}, "dry_run", "must be true or false"),
        ({"name": "a" * (MAX_TEXT + 1)}, "name", f"must have at most {MAX_TEXT} characters"),
        ({"names": ["a" * (MAX_TEXT + 1)]}, "names.0", f"must have at most {MAX_TEXT} characters"),
        ({"count": MAX_INTEGER + 1}, "count", f"must be at most {MAX_INTEGER}"),
        ({"count": 1e20}, "count", f"must be at most {MAX_INTEGER}"),
        ({"count": -1e20}, "count", f"must be at least {-MAX_INTEGER}"),
        ({"seed": 1e20}, "seed", "must be at most 9"),
        ({"seed": -1e20}, "seed", "must be at least 0"),
        ({"count": 1.5}, "count", "must be a whole number"),
        ({"share": -1e300}, "share", "must be at least"),
        ({"shares": {str(number): 0.1 for number in range(MAX_NAMES + 1)}}, "shares", f"must have at most {MAX_NAMES}"),
    ],
)
def test_json_is_taken_as_it_is_and_within_bounds(body: dict[str, Any], field: str, message: str) -> None:
    request = Request(APIRequestFactory().post("/"))
    request._full_data = body  # type: ignore[attr-defined]
    with pytest.raises(ValidationError) as refusal:
        validated(Typed, request)
    answer = exception_handler(refusal.value, {})
    assert answer is not None
    assert [*answer.data["errors"]] == [field]
    assert message in answer.data["errors"][field][0]


def test_a_form_sends_numbers_as_text_and_a_reference_may_be_a_number() -> None:
    request = Request(APIRequestFactory().post("/"))
    request._full_data = QueryDict("count=5&share=0.5&dry_run=true")  # type: ignore[attr-defined]
    assert validated(Typed, request) == {"count": 5, "share": 0.5, "dry_run": True}
    request._full_data = {"version": 3}  # type: ignore[attr-defined]
    assert validated(Typed, request) == {"version": "3"}


class Form(serializers.Serializer[None]):
    split = serializers.CharField(required=False)
    files = serializers.ListField(child=serializers.CharField(), required=False)


def test_a_field_that_a_form_sends_again_is_refused_unless_it_is_a_list() -> None:
    request = Request(APIRequestFactory().post("/"))
    request._full_data = QueryDict("split=train&split=test&files=1&files=2")  # type: ignore[attr-defined]
    with pytest.raises(ValidationError) as refusal:
        validated(Form, request)
    assert refusal.value.detail == {"split": ["stands here 2 times: send it once"]}
    request._full_data = QueryDict("split=train&files=1&files=2")  # type: ignore[attr-defined]
    assert validated(Form, request) == {"split": "train", "files": ["1", "2"]}
