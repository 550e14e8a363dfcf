"""Code that is newer than its database: requests are refused and workers wait, until the migrations are applied."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from tests.workers import wait_until

from core import pending_migrations
from core.pending_migrations import Gate, gate, missing
from core.version import VERSION
from jobs.heartbeat import of_web, of_worker
from jobs.models import Beat

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def last() -> Any:
    """A migration that was not applied."""
    row = MigrationRecorder.Migration.objects.filter(app="pipelines").latest("name")
    row.delete()
    return row


@pytest.fixture
def closed() -> Iterator[Gate]:
    """The gate of a web process that has just started; it is open afterwards, as in all tests."""
    gate.close()
    yield gate
    gate._open = True


def test_what_is_missing_is_named_and_what_to_do(last: Any) -> None:
    name = f"pipelines.{last.name}"
    assert missing() == [name]
    assert pending_migrations.in_words(missing()) == (
        f"migrations are missing: 1 ({name}); run `python manage.py migrate`, embedded `make up`"
    )
    assert pending_migrations.in_words(["a.1", "b.2", "c.3", "d.4", "e.5"]).startswith(
        "migrations are missing: 5 (a.1, b.2, c.3 and 2 more);"
    )


def test_a_web_process_answers_about_health_alone_until_they_are_applied(
    client: Client, closed: Gate, last: Any, object_store: object
) -> None:
    refused = client.get("/session")
    assert (refused.status_code, refused.json()["code"]) == (503, "migrations_missing")
    assert int(refused["Retry-After"]) > 0
    assert last.name in refused.json()["detail"]
    assert client.get("/health/live").status_code == 200
    last.save(force_insert=True)
    assert client.get("/session").status_code == 401
    last.delete()
    assert client.get("/session").status_code == 401  # it is asked once


@pytest.mark.django_db(transaction=True)
def test_ready_says_what_is_missing_and_which_versions_run(client: Client, object_store: object) -> None:
    of_worker("new@host", queues=[], processes=list)._beat()
    of_web()._beat()
    Beat.objects.create(name="old@host", host="host", seen=Beat.objects.get().seen)
    wait_until(lambda: client.get("/health/ready").status_code == 200)
    said = client.get("/health/ready").json()
    assert (said["migrations"], said["version"]) == ("ok", VERSION)
    assert said["versions"] == [
        {"version": None, "workers": 1, "web": 0},
        {"version": VERSION, "workers": 1, "web": 1},
    ]
    row = MigrationRecorder.Migration.objects.filter(app="pipelines").latest("name")
    row.delete()
    wait_until(lambda: client.get("/health/ready").status_code == 503)
    ill = client.get("/health/ready")
    assert (ill.status_code, ill.json()["status"]) == (503, "unavailable")
    assert f"pipelines.{row.name}" in ill.json()["migrations"]
    row.save(force_insert=True)
    wait_until(lambda: client.get("/health/ready").status_code == 200)


def test_who_waits_goes_on_once_they_are_applied(last: Any, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    pauses = []

    def apply(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            last.save(force_insert=True)

    clock = SimpleNamespace(sleep=apply, monotonic=time.monotonic)  # that of no other thread
    monkeypatch.setattr("core.pending_migrations.time", clock)
    pending_migrations.wait()
    assert len(pauses) == 3
    assert [record.getMessage() for record in caplog.records if last.name in record.getMessage()] == [
        f"{pending_migrations.in_words([f'pipelines.{last.name}'])}; waiting for them"
    ]
