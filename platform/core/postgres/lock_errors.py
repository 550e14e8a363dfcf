"""Statements that PostgreSQL ends because of another transaction's lock."""

from django.db import OperationalError

LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED = "55P03", "40P01"


def is_lock_error(error: BaseException) -> bool:
    """Whether a statement waited too long for a lock, or was ended to end a deadlock: repeat its transaction."""
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    return isinstance(error, OperationalError) and sqlstate in {LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED}
