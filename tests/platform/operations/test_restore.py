"""Restores that must not be: into a place with something in it, of a damaged backup, of another platform's; and ones
that were broken off."""

import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.platform.operations.places import Place, files_below, through
from tests.relay import Relay
from tests.workers import ROOT, wait_until

from blobs.digests import sha256_of
from blobs.keys import blob_key
from blobs.models import Blob
from blobs.services import keep_bytes
from catalog.models import Dataset
from operations.backup import back_up, listed
from operations.manifest import Manifest
from operations.progress import Progress

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(filled: Dataset, tmp_path: Path) -> Path:
    """A backup."""
    back_up(tmp_path / "backup", Progress())
    return tmp_path / "backup"


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def put(place: Place, key: str, data: bytes) -> None:
    place.bucket.write(key, io.BytesIO(data), size=len(data), sha256=sha256_of(data))


def has_rows(place: Place) -> bool:
    """A platform is there."""
    code = (
        "import django; django.setup(); from operations.snapshots import rows_by_table as rows; "
        "print(rows().get('catalog_dataset', 0))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=place.env, capture_output=True, text=True, check=True)
    return done.stdout.strip() != "0"


def test_tables_without_rows_are_an_empty_place_and_one_with_rows_is_refused(folder: Path, place: Place) -> None:
    assert place.run("migrate", "--no-input").returncode == 0
    done = place.run("restore", str(folder))
    assert done.returncode == 0, done.stderr
    assert has_rows(place)
    objects = list(place.bucket.listed())
    refused = place.run("restore", str(folder))
    assert refused.returncode == 1
    rows = "accounts_project (1), accounts_token (1), accounts_user (1)"
    assert f"The database is not empty; there are rows in {rows}" in refused.stderr
    assert list(place.bucket.listed()) == objects


@pytest.mark.clock
def test_a_bucket_with_objects_is_refused_by_their_names(folder: Path, place: Place) -> None:
    put(place, blob_key("0" * 32), b"somebody's")
    done = place.run("restore", str(folder))
    assert done.returncode == 1
    assert f"is not empty; it holds {blob_key('0' * 32)}" in done.stderr
    assert not has_rows(place)


@pytest.mark.clock
def test_a_flipped_byte_in_an_object_is_named_and_nothing_is_called_restored(folder: Path, place: Place) -> None:
    manifest = Manifest.read(folder)
    assert manifest is not None
    bad = next(iter(listed(folder, manifest)))
    flip(folder / "objects" / bad.sha256[:2] / bad.sha256)
    done = place.run("restore", str(folder))
    assert done.returncode == 1
    assert bad.key in done.stderr
    assert "The platform is not restored" in done.stderr
    assert not has_rows(place)
    assert place.run("doctor", "--json").returncode == 1

    back_up(folder, Progress(), verify=True)  # where the platform still runs
    done = place.run("restore", str(folder))
    assert done.returncode == 0, done.stderr
    assert has_rows(place)


@pytest.mark.clock
def test_what_is_damaged_in_the_backup_can_be_left_out(folder: Path, place: Place) -> None:
    alone = Blob.objects.get(size=1_500_000)
    flip(folder / "objects" / alone.sha256[:2] / alone.sha256)
    assert place.run("restore", str(folder)).returncode == 1
    done = place.run("restore", str(folder), "--without-damaged")
    assert done.returncode == 1
    assert f"{alone.key}: damaged in the backup, left out" in done.stderr
    assert "Not as before: 1 object; all else is" in done.stderr
    assert has_rows(place)


@pytest.mark.parametrize("which", ["database", "listing"])
def test_a_flipped_byte_in_a_file_of_the_backup_itself_is_named(folder: Path, place: Place, which: str) -> None:
    manifest = Manifest.read(folder)
    assert manifest is not None
    name = getattr(manifest, which).name
    flip(folder / name)
    done = place.run("restore", str(folder))
    assert done.returncode == 1
    assert f"{name} is missing or damaged" in done.stderr
    assert list(place.bucket.listed()) == []


def test_verifying_copies_a_spoilt_file_anew(folder: Path) -> None:
    path = files_below(folder)[0]
    flip(path)
    assert back_up(folder, Progress()).copied == 0
    assert back_up(folder, Progress(), verify=True).copied == 1
    assert sha256_of(path.read_bytes()) == path.name


def test_another_secret_is_refused_unless_it_is_meant(folder: Path, place: Place) -> None:
    place.env["MOTHERLODE_SECRET_KEY"] = "another-" * 8
    done = place.run("restore", str(folder))
    assert done.returncode == 1
    assert "another MOTHERLODE_SECRET_KEY" in done.stderr
    assert place.run("restore", str(folder), "--other-secret").returncode == 0


@pytest.mark.clock
def test_a_backup_of_the_other_profile_or_a_newer_version_is_refused(folder: Path, place: Place) -> None:
    said = json.loads((folder / "manifest.json").read_text())
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[said["vendor"]]
    (folder / "manifest.json").write_text(json.dumps(said | {"vendor": other}))
    assert "restore it into the profile that it was made on" in place.run("restore", str(folder)).stderr
    newer = said["migrations"] | {"catalog": "9999_of_the_future"}
    (folder / "manifest.json").write_text(json.dumps(said | {"migrations": newer}))
    assert "catalog.9999_of_the_future" in place.run("restore", str(folder)).stderr
    (folder / "manifest.json").write_text(json.dumps(said | {"format": 9}))
    assert "format 9" in place.run("restore", str(folder)).stderr


@pytest.mark.clock
def test_a_killed_restore_is_no_platform_and_the_next_goes_on(
    filled: Dataset, relay: Relay, place: Place, tmp_path: Path
) -> None:
    for number in range(120):
        keep_bytes(b"%d" % number * 30_000, media_type="image/png")
    folder = tmp_path / "backup"
    back_up(folder, Progress())
    argv = [sys.executable, str(ROOT / "manage.py"), "restore", str(folder)]
    relay.freeze_in(3_000_000)
    place.env.update(through(relay, place.config))
    process = subprocess.Popen(argv, env=place.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: relay.is_frozen)
    process.send_signal(signal.SIGKILL)
    assert process.wait(30) != 0
    relay.thaw()
    assert 0 < len(list(place.bucket.listed())) < 120
    assert not has_rows(place)
    found = json.loads(place.run("doctor", "--json").stdout)["findings"]
    assert "restore" in {one["check"] for one in found}
    done = place.run("restore", str(folder))
    assert done.returncode == 0, done.stderr
    assert has_rows(place)
    assert not (place.var / "restore.json").exists()
