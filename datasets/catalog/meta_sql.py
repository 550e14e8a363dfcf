"""Values inside a revision's `meta`, and membership in long lists, as SQL that says the same on both databases.

Django's own JSON lookups compare across kinds as each database likes (SQLite: any text is more than any number;
PostgreSQL: any object is more than any text). Here a value of another kind is NULL, which fulfils nothing.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

import orjson
from django.db.models import BooleanField, F, FloatField, Func, TextField


class _MetaValue(Func):
    """The value at a path of names in `meta`, if it is of this kind."""

    sqlite: ClassVar[str]
    postgresql: ClassVar[str]

    def __init__(self, path: Sequence[str]) -> None:
        super().__init__(F("meta"))
        self.path = tuple(path)

    @property
    def identity(self) -> tuple[Any, ...]:
        """Two are the same expression only with the same path."""
        return (*super().identity, self.path)

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002 - Django's
        return self._sql(compiler, self.sqlite, "%s", ["$" + "".join(f'."{name}"' for name in self.path)])

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002
        # Text on the right of -> leads into objects only, a path (#>) would count in arrays as well.
        return self._sql(compiler, self.postgresql, " -> ".join(["%s::text"] * len(self.path)), list(self.path))

    def _sql(self, compiler: Any, template: str, path: str, names: list[str]) -> tuple[str, list[Any]]:
        column, params = compiler.compile(self.source_expressions[0])
        times = template.count("{path}")
        return template.format(column=column, path=path), [*params, *names * times]


class MetaNumber(_MetaValue):
    output_field = FloatField()
    sqlite = "CASE WHEN JSON_TYPE({column}, {path}) IN ('integer', 'real') THEN JSON_EXTRACT({column}, {path}) END"
    postgresql = (
        "CASE WHEN jsonb_typeof({column} -> {path}) = 'number' THEN (({column} -> {path}) #>> '{{}}')::numeric END"
    )


class MetaText(_MetaValue):
    output_field = TextField()
    sqlite = "CASE WHEN JSON_TYPE({column}, {path}) = 'text' THEN JSON_EXTRACT({column}, {path}) END"
    postgresql = (
        "(CASE WHEN jsonb_typeof({column} -> {path}) = 'string' THEN ({column} -> {path}) #>> '{{}}' END) "
        'COLLATE "C"'  # by code point, as everywhere else
    )


class MetaBoolean(_MetaValue):
    output_field = BooleanField()
    sqlite = "CASE JSON_TYPE({column}, {path}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
    postgresql = (
        "CASE WHEN jsonb_typeof({column} -> {path}) = 'boolean' THEN (({column} -> {path}) #>> '{{}}')::boolean END"
    )


class MetaKind(_MetaValue):
    """NULL where there is nothing, or null."""

    output_field = TextField()
    sqlite = "NULLIF(JSON_TYPE({column}, {path}), 'null')"
    postgresql = "NULLIF(jsonb_typeof({column} -> {path}), 'null')"


META = {"number": MetaNumber, "text": MetaText, "boolean": MetaBoolean}


class _OneOf(Func):
    """A column of the revision is one of many values: a million of them are one parameter."""

    output_field = BooleanField()
    column: ClassVar[str]
    kind: ClassVar[str]
    """PostgreSQL's type of the values."""

    def __init__(self, values: Sequence[str] | Sequence[int]) -> None:
        super().__init__(F(self.column))
        self.values = values

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.values)} values)"

    @property
    def identity(self) -> tuple[Any, ...]:
        return (*super().identity, id(self.values))

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002
        column, params = compiler.compile(self.source_expressions[0])
        # The column is Django's own quoted name, the rest a parameter.
        sql = f"{column} IN (SELECT value FROM json_each(%s))"  # noqa: S608
        return sql, [*params, orjson.dumps(self.values).decode()]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002
        column, params = compiler.compile(self.source_expressions[0])
        return f"{column} = ANY(%s::{self.kind}[])", [*params, list(self.values)]


class DigestIn(_OneOf):
    """The revision's blob is one of these md5."""

    column, kind = "blob__md5", "text"


class SampleIn(_OneOf):
    """The revision's sample is one of these ids."""

    column, kind = "sample_id", "bigint"
