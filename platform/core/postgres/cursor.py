"""PostgreSQL: a statement that is asked all the time stays planned on the server; any other is planned for its values.

A plan for any values costs less than the work of a short statement, and far more than it for a long list of keys.
"""

from typing import Any, Self

import psycopg

from core.statements import is_kept


class KeepingCursor(psycopg.Cursor[Any]):
    """Prepares the kept statements, and no others."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        return super().execute(query, params, prepare=prepare or is_kept(query), binary=binary)
