"""Statements that are asked all the time, which PostgreSQL keeps planned (`core.postgres.cursor`)."""

_kept: set[str] = set()


def keep(sql: str) -> str:
    """Let PostgreSQL keep this statement prepared on each connection that it comes by. Returns it."""
    _kept.add(sql)
    return sql


def is_kept(sql: object) -> bool:
    """Whether it is one of them."""
    return isinstance(sql, str) and sql in _kept
