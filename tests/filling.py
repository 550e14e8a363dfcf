"""Rows of any table, with everything they must have: tests of lists need many of each kind, however they came about."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any, TypeVar

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import NOT_PROVIDED, AutoField, Field, ForeignKey, Max, Model, fields
from django.db.models.fields.json import JSONField

NUMBERS = count(1)
AT_ONCE = 2000
M = TypeVar("M", bound=Model)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
MOST_SMALL = 32_767


class _Unwritten:
    """Rows that `together` writes at its end, by table, and the next id of each table."""

    def __init__(self) -> None:
        self.rows: defaultdict[type[Model], list[Model]] = defaultdict(list)
        self._ids: dict[type[Model], Iterator[int]] = {}

    def next_id(self, model: type[Model]) -> int:
        if model not in self._ids:
            last = model._base_manager.aggregate(last=Max("pk"))["last"]
            self._ids[model] = count((last or 0) + 1)
        return next(self._ids[model])

    def write(self) -> None:
        for model, rows in self.rows.items():
            model._base_manager.bulk_create(rows, batch_size=AT_ONCE)
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(self.rows)):
                cursor.execute(statement)


_unwritten: _Unwritten | None = None


@contextmanager
def together() -> Iterator[None]:
    """Write what `filled` makes in here at its end, a table at a time: thousands of rows take seconds, not minutes.
    Until then queries do not find them."""
    global _unwritten
    with transaction.atomic():
        _unwritten = _Unwritten()
        try:
            yield
            _unwritten.write()
        finally:
            _unwritten = None


def filled(model: type[M], /, **given: Any) -> M:
    """Create a row. What is not given and has no default becomes another value, or another row, for each row made.
    Values may be functions of the row's number."""
    number = next(NUMBERS)
    values = {name: value(number) if callable(value) else value for name, value in given.items()}
    for field in model._meta.concrete_fields:
        if field.name not in values and field.attname not in values and _must_have(field):
            values[field.name] = _value(field, number)
    if _unwritten is not None and isinstance(model._meta.pk, AutoField):
        values[model._meta.pk.attname] = _unwritten.next_id(model)
    row = model(**values)
    if _unwritten is not None:
        _unwritten.rows[model].append(row)
    else:
        row.save(force_insert=True)
    return row


def change(row: Model, **values: Any) -> None:
    """Change a row that `filled` made."""
    for name, value in values.items():
        setattr(row, name, value)
    if row._state.adding is False:
        row.save(update_fields=list(values))


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
    return number % MOST_SMALL if isinstance(field, fields.SmallIntegerField) else number
