"""PostgreSQL cursors: a frequent statement stays planned on the server; any other is planned for its values.

A plan for any values costs less than the work of a short statement, but for a long list of keys it makes the statement
far slower than planning would.
"""

from typing import Any, Self

import psycopg

from core.statements import is_kept


class KeepingCursor(psycopg.Cursor[Any]):
    """A cursor that prepares the kept statements, and no others."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        return super().execute(query, params, prepare=prepare or is_kept(query), binary=binary)
