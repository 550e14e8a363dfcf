"""`manage.py prepare`: tables, owner and static files, or the files alone once somebody else has made the rest."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("object_store")]


@pytest.fixture(autouse=True)
def places(tmp_path: Path, settings: Any) -> Path:
    """Where the files go; they are collected plainly, as compressing takes long."""
    settings.VAR_DIR, settings.STATIC_ROOT = tmp_path, tmp_path / "static"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    return tmp_path


def prepare(*words: str) -> None:
    call_command("prepare", *words, verbosity=0)


def test_it_makes_the_owner_and_collects_what_pages_ask_for(places: Path) -> None:
    prepare()
    assert (places / "token").exists()
    assert User.objects.count() == 1
    collected = {path.name for path in (places / "static").iterdir()}
    assert "drf_spectacular_sidecar" in collected
    assert "rest_framework" not in collected
    assert not list((places / "static").rglob("*.map"))


def test_where_somebody_else_migrates_it_collects_alone(places: Path) -> None:
    prepare("--migrated")
    assert (places / "static").is_dir()
    assert not (places / "token").exists()
    assert User.objects.count() == 0


def test_before_they_have_it_waits_and_collects_nothing(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last = MigrationRecorder.Migration.objects.filter(app="pipelines").latest("name")
    last.delete()

    def apply(_: float) -> None:
        assert not (places / "static").exists()
        last.save(force_insert=True)

    clock = SimpleNamespace(sleep=apply, monotonic=time.monotonic)  # that of no other thread
    monkeypatch.setattr("core.pending_migrations.time", clock)
    prepare("--migrated")
    assert (places / "static").is_dir()
    assert not (places / "token").exists()


def test_what_pages_that_are_open_need_is_kept_while_the_platform_serves(places: Path) -> None:
    prepare()
    (places / "static" / "of-before.js").write_text("")
    prepare("--serving")
    assert (places / "static" / "of-before.js").exists()
    prepare()
    assert not (places / "static" / "of-before.js").exists()
