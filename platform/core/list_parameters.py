"""Long lists of values in a query: one parameter, where `field__in=values` sends and parses each value by itself."""

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection
from django.db.models.expressions import RawSQL


def listed(values: Sequence[int] | Sequence[str]) -> RawSQL | Sequence[int] | Sequence[str]:
    """What stands for `values` in `field__in=listed(values)`; values of one kind, as many as there are.

    A planner takes it for a short table: it looks each value up by an index, where there is one.
    """
    if not values:
        return values  # Django asks the database for nothing then
    if connection.vendor == "sqlite":
        return RawSQL("SELECT value FROM json_each(%s)", [orjson.dumps(list(values)).decode()])
    kind = "text" if isinstance(values[0], str) else "bigint"
    return RawSQL(f"SELECT unnest(%s::{kind}[])", [array(values)])  # noqa: S611 - no text of others is in it


def array(values: Sequence[Any]) -> str | list[Any]:
    """What is sent to PostgreSQL as an array of one dimension: of plain numbers or plain texts the array's own
    notation, which is written here at a tenth of what the driver takes, else a list for the driver.
    Source: the manual of PostgreSQL, "Array Input and Output Syntax"."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return "{" + ",".join(map(str, values)) + "}"
    if kinds == {str} and not any("\0" in value for value in values):
        text = "\0".join(values).replace("\\", "\\\\").replace('"', '\\"')
        return '{"' + text.replace("\0", '","') + '"}'
    return list(values)
