"""PostgreSQL: a statement that is asked all the time stays planned on the server; any other is planned for its values.

A plan for any values costs less than the work of a short statement, and far more than it for a long list of keys.
"""

from typing import Any, Self

from django.db.backends.postgresql.base import ServerBindingCursor

_kept: set[str] = set()


def keep(sql: str) -> str:
    """Let PostgreSQL keep this statement prepared on each connection that it comes by. Returns it."""
    _kept.add(sql)
    return sql


class KeepingCursor(ServerBindingCursor):
    """Prepares the kept statements, and no others."""

    def execute(
        self, query: Any, params: Any = None, *, prepare: bool | None = None, binary: bool | None = None
    ) -> Self:
        return super().execute(query, params, prepare=prepare or query in _kept, binary=binary)
