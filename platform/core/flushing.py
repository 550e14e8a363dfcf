"""Commits that don't wait for PostgreSQL's disk: for rows whose loss is acceptable if its machine loses power.

PostgreSQL writes its log in order: any later commit that does wait makes these durable as well. They are lost only if
nothing was committed in the meantime (at most 0.6 s, three times `wal_writer_delay`). SQLite does not wait for its disk
at a commit (`synchronous=NORMAL`).
"""

from django.db import connection

from core.statements import keep

LAZY_COMMIT = "set_config('synchronous_commit', 'off', true)"
"""An SQL expression: a transaction that computes it does not wait for the disk when it commits."""


_ASK = keep(f"SELECT {LAZY_COMMIT}")


def lazy_commits() -> bool:
    """Whether a single statement may ask for a lazy commit: on PostgreSQL, outside a transaction. Inside one it would
    decide for the whole transaction."""
    return connection.vendor == "postgresql" and not connection.in_atomic_block


def commit_lazily() -> None:
    """Make the open transaction commit without waiting for the disk."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_ASK)
