"""Values inside a JSON column such as `meta`, patterns of text, and membership in long lists, as SQL with the same
meaning on both databases.

Django's own JSON lookups compare across kinds as each database likes (SQLite: any text is more than any number;
PostgreSQL: any object is more than any text). Here a value of another kind is NULL, which fulfils nothing.
"""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import orjson
from django.db.models import BooleanField, F, FloatField, Func, TextField
from django.db.models.functions import Concat

_SMALL = {place: place + 32 for place in range(ord("A"), ord("Z") + 1)}


class JsonValue(Func):
    """The value at a path of names in a JSON column, if it is of the class's kind, else NULL."""

    sqlite: ClassVar[str]
    postgresql: ClassVar[str]

    def __init__(self, path: Sequence[str], column: str = "meta") -> None:
        super().__init__(F(column))
        self.path = tuple(path)

    @property
    def identity(self) -> tuple[Any, ...]:
        """The identity with the path: two are the same expression only with the same path."""
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


class MetaNumber(JsonValue):
    output_field = FloatField()
    sqlite = "CASE WHEN JSON_TYPE({column}, {path}) IN ('integer', 'real') THEN JSON_EXTRACT({column}, {path}) END"
    postgresql = (
        "CASE WHEN jsonb_typeof({column} -> {path}) = 'number' THEN (({column} -> {path}) #>> '{{}}')::numeric END"
    )


class MetaText(JsonValue):
    output_field = TextField()
    sqlite = "CASE WHEN JSON_TYPE({column}, {path}) = 'text' THEN JSON_EXTRACT({column}, {path}) END"
    postgresql = (
        "(CASE WHEN jsonb_typeof({column} -> {path}) = 'string' THEN ({column} -> {path}) #>> '{{}}' END) "
        'COLLATE "C"'  # by code point, as everywhere else
    )


class MetaBoolean(JsonValue):
    output_field = BooleanField()
    sqlite = "CASE JSON_TYPE({column}, {path}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END"
    postgresql = (
        "CASE WHEN jsonb_typeof({column} -> {path}) = 'boolean' THEN (({column} -> {path}) #>> '{{}}')::boolean END"
    )


class MetaKind(JsonValue):
    """The kind of the value, NULL if it is missing or null."""

    output_field = TextField()
    sqlite = "NULLIF(JSON_TYPE({column}, {path}), 'null')"
    postgresql = "NULLIF(jsonb_typeof({column} -> {path}), 'null')"


class MetaTag(Func):
    """Whether the list `meta.tags` has one of these texts."""

    output_field = BooleanField()

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__(F("meta"))
        self.tags = tuple(tags)

    @property
    def identity(self) -> tuple[Any, ...]:
        return (*super().identity, self.tags)

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002 - Django's
        column, params = compiler.compile(self.source_expressions[0])
        # The column is Django's own quoted name, the rest are parameters.
        sql = (
            f"(JSON_TYPE({column}, '$.tags') = 'array' AND EXISTS (SELECT 1 FROM json_each({column}, '$.tags') AS tag "  # noqa: S608
            "WHERE tag.type = 'text' AND tag.value IN (SELECT value FROM json_each(%s))))"
        )
        return sql, [*params, *params, orjson.dumps(self.tags).decode()]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002
        column, params = compiler.compile(self.source_expressions[0])
        one = f"COALESCE({column} -> 'tags' @> %s::jsonb, FALSE)"
        values = [value for tag in self.tags for value in (*params, orjson.dumps([tag]).decode())]
        return f"({' OR '.join([one] * len(self.tags))})", values


class _Pattern(Func):
    """Whether a text matches a pattern."""

    output_field = BooleanField()

    def __init__(self, column: Any, pattern: str) -> None:
        super().__init__(column)
        self.pattern = pattern

    @property
    def identity(self) -> tuple[Any, ...]:
        return (*super().identity, self.pattern)


class HasPrefix(_Pattern):
    """Whether the text begins with these characters."""

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002 - Django's
        column, params = compiler.compile(self.source_expressions[0])
        return f"(SUBSTR({column}, 1, %s) = %s)", [*params, len(self.pattern), self.pattern]

    as_postgresql = as_sqlite


class Contains(_Pattern):
    """Whether the text contains these characters; the letters A to Z match in either case."""

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002 - Django's
        column, params = compiler.compile(self.source_expressions[0])
        return f"(INSTR(LOWER({column}), %s) > 0)", [*params, self.pattern.translate(_SMALL)]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002
        column, params = compiler.compile(self.source_expressions[0])
        return f'(STRPOS(LOWER({column} COLLATE "C"), %s) > 0)', [*params, self.pattern.translate(_SMALL)]


class Glob(_Pattern):
    """Whether the whole text matches a pattern in which * stands for any characters and ? for one."""

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002 - Django's
        column, params = compiler.compile(self.source_expressions[0])
        return f"({column} GLOB %s)", [*params, self.pattern.replace("[", "[[]")]

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, list[Any]]:  # noqa: ARG002
        column, params = compiler.compile(self.source_expressions[0])
        pattern = re.sub(r"([%_\\])", r"\\\1", self.pattern)
        return f"({column} LIKE %s)", [*params, pattern.replace("*", "%").replace("?", "_")]


META = {"number": MetaNumber, "text": MetaText, "boolean": MetaBoolean}


class _OneOf(Func):
    """Whether a column of the revision is one of many values: a million of them are one parameter."""

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
    """Whether the md5 of the revision's blob is one of these."""

    column, kind = "blob__md5", "text"


class DigestAndClassIn(_OneOf):
    """Whether the md5 of the revision's blob, followed by the class of its label, is one of these texts."""

    kind = "text"

    def __init__(self, values: Sequence[str]) -> None:
        super(_OneOf, self).__init__(Concat(F("blob__md5"), F("class_name"), output_field=TextField()))
        self.values = values


class SampleIn(_OneOf):
    """Whether the id of the revision's sample is one of these."""

    column, kind = "sample_id", "bigint"
