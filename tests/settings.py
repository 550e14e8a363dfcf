"""Settings of the tests: those of the platform, in an environment of the tests' own.

MOTHERLODE_TEST_PROFILE picks what the suite runs on: `embedded` (SQLite, the Valkey of a wheel) or `production`
(PostgreSQL and RabbitMQ where MOTHERLODE_TEST_DATABASE_URL and MOTHERLODE_TEST_BROKER_URL say). Worker processes that a
test starts inherit the environment and with it the same answers.
"""

import os
import secrets
import socket
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ME = os.environ.get("PYTEST_XDIST_WORKER", "main")  # each process of a run in parallel has services of its own
GIVEN = "MOTHERLODE_TEST_GIVEN"  # which of them set what it was not told by others
OPERATORS = [name for name in os.environ if name.startswith("MOTHERLODE_") and not name.startswith("MOTHERLODE_TEST_")]
if GIVEN not in os.environ:  # a shell's words on its own platform, whose folder, bucket and tables are not for tests
    for name in OPERATORS:
        del os.environ[name]
of, *inherited = os.environ.get(GIVEN, "main").split()
if of != ME:
    for name in inherited:
        del os.environ[name]
    inherited = []
os.environ[GIVEN] = " ".join([ME, *inherited])


def default(name: str, value: str) -> str:
    """The value of an environment variable, which is set where nobody has. Returns what holds."""
    if name not in os.environ:
        os.environ[name] = value
        os.environ[GIVEN] += f" {name}"
    return os.environ[name]


for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    default(name, "1")  # threads that wait for each other by spinning cost ten times as much on busy cores
PROFILE = default("MOTHERLODE_TEST_PROFILE", "embedded")
if PROFILE not in {"embedded", "production"}:
    raise SystemExit(f"MOTHERLODE_TEST_PROFILE is {PROFILE!r}: use embedded or production")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _through_relay(url: str) -> str:
    parts = urlsplit(url)
    login, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{login}{at}127.0.0.1:{RELAY_PORT}"))


RUN = default("MOTHERLODE_TEST_RUN", secrets.token_hex(4) + ("" if ME == "main" else ME))
VAR = Path(default("MOTHERLODE_VAR", f"{tempfile.gettempdir()}/motherlode-test-{RUN}"))
(VAR / "static").mkdir(mode=0o700, parents=True, exist_ok=True)  # whitenoise looks for it
default("MOTHERLODE_MIN_FREE_BYTES", "0")
SERVER = default("MOTHERLODE_TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432")
RELAY_PORT = int(default("MOTHERLODE_TEST_RELAY_PORT", str(_free_port())))
if PROFILE == "embedded":
    BROKER = default("MOTHERLODE_TEST_BROKER_URL", f"redis://127.0.0.1:{_free_port()}/0")
    DATABASE = f"sqlite:///{VAR / 'db.sqlite3'}"
else:
    BROKER = default("MOTHERLODE_TEST_BROKER_URL", "amqp://guest:guest@127.0.0.1:5672//")
    DATABASE = f"{SERVER}/motherlode_{RUN}"

for name, value in {
    "SECRET_KEY": "only-for-tests-" + "0" * 50,
    "DATABASE_URL": DATABASE,
    "CACHE_DIR": str(VAR / "cache"),
    "QUEUE_PREFIX": f"test-{RUN}-",
    "BROKER_URL": _through_relay(BROKER),
    "JOB_LEASE_SECONDS": "2",
    "JOB_BACKOFF_SECONDS": "0.05",
    "JOB_REWAKE_SECONDS": "1",
    "COMMIT_GRACE_SECONDS": "0",
    "PRELOAD_PROGRAMS": "0",  # tests.preloaded does that for all processes of a run
    "ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
}.items():
    default(f"MOTHERLODE_{name}", value)

from config.settings import *  # noqa: E402, F403 - the environment comes first, and these are all of them

JOB_HANDLERS = JOB_HANDLERS | {  # noqa: F405 - from the line above
    "practice": "tests.practice.Practice",
    "yielding": "tests.practice.Yielding",
    "programs": "tests.practice.Programs",
}
DATABASES["default"].setdefault("TEST", {})  # noqa: F405 - as above
if PROFILE == "embedded":  # a file, because threads and worker processes share it
    DATABASES["default"]["TEST"]["NAME"] = str(VAR / "test.sqlite3")  # noqa: F405 - as above
else:  # a database of a test is worth no wait for the disk
    asked = DATABASES["default"]["OPTIONS"].get("options", "")  # noqa: F405 - as above
    DATABASES["default"]["OPTIONS"]["options"] = f"{asked} -c synchronous_commit=off".strip()  # noqa: F405 - as above
