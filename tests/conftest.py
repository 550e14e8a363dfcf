"""The cast (alice owns, rita reviews, bob annotates), the services behind them, real workers. See tests/settings.py for
profiles."""

import gc
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Protocol
from urllib.parse import urlsplit

import pytest
from django.core.management.color import Style
from django.core.management.commands import flush
from django.db import connection
from django.db.backends.base.operations import BaseDatabaseOperations
from rest_framework.test import APIClient
from tests import settings as profile
from tests.broker import Broker
from tests.clients import client_of
from tests.workers import Worker

from accounts.models import Role, User
from accounts.services import create_user
from blobs.services import store
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from jobs import request_quotas, wakeups

OF_MODELS = {"auth_permission", "django_content_type"}
NO_TRIGGERS = """SELECT set_config('session_replication_role', 'replica', true)
WHERE current_setting('is_superuser') = 'on';"""
"""Until the transaction ends PostgreSQL looks for no rows that refer to one which is deleted: they all go."""
NO_ENV: Mapping[str, str] = MappingProxyType({})
pytest_plugins = [
    "tests.s3_server",
    "tests.collecting",
    "tests.declared_answers",
    "tests.laws",
    "tests.preloaded",
    "tests.remote_site",
    "tests.unasked",
    "tests.web",
]


def pytest_xdist_auto_num_workers() -> int:
    """One more than cores, as tests also wait for servers; each takes about a gigabyte with its own."""
    return min((os.cpu_count() or 1) + 1, 8)


LONG = (
    "tests/tasktypes/test_own.py", "tests/journeys/test_embedded_profile.py", "tests/journeys/test_loop_in_view.py",
    "tests/journeys/test_versions.py", "tests/journeys/test_models.py", "tests/mining/pipelines/test_rounds.py",
    "tests/mining/pipelines/test_loop.py", "tests/mining/backtests/test_backtests.py",
    "tests/mining/mining_jobs/test_mining.py", "tests/mining/pipelines/test_named_things.py",
    "tests/mining/pipelines/test_budgets.py", "tests/platform/garbage_collection/test_collect_while.py",
    "tests/faults/test_broker.py", "tests/datasets/publishing/test_labels.py", "tests/datasets/publishing/test_push.py",
    "tests/models/registry/test_upload_model.py", "tests/datasets/catalog/test_corrupt_uploads.py",
    "tests/datasets/transfers/test_push_and_pull.py", "tests/models/export/test_export.py",
    "tests/contracts/test_architectures.py", "tests/faults/test_killed_scoring.py", "tests/faults/test_mutants.py",
    "tests/mining/backtest/test_program.py", "tests/platform/upgrades/test_upgrades.py",
    "tests/mining/backtests/test_boxes_backtest.py", "tests/mining/backtest/test_replayed_boxes.py",
    "tests/journeys/test_backup.py", "tests/platform/operations/test_backup.py",
    "tests/platform/operations/test_restore.py", "tests/platform/operations/test_doctor.py",
)  # fmt: skip
"""Files that take half a minute and more: they come first, so that no core waits for one of them at the end."""


def pytest_configure() -> None:
    """A shell's background job ignores Ctrl-C, and so would every program that a test interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    places = {str(config.rootpath / file): place for place, file in enumerate(LONG)}
    items.sort(key=lambda item: places.get(str(item.path), len(LONG)))


def pytest_collection_finish() -> None:
    """What was loaded stays until the end: the collector need not look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_sessionstart() -> None:
    """Say it once, not at each test, when the services of the production profile are missing."""
    if profile.PROFILE != "production":
        return
    for name, url, port in (("PostgreSQL", profile.SERVER, 5432), ("the broker", profile.BROKER, 5672)):
        parts = urlsplit(url)
        address = (parts.hostname or "127.0.0.1", parts.port or port)
        try:
            socket.create_connection(address, timeout=2).close()
        except OSError:
            words = f"production profile not tested: {name} does not answer at {address[0]}:{address[1]}"
            pytest.exit(words, returncode=1 if os.environ.get("CI") == "true" else 0)


def pytest_unconfigure() -> None:
    shutil.rmtree(profile.VAR, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def quick_flush() -> Iterator[None]:
    """Empty the tables after a test by DELETE, all in one message: a TRUNCATE writes a new file for each table and each
    index of PostgreSQL. Foreign keys are deferred, so any order will do. What Django writes about its models after a
    migration stays: to write it anew takes most of a short test's time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(connection.ops), "sql_flush", _deletions)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: None)
        yield


def _deletions(operations: BaseDatabaseOperations, style: Style, tables: Sequence[str], **_: object) -> list[str]:
    names = [operations.quote_name(table) for table in tables if table not in OF_MODELS]
    statements = [f"{style.SQL_KEYWORD('DELETE FROM')} {name};" for name in names]
    return statements if connection.vendor == "sqlite" else ["".join([NO_TRIGGERS, *statements])]


@pytest.fixture(autouse=True)
def no_quotas_of_requests() -> None:
    """What a process heard of quotas holds for seconds, so a test would ask or not by what ran before it."""
    request_quotas.known = request_quotas.Known(until=float("inf"))


@pytest.fixture(scope="session", autouse=True)
def broker_server() -> Iterator[Broker]:
    """Running for the whole session: any call that starts a job sends a message."""
    broker = Broker(profile.BROKER, profile.RELAY_PORT, own=profile.PROFILE == "embedded")
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def broker(broker_server: Broker) -> Broker:
    """The broker, empty, whatever was found out of it before."""
    broker_server.forget()
    wakeups.breaker.heard()
    return broker_server


@pytest.fixture
def object_store(s3_server: StoreConfig, monkeypatch: pytest.MonkeyPatch) -> Iterator[BlobStore]:
    """`blobs.services.store()`, and that of every process started here, on the tests' own bucket."""
    for name, value in s3_server.to_env().items():
        monkeypatch.setenv(name, value)
    store.cache_clear()
    store().ensure_bucket()
    yield store()
    store.cache_clear()


class StartWorker(Protocol):
    def __call__(
        self, *, processes: int = 1, queues: tuple[str, ...] = ("practice",), env: Mapping[str, str] = NO_ENV
    ) -> Worker: ...


@pytest.fixture
def worker(transactional_db: None, broker: Broker, tmp_path: Path) -> Iterator[StartWorker]:
    """Starts real Celery workers on this test's database and broker; what is still running at the end is killed."""
    started: list[Worker] = []
    numbers = count()

    def start(
        *, processes: int = 1, queues: tuple[str, ...] = ("practice",), env: Mapping[str, str] = NO_ENV
    ) -> Worker:
        log = tmp_path / f"worker-{profile.RUN}-{next(numbers)}.log"
        started.append(Worker(log, processes=processes, queues=queues, env=dict(env)))
        return started[-1]

    yield start
    for one in started:
        one.kill()


@pytest.fixture
def alice(db: None) -> User:
    """Owns the platform."""
    return create_user("alice", role=Role.OWNER)[0]


@pytest.fixture
def bob(db: None) -> User:
    """Annotates."""
    return create_user("bob", role=Role.ANNOTATOR)[0]


@pytest.fixture
def api_of() -> Callable[[User], APIClient]:
    """A client that speaks for a user, with a bearer token."""
    return client_of


@pytest.fixture
def api(alice: User, api_of: Callable[[User], APIClient]) -> APIClient:
    """Alice's client."""
    return api_of(alice)


@pytest.fixture
def bobs_api(bob: User, api_of: Callable[[User], APIClient]) -> APIClient:
    """Bob's client."""
    return api_of(bob)


@pytest.fixture
def rita(db: None) -> User:
    """Reviews."""
    return create_user("rita", role=Role.REVIEWER)[0]


@pytest.fixture
def eva(db: None) -> User:
    """Builds: an engineer."""
    return create_user("eva", role=Role.ENGINEER)[0]


@pytest.fixture
def evas_api(eva: User, api_of: Callable[[User], APIClient]) -> APIClient:
    """Eva's client."""
    return api_of(eva)


@pytest.fixture
def ritas_api(rita: User, api_of: Callable[[User], APIClient]) -> APIClient:
    """Rita's client."""
    return api_of(rita)
