"""The platform behind a real PgBouncer: it takes our connections, and PostgreSQL limits them all the same."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection
from tests import settings as profile
from tests.workers import ROOT, environment

from core.postgres import timeouts
from embedded.ports import free_ports

pytestmark = [pytest.mark.production, pytest.mark.django_db(transaction=True)]
PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
START_SECONDS = 10.0


@pytest.fixture(params=["session", "transaction"])
def pooled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of the tests' database behind a PgBouncer of this mode, which has one connection to it."""
    if PGBOUNCER is None:
        pytest.skip("not tried behind a pooler: that needs PgBouncer (Debian: apt-get install pgbouncer)")
    server, port, name = urlsplit(profile.SERVER), free_ports(1)[0], connection.settings_dict["NAME"]
    place = f"host={server.hostname} port={server.port or 5432} user={server.username} dbname={name}"
    place += f" password={server.password}" if server.password else ""
    config = tmp_path / "pgbouncer.ini"
    config.write_text(
        f"[databases]\nml = {place}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n"
        f"unix_socket_dir =\npool_mode = {request.param}\ndefault_pool_size = 1\n"
    )
    argv = [PGBOUNCER, *(["-u", "nobody"] if os.geteuid() == 0 else []), str(config)]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(argv, stdout=log, stderr=log)
    address = f"postgres://ml@127.0.0.1:{port}/ml"
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(address).close()
            break
        except psycopg.OperationalError:
            assert process.poll() is None and time.monotonic() < deadline, (tmp_path / "log").read_text()  # noqa: PT018
            time.sleep(0.05)
    yield address
    process.terminate()
    process.wait()


def limits(pooled: str, **told: str) -> str:
    """Of a process of the platform behind the pooler."""
    code = (
        "import django; django.setup(); from django.db import connection; c = connection.cursor(); "
        "print([c.execute(f'SHOW {name}').fetchone()[0] for name in "
        "('idle_in_transaction_session_timeout', 'lock_timeout')])"
    )
    env = environment() | {"MOTHERLODE_DATABASE_URL": pooled, "DJANGO_SETTINGS_MODULE": "config.settings"} | told
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_our_connections_are_taken_and_limited(pooled: str) -> None:
    assert limits(pooled) == "['15s', '30s']"


@pytest.mark.parametrize("pooled", ["session"], indirect=True)
def test_what_one_process_waits_for_locks_is_no_others(pooled: str) -> None:
    assert limits(pooled, MOTHERLODE_LOCK_SECONDS="1") == "['15s', '1s']"
    assert limits(pooled) == "['15s', '30s']"


def test_a_session_that_froze_in_a_transaction_gives_its_locks_back(pooled: str) -> None:
    """With a limit of the role that is short enough to wait for."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])

    def limit(seconds: str) -> None:
        with connection.cursor() as cursor:
            told = f"SET idle_in_transaction_session_timeout = '{seconds}'"
            cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} {told}")

    limit("300ms")
    try:
        with psycopg.connect(pooled) as frozen:  # PgBouncer's first connection to the server may be older
            frozen.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    except psycopg.OperationalError:
        pass
    try:
        with closing(psycopg.connect(pooled)) as frozen:
            frozen.execute("LOCK TABLE accounts_user")
            began = time.monotonic()
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM accounts_user")
            assert 0.2 < time.monotonic() - began < 10
    finally:
        limit(timeouts.LIMITS["idle_in_transaction_session_timeout"])


def test_the_old_way_would_not_have_been_taken(pooled: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter"):
        psycopg.connect(pooled, options="-c lock_timeout=30s")


def test_migrate_leaves_what_an_administrator_has_set() -> None:
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    assert timeouts.set_missing(connection) == []
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} SET lock_timeout = '7s'")
        assert timeouts.set_missing(connection) == []
        cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {name} RESET lock_timeout")
    assert timeouts.set_missing(connection) == ["lock_timeout"]
    assert timeouts.not_in_force(connection) == []
