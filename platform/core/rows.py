"""Frequent writes of single rows: statements are built once, where Django's `save` builds them each time."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Field, Model

from core.flushing import LAZY_COMMIT, lazy_commits
from core.statements import keep


class _Statement(NamedTuple):
    sql: str
    fields: "Sequence[Field[Any, Any]]"


def insert_row(row: Model, *, skip_conflicts: bool = False, flushed: bool = True) -> bool:
    """Insert an unsaved row and set its id, as `save` does, but send no signal.

    Returns whether it was inserted: with `skip_conflicts` a row that breaks a unique constraint is not; without it,
    that raises IntegrityError. With `flushed=False`, outside a transaction PostgreSQL does not wait for its disk
    (`core.flushing`).
    """
    lazily = not flushed and lazy_commits()
    sql, fields = _insertion(type(row), skip_conflicts, lazily, connection.vendor)
    with _turn(), connection.cursor() as cursor:
        cursor.execute(sql, [_prepared(field, field.pre_save(row, add=True)) for field in fields])
        made = cursor.fetchone()
    if made is None:
        return False
    row.pk = made[0]
    state = row._state  # noqa: SLF001 - Django notes here what it has saved
    state.adding, state.db = False, connection.alias
    return True


def save_fields(row: Model, *names: str) -> bool:
    """Update these plain fields of a saved row, as `save(update_fields=names)` does, but send no signal. Returns
    whether the row still exists."""
    sql, fields = _update(type(row), names, connection.vendor)
    with _turn(), connection.cursor() as cursor:
        cursor.execute(sql, [*(_prepared(field, getattr(row, field.attname)) for field in fields), row.pk])
        return bool(cursor.rowcount)


def _turn() -> AbstractContextManager[None]:
    """Open a transaction on SQLite if there is none: a statement alone waits longer for the lock (`core.sqlite`)."""
    alone = connection.vendor == "sqlite" and not connection.in_atomic_block
    return transaction.atomic() if alone else nullcontext()


def _prepared(field: "Field[Any, Any]", value: Any) -> Any:
    return field.get_db_prep_save(value, connection)


@cache
def _insertion(model: type[Model], skip_conflicts: bool, lazily: bool, vendor: str) -> _Statement:  # noqa: ARG001, FBT001 - each vendor quotes in its own way
    quote, meta = connection.ops.quote_name, model._meta  # noqa: SLF001 - the documented way to ask a model
    fields = [field for field in meta.concrete_fields if not field.primary_key]
    columns = ", ".join(quote(field.column) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    table, key = quote(meta.db_table), quote(meta.pk.column)
    unless = " ON CONFLICT DO NOTHING" if skip_conflicts else ""
    also = f", {LAZY_COMMIT}" if lazily else ""
    sql = f"INSERT INTO {table} ({columns}) VALUES ({marks}){unless} RETURNING {key}{also}"  # noqa: S608 - names out of models
    return _Statement(keep(sql), fields)


@cache
def _update(model: type[Model], names: Sequence[str], vendor: str) -> _Statement:  # noqa: ARG001 - as above
    quote, meta = connection.ops.quote_name, model._meta  # noqa: SLF001 - as above
    known = {field.name: field for field in meta.concrete_fields}
    fields = [known[name] for name in names]
    changes = ", ".join(f"{quote(field.column)} = %s" for field in fields)
    sql = f"UPDATE {quote(meta.db_table)} SET {changes} WHERE {quote(meta.pk.column)} = %s"  # noqa: S608 - as above
    return _Statement(keep(sql), fields)
