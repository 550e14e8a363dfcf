"""Nobody waits for a server that has fallen silent, and anybody for a statement that takes long: the difference is
whether the server answers somebody else meanwhile.

A frozen server sends no error, keeps its connections, and accepts new ones: no time-out of its own ends a wait then.
"""

import math
import select
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from psycopg import IsolationLevel
from psycopg.abc import PQGen
from psycopg.errors import ConnectionTimeout

from worker_programs.breaker import Breaker

R = TypeVar("R")
LOOK_SECONDS = 0.1
FRESH_SECONDS = 1.0
SILENT = "the database does not answer"
breaker = Breaker(rest=5.0)


class ServerSilentError(psycopg.OperationalError):
    """The server says nothing, neither here nor on another connection."""


class Impatient(psycopg.Connection[Any]):
    """Waits for each answer for `settings.DATABASE_PATIENCE` seconds. Raises ServerSilentError, and is closed then."""

    heard = -math.inf

    def is_fresh(self) -> bool:
        """The server was heard a moment ago, and has not ended the connection since: that would be there to read."""
        return not self.closed and time.monotonic() - self.heard < FRESH_SECONDS and not _can_read(self.fileno())

    def wait(self, gen: PQGen[R], interval: float = LOOK_SECONDS, timeout: float | None = None) -> R:
        return super().wait(self._watched(gen), interval, timeout)

    def patience_ended(self) -> None:
        """Nothing came for that long."""
        self.close()
        raise ServerSilentError(SILENT)

    def _watched(self, gen: PQGen[R]) -> PQGen[R]:
        """The same steps of the protocol, with an eye on the time between them."""
        heard = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    heard = time.monotonic()
                elif time.monotonic() - heard > settings.DATABASE_PATIENCE:
                    self.patience_ended()
                    heard = time.monotonic()
                wanted = gen.send(ready)
        except StopIteration as end:
            answer: R = end.value
            self.heard = heard
            return answer


class Asking(Impatient):
    """Waits on while the server answers on another connection, and asks nothing for a while after it did not."""

    another: Callable[[], Impatient]

    def wait(self, gen: PQGen[R], interval: float = LOOK_SECONDS, timeout: float | None = None) -> R:
        if not breaker.lets_through():
            super().patience_ended()
        try:
            return super().wait(gen, interval, timeout)
        finally:
            if not self.closed:
                breaker.heard()

    def patience_ended(self) -> None:
        """Ask on another connection."""
        try:
            with closing(self.another()) as other:
                other.execute("SELECT 1")
        except (ConnectionTimeout, ServerSilentError):
            breaker.silent()
            super().patience_ended()
        except psycopg.Error:
            return  # it refuses another connection: that is an answer


def _can_read(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


class DatabaseWrapper(base.DatabaseWrapper):
    """The same backend. With `settings.DATABASE_PATIENCE`, what waits for a silent server ends in OperationalError."""

    health_check_done: bool

    def close_if_health_check_failed(self) -> None:
        """A fresh connection is not asked whether it works."""
        if not self.health_check_done and isinstance(self.connection, Impatient) and self.connection.is_fresh():
            self.health_check_done = True
        super().close_if_health_check_failed()

    def get_new_connection(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        """Raises ServerSilentError at once for a while after the server was silent."""
        if not settings.DATABASE_PATIENCE:
            connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
            return connection
        self.isolation_level = IsolationLevel.READ_COMMITTED
        params = conn_params | {"connect_timeout": math.ceil(settings.DATABASE_PATIENCE)}
        if not breaker.lets_through():
            raise ServerSilentError(SILENT)
        try:
            asking = Asking.connect(**params)
        except ConnectionTimeout:
            breaker.silent()
            raise
        breaker.heard()
        asking.another = partial(Impatient.connect, **params)
        return asking
