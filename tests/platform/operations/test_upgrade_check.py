"""What an upgrade would do, told before; and the copy that the embedded profile makes of its database."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from tests import settings as profile
from tests.platform.operations.places import Place, empty_place

from blobs.settings import StoreConfig
from jobs.models import Beat
from operations.errors import OperationError
from operations.progress import Progress
from operations.upgrading import keeping
from operations.upgrading.costs import costs
from operations.upgrading.keeping import keep_database
from operations.upgrading.last_backup import NAME

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]


@pytest.fixture
def before(tmp_path: Path, s3_server: StoreConfig) -> Any:
    """A platform whose database lacks the newest migrations of runs."""
    with empty_place(tmp_path / "place", s3_server) as place:
        assert place.run("migrate", "-v0").returncode == 0
        assert place.run("migrate", "registry", "0006", "-v0").returncode == 0
        yield place


def checked(place: Place, *words: str) -> tuple[int, dict[str, Any]]:
    done = place.run("upgrade_check", "--json", *words)
    return done.returncode, json.loads(done.stdout)


def noted(place: Place, hours: float, damaged: int = 0) -> None:
    made = (datetime.now(UTC) - timedelta(hours=hours)).isoformat(timespec="seconds")
    (place.var / NAME).write_text(json.dumps({"folder": "/mnt/backup", "made": made, "damaged": damaged}))


def test_it_names_the_migrations_and_asks_for_a_backup(before: Place) -> None:
    code, report = checked(before)
    assert code == 1
    assert [step["migration"] for step in report["migrations"]] == [
        "registry.0007_what_learned_from_what", "registry.0008_release_before_writes_no_inputs"]  # fmt: skip
    hows = {cost["step"]: cost["how"] for step in report["migrations"] for cost in step["costs"]}
    rewritten = "copies" if profile.PROFILE == "embedded" else "takes a moment"
    assert hows["AddField run.inputs"] == rewritten
    assert hows["AddField run.inputs_changed"] == "takes a moment"
    assert hows["RunPython members_of_ensembles"] == "goes through"
    assert report["attention"] == [
        "No backup is recorded here: run `lode admin backup FOLDER`, or name the folder with --backup."
    ]
    words = before.run("upgrade_check")
    assert words.returncode == 1
    assert "2 migrations would run" in words.stdout


def test_a_backup_of_today_is_enough_and_an_old_or_damaged_one_is_not(before: Place) -> None:
    noted(before, hours=2)
    assert checked(before)[0] == 0
    noted(before, hours=50)
    assert checked(before)[1]["attention"] == [
        "The last backup (/mnt/backup) is 50 hours old: run `lode admin backup` again."
    ]
    noted(before, hours=2, damaged=3)
    assert checked(before)[1]["attention"] == [
        "The last backup (/mnt/backup) lacks 3 objects: `lode doctor` says more."
    ]


def test_a_backup_records_itself_and_its_folder_can_be_named(before: Place, tmp_path: Path) -> None:
    assert before.run("migrate", "-v0").returncode == 0
    folder = tmp_path / "backup"
    assert before.run("backup", str(folder)).returncode == 0
    assert json.loads((before.var / NAME).read_text())["folder"] == str(folder)
    (before.var / NAME).unlink()
    assert before.run("migrate", "registry", "0006", "-v0").returncode == 0
    assert checked(before)[0] == 1
    assert checked(before, "--backup", str(folder))[0] == 0


@pytest.mark.skipif(profile.PROFILE == "production", reason="as above")
def test_a_backup_can_be_made_before_the_upgrade_migrates(before: Place, tmp_path: Path) -> None:
    assert before.run("migrate", "core", "0002", "-v0").returncode == 0
    done = before.run("backup", str(tmp_path / "backup"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert checked(before)[1]["backup"]["folder"] == str(tmp_path / "backup")


def test_nothing_to_do_is_said_and_several_versions_are_named(before: Place) -> None:
    assert before.run("migrate", "-v0").returncode == 0
    code, report = checked(before)
    assert (code, report["migrations"], report["attention"]) == (0, [], [])
    with before.asked() as alias:
        now = datetime.now(UTC)
        for name, version in (("a", ""), ("b", "0.3.0"), ("c", "0.3.0")):
            Beat.objects.using(alias).create(name=name, host="h", seen=now, version=version)
    code, report = checked(before)
    assert code == 1
    assert report["attention"] == [
        "Several versions run: 1 process of 0.2.0 or before, 2 processes of 0.3.0. Finish that upgrade before you "
        "begin another."
    ]


def test_a_database_that_does_not_answer_is_another_exit_code(before: Place, tmp_path: Path) -> None:
    before.env["MOTHERLODE_DATABASE_URL"] = f"sqlite:///{tmp_path}/nowhere/db.sqlite3"
    assert before.run("upgrade_check").returncode == 2


def test_a_table_that_is_copied_takes_by_its_rows_and_this_database(settings: Any) -> None:
    loader = MigrationExecutor(connection).loader
    step = migrations.AlterField("beat", "host", models.IntegerField())
    steps = [step, migrations.AddIndex("beat", models.Index(fields=["host"], name="by_host"))]
    made = type("Migration", (migrations.Migration,), {"operations": steps})("0900_new", "jobs")
    now = datetime.now(UTC)
    Beat.objects.bulk_create(Beat(name=f"worker-{n}", host="h", seen=now) for n in range(2000))
    copied, read = costs(made, loader.project_state())
    assert (copied.how, copied.table, copied.rows, read.how) == ("copies", "jobs_beat", 2000, "reads")
    assert 0 < copied.seconds < 5
    assert "jobs_beat (2,000 rows, a second or less)" in str(copied)


@pytest.mark.skipif(profile.PROFILE == "production", reason="PostgreSQL is backed up by its own programs")
def test_the_database_is_copied_before_it_is_migrated_and_two_copies_are_kept(before: Place, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    for _ in range(3):
        assert before.run("migrate", "registry", "0006", "-v0").returncode == 0
        done = before.run("prepare", "--no-static", "--keep", str(folder))
        assert done.returncode == 0, done.stderr
        (path,) = [line.rpartition(" ")[2] for line in done.stdout.splitlines() if "the database as it was" in line]
        with closing(sqlite3.connect(path)) as kept:
            columns = [row[1] for row in kept.execute("PRAGMA table_info(registry_run)")]
        assert "inputs" not in columns
        assert Path(path).stat().st_mode & 0o077 == 0
    assert len(list(folder.iterdir())) <= keeping.KEPT
    again = before.run("prepare", "--no-static", "--keep", str(folder))
    assert "the database as it was" not in again.stdout


@pytest.mark.skipif(profile.PROFILE == "production", reason="as above")
def test_without_space_for_the_copy_nothing_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "missing", lambda: ["registry.0008"])
    monkeypatch.setattr("operations.upgrading.keeping.shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000})())
    with pytest.raises(OperationError, match="free space, or move"):
        keep_database(tmp_path / "kept", Progress())
    assert not list((tmp_path / "kept").iterdir())
