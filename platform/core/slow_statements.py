"""Statements that the database takes long for: counted, and logged without their values."""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from core.host_metrics import slow_statements

logger = logging.getLogger(__name__)
SLOW_SECONDS = 1.0
SHOWN = 500
VERBS = {"SELECT", "INSERT", "UPDATE", "DELETE", "BEGIN", "WITH"}


def note(sql: str, seconds: float) -> None:
    """Count and log a statement, if it took more than SLOW_SECONDS."""
    if seconds < SLOW_SECONDS:
        return
    verb = sql.lstrip("( ").partition(" ")[0].upper()
    slow_statements.add(verb.lower() if verb in VERBS else "other")
    logger.warning("a statement took %.1f s: %s", seconds, sql[:SHOWN])


def watch(**_: object) -> None:
    """Measure every statement of the connections that are made from now on."""
    connection_created.connect(_measure, dispatch_uid="core.slow_statements")


def _measure(connection: BaseDatabaseWrapper, **_: object) -> None:
    if _timed not in connection.execute_wrappers:
        connection.execute_wrappers.append(_timed)


def _timed(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001 - Django's
    began = time.monotonic()
    try:
        return execute(sql, params, many, context)
    finally:
        note(sql, time.monotonic() - began)
