"""Slow writes leave threads to reads; a write that waits for a lock in vain is told so."""

import threading
import time
from collections.abc import Iterator

import orjson
import pytest
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory, override_settings

from accounts.models import User
from core import write_threads
from core.problems import response_to
from core.write_threads import KeepThreadsForReads


class View:
    """Answers a write when it is let go; a read, and whatever is `short`, at once."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and request.path == "/slow":
            self.go.wait(10)
        return HttpResponse()


@pytest.fixture
def view() -> Iterator[View]:
    made = View()
    yield made
    made.go.set()


@override_settings(WEB_THREADS=5)  # of which two are for slow writes
def test_one_slow_write_too_many_is_refused_at_once_and_reads_are_not(view: View) -> None:
    middleware, ask = KeepThreadsForReads(view), RequestFactory()
    threads = [threading.Thread(target=middleware, args=(ask.post("/slow"),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(write_threads.SLOW_SECONDS)
    began = time.monotonic()
    refused = middleware(ask.post("/short"))
    assert time.monotonic() - began < 1
    assert (refused.status_code, refused["Retry-After"]) == (503, "1")
    assert isinstance(refused, HttpResponse)
    assert orjson.loads(refused.content)["code"] == "writes_busy"
    assert middleware(ask.get("/short")).status_code == 200
    view.go.set()
    for thread in threads:
        thread.join()
    assert middleware(ask.post("/short")).status_code == 200


@override_settings(WEB_THREADS=4)  # of which one is for slow writes
def test_short_writes_are_not_counted(view: View) -> None:
    middleware, ask = KeepThreadsForReads(view), RequestFactory()
    threads = [threading.Thread(target=middleware, args=(ask.post("/slow"),)) for _ in range(3)]
    for thread in threads:  # none of them has taken long yet
        thread.start()
    assert middleware(ask.post("/short")).status_code == 200
    view.go.set()
    for thread in threads:
        thread.join()


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_lock_that_is_not_had_in_time_is_503_busy(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.1)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            User.objects.filter(pk=alice.pk).update(first_name="held")
            held.set()
            done.wait(10)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    try:
        with pytest.raises(OperationalError) as caught:
            wait_shortly(alice)
    finally:
        done.set()
        thread.join()
    answer = response_to(caught.value)
    assert (answer.status_code, orjson.loads(answer.content)["code"]) == (503, "busy")
    assert int(answer["Retry-After"]) >= 1


def wait_shortly(alice: User) -> None:
    """Write what another transaction holds, and wait a tenth of a second for it."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '100ms'")
        User.objects.filter(pk=alice.pk).update(first_name="mine")
