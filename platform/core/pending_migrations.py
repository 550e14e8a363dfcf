"""Migrations of this code that the database lacks: until they are applied, the web refuses requests, workers wait."""

import logging
import time
from functools import cache

from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

logger = logging.getLogger(__name__)
POLL_SECONDS = 2.0
SAY_SECONDS = 60.0
SHOWN = 3


@cache
def _known() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.nodes)


def missing() -> list[str]:
    """Return the migrations that are not applied, as `app.name`. Raises DatabaseError when the database does not
    answer."""
    return sorted(f"{app}.{name}" for app, name in _known() - MigrationRecorder(connection).applied_migrations().keys())


def in_words(names: list[str]) -> str:
    """Say how many migrations are missing and what to do; empty if none is."""
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    shown = f"{', '.join(names[:SHOWN])}{more}"
    return f"migrations are missing: {len(names)} ({shown}); run `python manage.py migrate`, embedded `make up`"


def wait() -> None:
    """Wait until every migration is applied, and say so in the log at first and every minute."""
    said = -SAY_SECONDS
    while words := _now():
        if time.monotonic() - said >= SAY_SECONDS:
            logger.warning("%s; waiting for them", words)
            said = time.monotonic()
        time.sleep(POLL_SECONDS)


def _now() -> str:
    try:
        return in_words(missing())
    except DatabaseError as error:
        connection.close()
        return f"the database does not answer ({error})"


class Gate:
    """Whether this process may answer requests. It is open until `close`, and again once no migration is missing."""

    def __init__(self) -> None:
        self._open = True

    def close(self) -> None:
        """Refuse requests until the database has the tables of this code."""
        self._open = False

    def words(self) -> str:
        """Say why the gate is closed; empty if it is open. Raises DatabaseError when the database does not answer."""
        if self._open:
            return ""
        words = in_words(missing())
        self._open = not words
        return words


gate = Gate()
