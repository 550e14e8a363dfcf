"""Frequent statements, which PostgreSQL keeps planned (`core.postgres.cursor`)."""

_kept: set[str] = set()


def keep(sql: str) -> str:
    """Let PostgreSQL keep this statement prepared on each connection that runs it. Returns the statement."""
    _kept.add(sql)
    return sql


def is_kept(sql: object) -> bool:
    """Whether PostgreSQL keeps this statement prepared."""
    return isinstance(sql, str) and sql in _kept
