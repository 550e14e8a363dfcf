"""Options of the services' URLs are used or refused by name."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from kombu import Connection
from tests import settings as profile
from tests.workers import ROOT, environment

from config.service_urls import broker_url, database_of, plain_url

POSTGRES = profile.SERVER.rstrip("/")


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", f"import django; django.setup(); {code}"]
    return subprocess.run(argv, cwd=ROOT, env=environment() | env, capture_output=True, text=True, check=False)


@pytest.mark.production
@pytest.mark.skipif(os.environ["MOTHERLODE_TEST_PROFILE"] == "embedded", reason="asks PostgreSQL")
@pytest.mark.parametrize("mode", ["verify-full", "verify-ca", "require"])
def test_a_server_without_tls_is_not_spoken_to_where_tls_is_asked_for(mode: str) -> None:
    code = "from django.db import connection; connection.ensure_connection()"
    plain = run(code, MOTHERLODE_DATABASE_URL=f"{POSTGRES}/postgres?sslmode=disable")
    assert plain.returncode == 0, plain.stderr
    safe = run(
        code,
        MOTHERLODE_DATABASE_URL=f"{POSTGRES}/postgres?sslmode={mode}&sslrootcert=/etc/ssl/certs/ca-certificates.crt",
    )
    assert safe.returncode != 0
    assert "SSL" in safe.stderr or "certificate" in safe.stderr


@pytest.mark.production
@pytest.mark.skipif(os.environ["MOTHERLODE_TEST_PROFILE"] == "embedded", reason="asks PostgreSQL")
@pytest.mark.django_db
def test_the_server_sees_what_the_options_say_beside_our_own() -> None:
    asked = f"application_name=loader&options={quote('-c statement_timeout=7s -c lock_timeout=9s')}&connect_timeout=3"
    names = "'application_name', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'"
    code = (
        "from django.db import connection; c = connection.cursor(); "
        f"print([c.execute(f'SHOW {{name}}').fetchone()[0] for name in ({names})])"
    )
    done = run(code, MOTHERLODE_DATABASE_URL=f"{POSTGRES}/{connection.settings_dict['NAME']}?{asked}")
    assert done.stdout.strip() == "['loader', '7s', '9s', '15s']", done.stderr


def test_every_option_of_libpq_reaches_the_connection() -> None:
    asked = {
        "sslmode": "verify-full", "sslrootcert": "/tls/ca.pem", "sslcert": "/tls/a b.pem", "sslkey": "/tls/key.pem",
        "connect_timeout": "5", "application_name": "ml", "target_session_attrs": "read-write", "keepalives": "1",
        "channel_binding": "require", "options": "-c statement_timeout=1s",
    }  # fmt: skip
    query = "&".join(f"{name}={quote(value)}" for name, value in asked.items())
    found = database_of("X", f"postgres://me:p%40ss@db.example:5433/ml?{query}")
    assert found["OPTIONS"] == asked
    assert [found[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "me",
        "p@ss",
        "db.example",
        5433,
        "ml",
    ]


def test_a_socket_has_its_folder_among_the_options() -> None:
    found = database_of("X", "postgres:///ml?host=/run/postgresql")
    assert (found["HOST"], found["NAME"], found["OPTIONS"]) == ("/run/postgresql", "ml", {})


@pytest.mark.parametrize("path", ["/data/ml/db.sqlite3", "/data/a b/db.sqlite3", "ml.sqlite3"])
def test_a_sqlite_file_is_the_one_that_the_url_names(path: str, recwarn: pytest.WarningsRecorder) -> None:
    assert database_of("X", f"sqlite:///{path}")["NAME"] == path
    assert not recwarn.list


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("postgres://h/ml?sslmod=verify-full", "'sslmod'"),
        ("postgres://h/ml?conn_max_age=0", "'conn_max_age'"),
        ("postgres://h/ml?prepare_threshold=5", "'prepare_threshold'"),
        ("postgres://h/ml?sslmode=require&sslmode=disable", "'sslmode'"),
        ("postgres://h/ml?sslmode=", "'sslmode'"),
        ("postgres://h/ml?host=other", "host"),
        ("postgres://h/ml?password=x", "password"),
        ("postgres://h/ml?sslpassword=x", "sslpassword"),
        ("sqlite:////tmp/x.sqlite3?mode=ro", "'mode'"),
        ("mysql://h/ml", "mysql"),
        ("postgis://h/ml", "postgis"),
    ],
)
def test_an_option_that_nothing_reads_is_refused_by_its_name(url: str, names: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MOTHERLODE_DATABASE_URL") as refused:
        database_of("MOTHERLODE_DATABASE_URL", url)
    assert names in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("DATABASE_URL", "postgres://h/ml?sslmod=verify-full", "'sslmod'"),
        ("BROKER_URL", "redis://h/0?ssl_cert_reqs=required", "rediss://"),
        ("BROKER_URL", "amqp://h//?heartbeat=5", "'heartbeat'"),
        ("PUBLIC_URL", "https://ml.example/?a=b", "'a=b'"),
        ("S3_PUBLIC_ENDPOINT", "https://s3.example?x=1", "'x=1'"),
    ],
)
def test_the_platform_does_not_start_with_it(name: str, value: str, words: str) -> None:
    env = environment() | {f"MOTHERLODE_{name}": value}
    ended = subprocess.run(
        [sys.executable, "-c", "import config.settings"], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert ended.returncode != 0
    assert f"MOTHERLODE_{name}" in ended.stderr
    assert words in ended.stderr


def test_certificates_of_a_broker_are_verified_unless_the_url_says_otherwise() -> None:
    def ssl_of(url: str) -> object:
        return Connection(broker_url("X", url)).ssl

    assert ssl_of("rediss://h/0")["ssl_cert_reqs"].name == "CERT_REQUIRED"  # type: ignore[index]
    assert ssl_of("rediss://h/0?ssl_ca_certs=/ca.pem") == {"ssl_ca_certs": "/ca.pem", "ssl_cert_reqs": 2}
    assert ssl_of("rediss://h/0?ssl_cert_reqs=none")["ssl_cert_reqs"].name == "CERT_NONE"  # type: ignore[index]
    assert plain_url("X", "http://a.example:1") == "http://a.example:1"


def test_an_absolute_path_of_sqlite_stays_what_it_is(tmp_path: Path) -> None:
    assert (
        database_of("MOTHERLODE_DATABASE_URL", f"sqlite:///{tmp_path}/db.sqlite3")["NAME"] == f"{tmp_path}/db.sqlite3"
    )
