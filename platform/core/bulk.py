"""Bulk inserts at close to the database's own cost: Django's bulk_create costs several times as much."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import orjson
from django.db import connection, transaction
from django.db.models import CharField, DateTimeField, Field, ForeignKey, JSONField, Model, TextField
from django.db.models.base import ModelState
from django.utils import timezone

from core.list_parameters import array

M = TypeVar("M", bound=Model)
CHUNK = 10_000  # rows in one statement


def build(model: type[M], **values: Any) -> M:
    """Build an unsaved row as the model's constructor does, at a quarter of the cost: values are not checked, and no
    signal is sent. Pass relations as rows, saved or not."""
    row = model.__new__(model)
    state, held = ModelState(), row.__dict__
    state.fields_cache = related = {}
    held["_state"] = state
    plain, made, foreign = _blank(model)
    held |= plain
    for name, maker in made:
        if name not in values:
            held[name] = maker()
    for name, value in values.items():
        if name in foreign:
            related[name] = value
            held[foreign[name]] = None if value is None else value.pk
        else:
            held[name] = value
    return row


@cache
def _blank(model: type[Model]) -> tuple[Mapping[str, Any], Sequence[tuple[str, Callable[[], Any]]], Mapping[str, str]]:
    """Return a model's defaults: plain values, functions that make the others, and each relation's id attribute."""
    fields = model._meta.concrete_fields  # noqa: SLF001 - as below
    made = {field.attname: field.default for field in fields if field.has_default() and callable(field.default)}
    plain = {field.attname: field.get_default() for field in fields if field.attname not in made}
    return plain, list(made.items()), {field.name: field.attname for field in fields if isinstance(field, ForeignKey)}


@transaction.atomic
def insert(rows: Sequence[Model], *, ids: bool = True, skip_conflicts: bool = False) -> None:
    """Insert unsaved rows of one model; each gets its id, unless `ids` is False.

    With `skip_conflicts`, rows that violate a unique constraint are skipped, and no row gets an id; without it they
    raise IntegrityError. Rows that foreign keys point to must be saved, and their ids set (`sample_id`). `save` is not
    called, and no signals are sent.
    """
    if not rows:
        return
    model, ids = type(rows[0]), ids and not skip_conflicts
    if ids:
        _give_ids(model, rows)
    meta = model._meta  # noqa: SLF001 - the documented way to ask a model
    fields = [field for field in meta.concrete_fields if ids or not field.primary_key]
    ending = " ON CONFLICT DO NOTHING" if skip_conflicts else ""
    encoders = [(at, encoder) for at, field in enumerate(fields) if (encoder := _encoder(field))]
    values = attrgetter(*(field.attname for field in fields))
    for start in range(0, len(rows), CHUNK):
        chunk = [_encoded(values(row), encoders) for row in rows[start : start + CHUNK]]
        _send(meta.db_table, fields, rows=chunk, columns=zip(*chunk, strict=True), ending=ending)


@transaction.atomic
def insert_columns(model: type[Model], columns: Mapping[str, Sequence[Any]], **same: Any) -> None:
    """Insert rows as `insert` does, when you need neither objects nor ids. `columns` maps attribute names (`sample_id`)
    to one value per row; `same` gives the values that all rows share. Attributes left out get their defaults."""
    plain, made, _ = _blank(model)
    count = len(next(iter(columns.values())))
    drawn = {name: [maker() for _ in range(count)] for name, maker in made if name not in same}
    columns = {**drawn, **columns}
    same = dict(plain) | same
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]  # noqa: SLF001 - as above
    encoded = [
        _encoded_column(field, columns[field.attname]) if field.attname in columns
        else _encoded_column(field, [same[field.attname]]) * count
        for field in fields
    ]  # fmt: skip
    for start in range(0, count, CHUNK):
        cut = [column[start : start + CHUNK] for column in encoded]
        _send(model._meta.db_table, fields, rows=zip(*cut, strict=True), columns=cut)  # noqa: SLF001 - as above


def _send(
    table: str,
    fields: "Sequence[Field[Any, Any]]",
    *,
    rows: Iterable[Sequence[Any]],
    columns: Iterable[Sequence[Any]],
    ending: str = "",
) -> None:
    """Insert the values, given both as rows and as columns: SQLite reads `rows`, PostgreSQL reads `columns`."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.executemany(_row_by_row(table, fields) + ending, list(rows))
        else:
            statement, sent = _by_columns(table, fields, list(columns))
            cursor.execute(statement + ending, sent)


def _give_ids(model: type[Model], rows: Sequence[Model]) -> None:
    for row, row_id in zip(rows, _new_ids(model, len(rows)), strict=True):
        row.pk = row_id
        state = row._state  # noqa: SLF001 - Django notes here what it has saved
        state.adding, state.db = False, connection.alias


def _new_ids(model: type[Model], count: int) -> Sequence[int]:
    """Return unused ids: on SQLite they are unique because the transaction began by locking the database."""
    table = model._meta.db_table  # noqa: SLF001 - as above
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
            last = cursor.fetchone()
            first = (last[0] if last else 0) + 1
            return range(first, first + count)
        sequence = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        cursor.execute(sequence, [connection.ops.quote_name(table), count])
        return [number for (number,) in cursor.fetchall()]


def _row_by_row(table: str, fields: "Sequence[Field[Any, Any]]") -> str:
    """Return an INSERT statement to run once per row."""
    return f"{_into(table, fields)} VALUES ({', '.join(['%s'] * len(fields))})"


def _by_columns(
    table: str, fields: "Sequence[Field[Any, Any]]", columns: Sequence[Sequence[Any]]
) -> tuple[str, list[Any]]:
    """Return one INSERT statement for all rows, and its parameters: a single value for a column whose value is the same
    in all rows, else an array. The first column is always an array: its length is the number of rows."""
    one, many, picked, arrays = list[Any](), list[Any](), list[str](), list[str]()
    for at, (field, column) in enumerate(zip(fields, columns, strict=True)):
        if at and column.count(column[0]) == len(column):
            picked.append(f"%s::{_kind(field)}")
            one.append(column[0])
        else:
            picked.append(f"c{len(many)}")
            arrays.append(f"%s::{_kind(field)}[]")
            many.append(array(column))
    names = ", ".join(f"c{number}" for number in range(len(many)))
    rows = f"SELECT {', '.join(picked)} FROM unnest({', '.join(arrays)}) AS given({names})"  # noqa: S608 - names of ours
    return f"{_into(table, fields)} {rows}", one + many


def _into(table: str, fields: "Sequence[Field[Any, Any]]") -> str:
    quote = connection.ops.quote_name
    return f"INSERT INTO {quote(table)} ({', '.join(quote(field.column) for field in fields)})"


def _kind(field: "Field[Any, Any]") -> str:
    """Return the SQL type that a value is sent as. Sent as text, a value that is too long is an error; as varchar it
    would be cut off."""
    return "text" if isinstance(field, CharField | TextField) else str(field.rel_db_type(connection))  # type: ignore[attr-defined]  # the stubs leave it out


def _encoder(field: "Field[Any, Any]") -> Callable[[Any], Any] | None:
    """Return the function that converts a field's value for the database; None where none is needed."""
    if isinstance(field, JSONField):
        return lambda value: None if value is None else orjson.dumps(value).decode()
    if isinstance(field, DateTimeField):
        now = timezone.now() if field.auto_now or field.auto_now_add else None
        adapt = connection.ops.adapt_datetimefield_value
        return lambda value: adapt(value or now)
    return None


def _encoded(values: tuple[Any, ...], encoders: Sequence[tuple[int, Callable[[Any], Any]]]) -> Sequence[Any]:
    if not encoders:
        return values
    made = list(values)
    for at, encoder in encoders:
        made[at] = encoder(made[at])
    return made


def _encoded_column(field: "Field[Any, Any]", values: Sequence[Any]) -> list[Any]:
    encoder = _encoder(field)
    return list(map(encoder, values)) if encoder else list(values)
