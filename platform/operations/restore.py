"""Restore a backup into an empty database and an empty bucket: objects first, each verified, then the database as a
whole.

Until the database is restored the platform is empty, so an unfinished restore can't be mistaken for a platform. A file
beside the platform's state marks what a killed restore has put into the bucket, and the next one continues.
"""

import json
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader

from blobs.bucket import Bucket
from blobs.settings import StoreConfig
from embedded.private import write_private
from operations.backup import listed
from operations.catalogue import Copied
from operations.errors import OperationError
from operations.folder import BackupFolder, sha256_of_file
from operations.listing import Listing
from operations.manifest import Manifest, secret_mark
from operations.parallel import in_parallel
from operations.progress import Progress
from operations.snapshots import put_back, rows_by_table, vendor
from worker_programs.wording import plural

MARK = "restore.json"
# What Django itself writes into a new database.
NEW = {"django_migrations", "django_content_type", "auth_permission"}
SHOWN = 5
PROFILES = {"sqlite": "the embedded profile (SQLite)", "postgresql": "the production profile (PostgreSQL)"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was restored, and the keys of the objects left out because they are damaged in the backup."""

    manifest: Manifest
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class Rules:
    """Options of a restore. `other_secret`: also under another MOTHERLODE_SECRET_KEY; `without_damaged`: leave out
    objects that are damaged in the backup."""

    other_secret: bool = False
    without_damaged: bool = False


def restore(path: Path, progress: Progress, rules: Rules) -> Outcome:
    """Restore the backup in the folder into the platform's database and bucket, and compare them. Raises
    OperationError, and blobs.errors.BlobFault if the store does not answer."""
    manifest = Manifest.read(path)
    if manifest is None:
        raise OperationError(f"{path} holds no finished backup: its manifest.json is missing. Run the backup again.")
    _check(path, manifest, rules)
    bucket = Bucket(StoreConfig.from_env())
    bucket.ensure()
    has_database = _claim(path, manifest, bucket)
    left_out = _put_objects(path, manifest, bucket, progress, rules)
    if not has_database:
        with progress.step("Database"):
            shutil.rmtree(settings.VAR_DIR / "git", ignore_errors=True)  # of other rows; it is rebuilt from rows
            put_back(path / manifest.database.name)
    _compare(path, manifest, bucket, left_out)
    (settings.VAR_DIR / MARK).unlink()
    return Outcome(manifest, left_out)


def unfinished() -> str:
    """Return the id of the backup whose restore was interrupted; empty if there is none."""
    with suppress(FileNotFoundError):
        return str(json.loads((settings.VAR_DIR / MARK).read_text(encoding="utf-8"))["backup"])
    return ""


def _check(path: Path, manifest: Manifest, rules: Rules) -> None:
    """Check that the backup fits this platform, and that its own files are undamaged. Raises OperationError."""
    if manifest.vendor != vendor():
        raise OperationError(
            f"The backup is of {PROFILES[manifest.vendor]}, and this is {PROFILES[vendor()]}: restore it into the "
            "profile that it was made on."
        )
    if manifest.secret != secret_mark() and not rules.other_secret:
        raise OperationError(
            "The backup was made under another MOTHERLODE_SECRET_KEY. Set that one (embedded: put the var/secrets.json "
            "of that time into var/). With --other-secret it is restored all the same: then everybody signs in anew, "
            "and the read key of each published repository must be renewed."
        )
    known = MigrationLoader(None).disk_migrations
    apps = {app for app, _ in known}
    newer = [pair for pair in manifest.migrations.items() if pair[0] in apps and pair not in known]
    if newer:
        app, name = newer[0]
        raise OperationError(
            f"The backup is of a newer version ({manifest.version}) than this one: it has the migration {app}.{name}. "
            "Restore it with that version."
        )
    for file in (manifest.database, manifest.listing):
        if not (path / file.name).is_file() or sha256_of_file(path / file.name) != file.sha256:
            raise OperationError(f"{path / file.name} is missing or damaged: the backup can't be restored.")


def _claim(path: Path, manifest: Manifest, bucket: Bucket) -> bool:
    """Check that database and bucket are empty, or hold only what an interrupted restore has put there, and mark them
    as ours. Returns whether the database is restored already. Raises OperationError naming other contents."""
    place = settings.VAR_DIR / MARK
    where = {"endpoint": bucket.config.endpoint, "bucket": bucket.config.bucket}
    before = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    ours = {name: before.get(name) for name in where} == where
    tables = _rows()
    rows = {table: count for table, count in tables.items() if count and table not in NEW}
    if rows and not (ours and before["backup"] == manifest.id and tables == manifest.tables):
        named = ", ".join(f"{table} ({count})" for table, count in islice(rows.items(), SHOWN))
        more = f" and {plural(len(rows) - SHOWN, 'more table')}" if len(rows) > SHOWN else ""
        raise OperationError(f"The database is not empty; there are rows in {named}{more}. Name an empty database.")
    if not ours and (found := list(islice(bucket.listed(), SHOWN))):
        named = ", ".join(key for key, _ in found)
        name = bucket.config.bucket
        raise OperationError(f"The bucket {name} is not empty; it holds {named}. Name an empty one.")
    if ours and before["backup"] != manifest.id:
        _remove_others(path, manifest, bucket)
    settings.VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(place, json.dumps({"backup": manifest.id, **where}))
    return bool(rows)


def _remove_others(path: Path, manifest: Manifest, bucket: Bucket) -> None:
    """Remove the objects that the restore of another backup has put there and that this one does not name."""
    with tempfile.TemporaryDirectory() as scratch, Listing(Path(scratch)) as wanted:
        wanted.fill((one.key, one.size) for one in listed(path, manifest))
        others = [key for key, _ in bucket.listed() if wanted.size(key) is None]
    for key in others:
        bucket.remove(key)


def _rows() -> dict[str, int]:
    """Count the rows by table; empty without a database. (SQLite creates the file when it is queried.)"""
    try:
        return rows_by_table()
    except OperationalError as error:
        raise OperationError(f"The database can't be opened: {error}") from error
    finally:
        connection.close()


def _put_objects(path: Path, manifest: Manifest, bucket: Bucket, progress: Progress, rules: Rules) -> list[str]:
    """Put every object of the backup into the bucket. Returns the keys of those left out."""
    folder = BackupFolder(path)
    damaged: list[str] = []

    def put(one: Copied) -> bool:
        place = folder.object(one.sha256)
        if not folder.has(one.sha256, one.size) or sha256_of_file(place) != one.sha256:
            return False
        there = bucket.head(one.key)
        if there is None or (there.size, there.sha256) != (one.size, one.sha256):
            with place.open("rb") as file:
                bucket.write(one.key, file, size=one.size, sha256=one.sha256)
        return True

    with progress.step("Objects") as step:
        for one, sound in in_parallel(put, listed(path, manifest)):
            step.add(one.size, manifest.bytes)
            if not sound:
                damaged.append(one.key)
                progress.say(f"{folder.object(one.sha256)} is missing or damaged: it is the object {one.key}")
    if damaged and not rules.without_damaged:
        raise OperationError(
            f"Missing or damaged in the backup: {plural(len(damaged), 'object')}, the first: {damaged[0]}. Where the "
            "platform still runs, `lode admin backup --verify` mends the backup; --without-damaged restores the rest."
        )
    return damaged


def _compare(path: Path, manifest: Manifest, bucket: Bucket, left_out: list[str]) -> None:
    """Check that the platform holds what the backup says. Raises OperationError."""
    tables = rows_by_table()
    if wrong := [table for table, count in manifest.tables.items() if tables.get(table) != count]:
        raise OperationError(
            f"The restored database is not that of the backup: {wrong[0]} has {plural(tables.get(wrong[0], 0), 'row')} "
            f"instead of {manifest.tables[wrong[0]]}."
        )
    with tempfile.TemporaryDirectory() as scratch, Listing(Path(scratch)) as there:
        there.fill(bucket.listed())
        without = set(left_out)
        expected = (one for one in listed(path, manifest) if one.key not in without)
        missing = [one.key for one in expected if there.size(one.key) != one.size]
    if missing:
        raise OperationError(f"{plural(len(missing), 'object')} did not arrive in the bucket, the first: {missing[0]}")
