"""`manage.py migrate` beside people who work: one process at a time, and nobody waits long behind it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests import settings as profile
from tests.platform.operations.places import Place, empty_place
from tests.workers import ROOT

from blobs.settings import StoreConfig

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
READ = "SELECT count(*) FROM jobs_beat"


@pytest.fixture
def before(tmp_path: Path, s3_server: StoreConfig) -> Iterator[Place]:
    """A database that lacks the newest migration of jobs, which adds a column to workers' heartbeats."""
    with empty_place(tmp_path / "place", s3_server) as place:
        assert place.run("migrate", "-v0").returncode == 0
        assert place.run("migrate", "jobs", "0007", "-v0").returncode == 0
        yield place


def test_behind_a_long_transaction_it_tries_again_and_others_read_meanwhile(before: Place, tmp_path: Path) -> None:
    url, log = f"{profile.SERVER}/{before.name}", tmp_path / "migrate.log"
    argv = [sys.executable, "-u", str(ROOT / "manage.py"), "migrate", "--no-input"]
    with psycopg.connect(url) as backup, psycopg.connect(url, autocommit=True) as people, log.open("wb") as output:
        backup.execute(READ)  # its transaction stays open, as that of pg_dump
        migrating = subprocess.Popen(argv, env=before.env, cwd=ROOT, stdout=output, stderr=output)
        slowest = 0.0
        while "trying again" not in log.read_text() and migrating.poll() is None:
            began = time.monotonic()
            people.execute(READ)
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.05)
        assert migrating.poll() is None, log.read_text()  # it waits for the backup
        backup.rollback()
        assert migrating.wait(timeout=60) == 0, log.read_text()
    assert slowest < 10.0  # the lock of two seconds, on a busy machine
