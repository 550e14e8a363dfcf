"""Commits that don't wait for PostgreSQL's disk: for rows that may be forgotten if its machine loses power.

PostgreSQL writes its log in order: whatever is committed later, and waited for, makes them durable as well. What is
asked for here is gone only if nothing was committed in the meantime (at most 0.6 s, three times `wal_writer_delay`).
SQLite does not wait for its disk at a commit (`synchronous=NORMAL`).
"""

from django.db import connection

from core.statements import keep

LAZY_COMMIT = "set_config('synchronous_commit', 'off', true)"
"""An expression: the transaction that computes it does not wait for the disk when it commits."""


_ASK = keep(f"SELECT {LAZY_COMMIT}")


def lazy_commits() -> bool:
    """A statement of its own could ask for it: in a transaction it would speak for all that the transaction does."""
    return connection.vendor == "postgresql" and not connection.in_atomic_block


def commit_lazily() -> None:
    """The transaction that is open does not wait for the disk when it commits."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_ASK)
