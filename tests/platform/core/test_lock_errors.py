"""A write that PostgreSQL ends because of another one's lock is answered as busy, not as a database that is away."""

import threading
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError, connection, connections, transaction
from rest_framework.test import APIRequestFactory

from core.postgres.lock_errors import is_lock_error
from core.problems import exception_handler

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
FIRST, SECOND = 7_101, 7_102


def _lock(number: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def test_one_of_two_that_wait_for_each_other_is_answered_as_busy() -> None:
    ready, errors = threading.Barrier(2, timeout=30), []

    def cross(mine: int, other: int) -> None:
        try:
            with transaction.atomic():
                _lock(mine)
                ready.wait()
                _lock(other)
        except OperationalError as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=cross, args=pair) for pair in ((FIRST, SECOND), (SECOND, FIRST))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [is_lock_error(error) for error in errors] == [True]
    answer = _answered(errors[0])
    assert (answer.status_code, answer.data["code"], answer["Retry-After"]) == (503, "busy", "2")


def test_a_server_that_is_gone_is_not_a_lock() -> None:
    with suppress(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    with pytest.raises(OperationalError) as gone, connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    connection.close()
    assert not is_lock_error(gone.value)
    assert _answered(gone.value).data["code"] == "unavailable"


def _answered(error: Exception) -> Any:
    return exception_handler(error, {"request": APIRequestFactory().get("/datasets")})
