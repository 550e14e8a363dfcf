"""A time limit for a server that has fallen silent, but none for a statement that takes long: the server is silent if
it doesn't answer another connection meanwhile either.

A frozen server sends no error, keeps its connections, and accepts new ones: none of its own time-outs ends a wait then.
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

from core.postgres import timeouts
from worker_programs.breaker import Breaker

R = TypeVar("R")
LOOK_SECONDS = 0.1
FRESH_SECONDS = 1.0
SILENT = "the database does not answer"
breaker = Breaker(rest=5.0)


class ServerSilentError(psycopg.OperationalError):
    """The server answers neither on this connection nor on another."""


class Impatient(psycopg.Connection[Any]):
    """A connection that waits at most `settings.DATABASE_PATIENCE` seconds for each answer. It then closes and raises
    ServerSilentError."""

    heard = -math.inf

    def is_fresh(self) -> bool:
        """Whether the server answered a moment ago and has not ended the connection since, which would leave data to
        read."""
        return not self.closed and time.monotonic() - self.heard < FRESH_SECONDS and not _can_read(self.fileno())

    def wait(self, gen: PQGen[R], interval: float = LOOK_SECONDS, timeout: float | None = None) -> R:
        return super().wait(self._watched(gen), interval, timeout)

    def patience_ended(self) -> None:
        """Close the connection and raise ServerSilentError: the server sent nothing for too long."""
        self.close()
        raise ServerSilentError(SILENT)

    def _watched(self, gen: PQGen[R]) -> PQGen[R]:
        """Run the steps of the protocol, and measure the time between them."""
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
    """A connection that keeps waiting while the server answers on another one. After the server did not answer, it
    fails at once for a while."""

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
        """Ask the server on another connection whether it still answers."""
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
    """Django's backend. With `settings.DATABASE_PATIENCE`, waiting for a silent server ends in OperationalError."""

    health_check_done: bool

    def init_connection_state(self) -> None:
        super().init_connection_state()
        timeouts.wait_for_locks(self)

    def close_if_health_check_failed(self) -> None:
        """Skip the health check of a fresh connection."""
        if not self.health_check_done and isinstance(self.connection, Impatient) and self.connection.is_fresh():
            self.health_check_done = True
        super().close_if_health_check_failed()

    def get_new_connection(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        """Connect. Raises ServerSilentError at once for a while after the server was silent."""
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
