"""Writers of SQLite take turns, and who waits in vain is told so."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection, transaction
from tests.threads import at_once, in_thread

from accounts.models import User

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL locks rows"),
]
BUSY = 0.05


@contextmanager
def another_writer() -> Iterator[threading.Event]:
    """Holds the lock of the database until the event is set."""
    begun, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            begun.set()
            done.wait(30)

    thread = in_thread(hold)
    assert begun.wait(30)
    yield done
    done.set()
    thread.join()


def test_who_waits_in_vain_is_told_and_nothing_stays(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", BUSY)
    with another_writer(), pytest.raises(OperationalError, match="locked"), transaction.atomic():
        alice.delete()
    with transaction.atomic():
        User.objects.filter(pk=alice.pk).update(first_name="Alice")
    assert User.objects.get().first_name == "Alice"


def test_statements_outside_of_transactions_wait_too(alice: User) -> None:
    with transaction.atomic():
        pass
    with another_writer() as done:
        threading.Timer(BUSY, done.set).start()
        User.objects.filter(pk=alice.pk).update(first_name="Alice")
    assert User.objects.get().first_name == "Alice"


def test_many_writers_lose_nothing(alice: User) -> None:
    def write(_: int) -> None:
        for _ in range(20):
            with transaction.atomic():
                found = User.objects.get(pk=alice.pk)
                found.first_name = str(int(found.first_name or 0) + 1)
                found.save(update_fields=["first_name"])

    at_once(6, write)
    assert User.objects.get().first_name == "120"
