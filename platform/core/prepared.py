"""Frequent queries and updates: built and compiled once, then only given their values.

Building a query set and turning it into SQL costs more than the database takes to answer a short one.
"""

import threading
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from typing import Any, TypeVar

from django.db import connection, connections
from django.db.models import QuerySet
from django.db.models.sql import UpdateQuery

from core.flushing import LAZY_COMMIT
from core.references import MAX_ID
from core.statements import keep

Row = TypeVar("Row")
Update = tuple[QuerySet[Any], Mapping[str, Any]]
"""The rows to update, and the values to pass to `QuerySet.update`."""
MOST = 64
"""The number of variants of a query that a thread keeps; any further one is built anew each time."""
FIRST_INTEGER = -(10**9) - 7
"""A placeholder for the first place in a compiled query; the next lower number is the second. No id is negative."""
PLACE_TEXT = "\0place {}"
_own = threading.local()


def prepared(*places: str) -> Callable[[Callable[..., QuerySet[Any, Row]]], Callable[..., list[Row]]]:
    """Turn a function that returns a query set into one that returns its rows, compiled once per thread.

    An argument named in `places` is a whole number or a text that is compared unchanged with a column, once or more
    often: a number too large for any column matches no row. All other arguments select the query, and must be hashable.
    Pass every argument by name. Call a query that locks rows inside a transaction. Raises ValueError if a place is
    nowhere in the compiled query.
    """

    def decorate(make: Callable[..., QuerySet[Any, Row]]) -> Callable[..., list[Row]]:
        @wraps(make)
        def rows(**arguments: Any) -> list[Row]:
            filled = {name: arguments[name] for name in places if name in arguments}
            if any(isinstance(value, int) and abs(value) > MAX_ID for value in filled.values()):
                return []
            fixed = {name: value for name, value in arguments.items() if name not in filled}
            kept = vars(_own).setdefault("kept", {}).setdefault(make, {})
            key = (tuple((name, type(value)) for name, value in filled.items()), tuple(sorted(fixed.items())))
            query = kept.get(key)
            if query is None or not query.is_current():
                if len(kept) >= MOST:
                    return list(make(**arguments))
                query = kept[key] = _Compiled(make, filled, fixed)
            found: list[Row] = query.rows(filled)
            return found

        return rows

    return decorate


def prepared_update(*places: str) -> Callable[[Callable[..., Update]], Callable[..., int]]:
    """Turn a function that returns an update into one that runs it and returns the number of rows.

    Arguments are as for `prepared`, but those in `places` are whole numbers and always required. With `flushed=False`
    the transaction does not wait for the disk (`core.flushing`).
    """

    def decorate(make: Callable[..., Update]) -> Callable[..., int]:
        @lru_cache(MOST)
        def statement(vendor: str, *, lazily: bool, **fixed: Any) -> tuple[str, list[Any], dict[int, str]]:  # noqa: ARG001 - each vendor has SQL of its own
            signs = {name: FIRST_INTEGER - at for at, name in enumerate(places)}
            rows, changes = make(**signs, **fixed)
            query: UpdateQuery = rows.query.chain(UpdateQuery)  # type: ignore[assignment]  # of the class it is given
            query.add_update_values(dict(changes))
            sql, told = query.get_compiler(using=rows.db).as_sql()
            names = {sign: name for name, sign in signs.items()}
            filled = {at: names[value] for at, value in enumerate(told) if _known(value, names)}
            return keep(f"{sql} RETURNING {LAZY_COMMIT}" if lazily else sql), list(told), filled

        @wraps(make)
        def update(*, flushed: bool = True, **arguments: Any) -> int:
            filled = {name: arguments.pop(name) for name in places}
            lazily = not flushed and connection.vendor == "postgresql"
            sql, told, at = statement(connection.vendor, lazily=lazily, **arguments)
            values = [filled[at[place]] if place in at else value for place, value in enumerate(told)]
            with connection.cursor() as cursor:
                cursor.execute(sql, values)
                return int(cursor.rowcount)

        return update

    return decorate


class _Compiled:
    """A query set of this thread, with a compiler that returns the SQL it made once."""

    def __init__(
        self, make: Callable[..., QuerySet[Any, Any]], filled: dict[str, int | str], fixed: dict[str, Any]
    ) -> None:
        signs: dict[str, int | str] = {
            name: FIRST_INTEGER - at if isinstance(value, int) else PLACE_TEXT.format(at)
            for at, (name, value) in enumerate(filled.items())
        }
        self._set = make(**signs, **fixed)
        self._compiler = self._set.query.get_compiler(using=self._set.db)
        sql, told = self._compiler.as_sql()
        self._sql = keep(sql)
        names = {sign: name for name, sign in signs.items()}
        self._places = [(at, names[value], type(value)) for at, value in enumerate(told) if _known(value, names)]
        if missing := set(filled) - {name for _, name, _ in self._places}:
            raise ValueError(f"{', '.join(sorted(missing))}: in no condition of the query of {make.__qualname__}")
        self._told = list(told)
        self._how: Any = None  # from the database's values to Python's, by column
        vars(self._compiler)["as_sql"] = self._filled
        vars(self._compiler)["get_converters"] = self._converters
        vars(self._set.query)["get_compiler"] = lambda *_, **__: self._compiler

    def is_current(self) -> bool:
        """Whether this thread still uses the database connection that the query was compiled for."""
        return self._compiler.connection is connections[self._compiler.using]

    def rows(self, filled: dict[str, int | str]) -> list[Any]:
        for at, name, kind in self._places:
            self._told[at] = kind(filled[name])
        rows: Any = self._set._iterable_class(self._set)  # noqa: SLF001 - else the query would be copied
        return [*rows]

    def _filled(self, *_: Any, **__: Any) -> tuple[str, tuple[Any, ...]]:
        return self._sql, tuple(self._told)

    def _converters(self, columns: list[Any]) -> Any:
        if self._how is None:
            self._how = type(self._compiler).get_converters(self._compiler, columns)
        return self._how


def _known(value: Any, names: Mapping[Any, str]) -> bool:
    return isinstance(value, int | str) and value in names
