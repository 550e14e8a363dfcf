"""Rows of any table, with everything they must have: tests of lists need many of each kind, however they came about."""

from datetime import UTC, datetime
from itertools import count
from typing import Any, TypeVar

from django.db.models import NOT_PROVIDED, Field, ForeignKey, Model, fields
from django.db.models.fields.json import JSONField

NUMBERS = count(1)
M = TypeVar("M", bound=Model)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def filled(model: type[M], /, **given: Any) -> M:
    """Create a row. What is not given and has no default becomes another value, or another row, for each row made.
    Values may be functions of the row's number."""
    number = next(NUMBERS)
    values = {name: value(number) if callable(value) else value for name, value in given.items()}
    for field in model._meta.concrete_fields:
        if field.name not in values and field.attname not in values and _must_have(field):
            values[field.name] = _value(field, number)
    row = model(**values)
    row.save(force_insert=True)
    return row


def _must_have(field: "Field[Any, Any]") -> bool:
    known = field.default is not NOT_PROVIDED or field.db_default is not NOT_PROVIDED or field.null or field.blank
    return not (
        known or field.primary_key or getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False)
    )


def _value(field: "Field[Any, Any]", number: int) -> Any:
    if isinstance(field, ForeignKey):
        assert isinstance(field.related_model, type)
        return filled(field.related_model)
    if field.choices:
        return field.flatchoices[0][0]
    if isinstance(field, JSONField):
        return {}
    if isinstance(field, fields.BinaryField):
        return b""
    if isinstance(field, fields.DateTimeField):
        return NOW
    if isinstance(field, fields.BooleanField):
        return False
    if isinstance(field, (fields.CharField, fields.TextField)):
        return f"{number:0{min(field.max_length or 12, 64)}x}"
    return number
