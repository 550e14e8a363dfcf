"""PostgreSQL frozen: it accepts connections and statements, and says nothing. Requests end, work waits for it."""

import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, close_old_connections, connection, transaction
from django.test import Client
from rest_framework.test import APIClient
from tests import settings as profile
from tests.conftest import StartWorker
from tests.practice import counted
from tests.relay import Relay
from tests.workers import environment, wait_until

from accounts.models import User
from blobs.store import BlobStore
from core.postgres import base
from embedded.ports import HOST, free_ports
from jobs import tasks
from jobs.models import Shard
from jobs.services import ShardSpec, create_job
from worker_programs.breaker import Breaker

pytestmark = [
    pytest.mark.production,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is not a server"),
    pytest.mark.django_db(transaction=True),
]
PATIENCE = 0.5
AT_MOST = 4.0  # the patience, and the shortest time in which psycopg gives a connection up


@pytest.fixture
def relay() -> Iterator[Relay]:
    """Before the PostgreSQL server of the tests."""
    server = urlsplit(profile.SERVER)
    made = Relay(free_ports(1)[0], (server.hostname or HOST, server.port or 5432))
    made.start()
    yield made
    made.thaw()
    made.stop()


@pytest.fixture
def web(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process is as patient as a web process, and reaches the database through the relay."""
    connection.close()
    with monkeypatch.context() as patch:
        patch.setattr(settings, "DATABASE_PATIENCE", PATIENCE)
        patch.setitem(connection.settings_dict, "HOST", HOST)
        patch.setitem(connection.settings_dict, "PORT", str(relay.port))
        patch.setattr(base, "breaker", Breaker(rest=1.0))
        yield
        relay.thaw()
        connection.close()


def ask(statement: str = "SELECT 1") -> None:
    """As a request does, which begins without a connection that was lost."""
    close_old_connections()
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_nobody_waits_for_a_frozen_server(web: None, relay: Relay) -> None:
    ask()
    relay.freeze()
    started = time.monotonic()
    for _ in range(10):  # one waits, the others hear of it
        with pytest.raises(OperationalError):
            ask()
    assert PATIENCE < time.monotonic() - started < AT_MOST
    relay.thaw()
    wait_until(_answers, seconds=10)


def _answers() -> bool:
    try:
        ask()
    except OperationalError:
        return False
    return True


def test_a_connection_that_the_server_ended_a_moment_ago_fails_nobody(web: None) -> None:
    ask()
    with psycopg.connect(f"{profile.SERVER}/postgres", autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
    wait_until(lambda: not connection.connection.is_fresh())
    ask()


def test_only_a_connection_that_was_not_heard_lately_is_asked(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    ask()
    usable = Mock(wraps=connection.is_usable)
    monkeypatch.setattr(connection, "is_usable", usable)
    ask()
    assert not usable.called
    monkeypatch.setattr(base, "FRESH_SECONDS", 0.0)
    ask()
    assert usable.call_count == 1


def test_a_commit_that_gets_no_answer_ends(web: None, relay: Relay) -> None:
    with pytest.raises(OperationalError):
        _write_and_freeze(relay)


@transaction.atomic
def _write_and_freeze(relay: Relay) -> None:
    User.objects.update(first_name="Ada")
    relay.freeze()


def test_a_statement_that_takes_long_is_waited_for(web: None) -> None:
    ask("SELECT pg_sleep(1.5)")


def test_pages_and_ready_tell_of_a_frozen_server(
    web: None, relay: Relay, object_store: BlobStore, client: Client, api: APIClient
) -> None:
    assert api.get("/datasets").status_code == 200
    relay.freeze()
    started = time.monotonic()
    ready = client.get("/health/ready")
    assert time.monotonic() - started < 2
    assert (ready.status_code, ready.json()["database"]) == (503, "does not answer")
    refused = api.get("/datasets")
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert time.monotonic() - started < 2 + AT_MOST
    relay.thaw()
    wait_until(lambda: client.get("/health/ready").json()["database"] == "ok", seconds=10)
    close_old_connections()
    assert api.get("/datasets").status_code == 200


def test_work_goes_on_when_the_server_does(worker: StartWorker, relay: Relay, tmp_path: Path) -> None:
    url = urlsplit(environment()["MOTHERLODE_DATABASE_URL"])
    address = url._replace(netloc=f"{url.netloc.rpartition('@')[0]}@{HOST}:{relay.port}").geturl()
    running = worker(env={"MOTHERLODE_DATABASE_URL": address}).wait_ready()
    gate = tmp_path / "gate"
    job = create_job("practice", "through a freeze", shards=[ShardSpec(params={"gate": str(gate)}), ShardSpec()])
    tasks.wake(job)
    wait_until(lambda: job.shards.filter(state=Shard.State.RUNNING).exists())
    relay.freeze()
    gate.touch()
    time.sleep(1.5 * settings.JOB_LEASE_SECONDS)
    assert counted(job.pk) == []
    relay.thaw()
    wait_until(lambda: counted(job.pk) == [0, 1])
    assert running.is_alive
