"""What the platform refuses to start with, and how it speaks with its services."""

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from tests.workers import ROOT, environment

from blobs.store import BlobStore
from core import scheduled


@pytest.mark.parametrize("key", ["", "x", "secret"])
def test_a_short_secret_key_does_not_start(key: str) -> None:
    env = environment() | {"MOTHERLODE_SECRET_KEY": key}
    ended = subprocess.run([sys.executable, "-c", "import config.settings"], cwd=ROOT, env=env, capture_output=True)
    assert ended.returncode != 0
    assert b"MOTHERLODE_SECRET_KEY" in ended.stderr


@pytest.mark.parametrize(("name", "value"), [("METRICS_TOKEN", "short"), ("LOG_FORMAT", "xml")])
def test_a_setting_that_is_wrong_is_named(name: str, value: str) -> None:
    env = environment() | {f"MOTHERLODE_{name}": value}
    ended = subprocess.run([sys.executable, "-c", "import config.settings"], cwd=ROOT, env=env, capture_output=True)
    assert ended.returncode != 0
    assert f"MOTHERLODE_{name}".encode() in ended.stderr


@pytest.mark.django_db
def test_the_web_process_never_loads_torch() -> None:
    code = "import config.wsgi, config.urls, sys; print('torch' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, check=True)
    assert ended.stdout.strip() == b"False"


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.skipif(os.environ["MOTHERLODE_TEST_PROFILE"] != "embedded", reason="SQLite is the embedded profile's")
def test_sqlite_writes_ahead_and_waits_in_our_way() -> None:
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert settings.DATABASES["default"]["ENGINE"] == "core.sqlite"


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_ready_names_what_does_not_answer(object_store: BlobStore, client: Client, monkeypatch: Any) -> None:
    scheduled.note(scheduled.BEAT)
    checks = ("database", "object_store", "broker", "migrations", "beat", "schedule", "web", "disk")
    well = {"status": "ready"} | dict.fromkeys(checks, "ok")
    assert client.get("/health/ready").json().items() >= well.items()
    absent = BlobStore(replace(object_store.config, endpoint="127.0.0.1:9", attempts=1))
    monkeypatch.setattr("config.health.store", lambda: absent)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["object_store"]) == (503, "does not answer")


@pytest.mark.django_db
def test_the_documentation_runs_without_inline_scripts(client: Client, api: Any) -> None:
    page = api.get("/docs").content.decode()
    assert "<script>" not in page
    assert api.get("/openapi.json").json()["openapi"].startswith("3.1")
