"""Back up the running platform: a snapshot of the database, then every object that it names.

Objects are written once under keys made of their content, so what a snapshot names can be copied after it. Only a
collection or an erasure deletes named objects: then the backup begins again with a newer snapshot, and copies its
additional objects.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from blobs.bucket import Bucket
from blobs.digests import sha256_of
from blobs.errors import BlobMissing
from blobs.settings import StoreConfig
from core import scheduled
from core.pending_migrations import missing
from core.version import VERSION
from operations.catalogue import Catalogue, Copied, Wanted
from operations.errors import OperationError
from operations.folder import WORK, BackupFolder, settle, sha256_of_file
from operations.manifest import File, Manifest, secret_mark
from operations.naming import note_wanted
from operations.parallel import in_parallel
from operations.progress import Progress
from operations.snapshots import ENDINGS, rows_by_table, snapshot, vendor
from worker_programs.wording import plural

ROUNDS = 6
MOST_FAULTS = 10_000
MISSING = "missing in the object store"
SPOILT = "not the bytes that were stored"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a backup: its manifest, the objects and bytes copied, and the number of objects removed from the
    folder."""

    manifest: Manifest
    copied: int
    copied_bytes: int
    pruned: int


@dataclass(slots=True)
class _Sums:
    copied: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Moment:
    """A snapshot of the database in the folder."""

    id: str
    database: Path
    tables: dict[str, int]
    migrations: dict[str, str]


def back_up(path: Path, progress: Progress, *, verify: bool = False) -> Outcome:
    """Update the backup in the folder to the present state. Objects that it holds already are not copied again; with
    `verify` they are read first, and copied again if they are damaged. The previous backup stays complete until this
    one is.

    Raises OperationError, and blobs.errors.BlobFault if the store does not answer: run it again then.
    """
    folder = BackupFolder(path)
    sums = _Sums()
    with folder.held(), Catalogue(path / WORK) as catalogue:
        last = Manifest.read(path)
        folder.clear_unfinished(named=[] if last is None else [last.database.name, last.listing.name])
        copier = _Copier(Bucket(StoreConfig.from_env()), folder, verify)
        faults: dict[str, str] | None = None
        for _ in range(ROUNDS):
            moment = _take(folder, catalogue, progress)
            before, faults = faults, _copy(copier, catalogue, progress, sums)
            copier = replace(copier, verify=False)  # once is enough
            if not faults or faults == before:  # faults in two snapshots are not due to deletions between them
                break
            progress.say(f"Not as the snapshot names them: {plural(len(faults), 'object')}. Looking with a newer one.")
        else:
            raise OperationError("Objects were taken away during each of the attempts: try again when no one erases.")
        manifest = _finish(folder, catalogue, moment, faults)
        pruned = folder.prune(catalogue.digests(), named=[manifest.database.name, manifest.listing.name])
        catalogue.finish()
    if not missing():  # before an upgrade migrates, the table for it may not be there yet
        scheduled.note(scheduled.BACKUP, well=not manifest.damaged)
    return Outcome(manifest, sums.copied, sums.bytes, pruned)


def _take(folder: BackupFolder, catalogue: Catalogue, progress: Progress) -> _Moment:
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{token_hex(3)}"
    target = folder.path / f"database-{name}.{ENDINGS[vendor()]}"
    with progress.step("Database") as step, snapshot(target, step.show) as alias:
        note_wanted(alias, catalogue)
        return _Moment(name, target, rows_by_table(alias), last_migrations(alias))


def last_migrations(alias: str = "default") -> dict[str, str]:
    """Return the newest applied migration of each app."""
    applied = MigrationRecorder(connections[alias]).applied_migrations()
    found: dict[str, str] = {}
    for app, name in applied:
        found[app] = max(name, found.get(app, ""))
    return found


def _copy(copier: "_Copier", catalogue: Catalogue, progress: Progress, sums: _Sums) -> dict[str, str]:
    """Copy the objects that the folder lacks. Returns the objects that can't be copied as the snapshot names them, with
    the reason."""
    faults: dict[str, str] = {}
    total = catalogue.bytes_wanted()
    with progress.step("Objects") as step:
        for (wanted, before), (copied, fresh) in in_parallel(copier.have, catalogue.to_copy()):
            step.add(wanted.size, total)
            if copied is None:
                catalogue.forget(wanted.key)
            elif copied != before:
                catalogue.note(copied)
            if copied is not None and fresh:
                sums.copied += 1
                sums.bytes += copied.size
            if wanted.needed and (fault := _fault(copier.folder, catalogue, wanted, copied)):
                faults[wanted.key] = fault
                _stop_at_too_many(faults)
    return faults


def _stop_at_too_many(faults: dict[str, str]) -> None:
    if len(faults) > MOST_FAULTS:
        raise OperationError(
            f"More than {MOST_FAULTS} objects are missing or spoilt, the first: {next(iter(faults))}. Is this the "
            "platform's bucket? `lode doctor` says more."
        )


@dataclass(frozen=True, slots=True)
class _Copier:
    """Copies objects from the bucket to the folder; shared by threads."""

    bucket: Bucket
    folder: BackupFolder
    verify: bool

    def have(self, item: tuple[Wanted, Copied | None]) -> tuple[Copied | None, bool]:
        """Make sure that the folder has an object. Returns it and whether it had to be copied; None if the store
        doesn't have it."""
        wanted, before = item
        if before is None and wanted.sha256:  # a killed run may have copied it without recording it
            before = Copied(wanted.key, wanted.size, wanted.sha256)
        if before is not None and self._is_usable(wanted, before):
            return before, False
        found = self.bucket.head(wanted.key)
        if found is None:
            return None, True
        try:
            sha256, size = self.folder.put(self.bucket.stream(wanted.key, 0, found.size))
        except BlobMissing:
            return None, True
        return Copied(wanted.key, size, sha256), True

    def _is_usable(self, wanted: Wanted, before: Copied) -> bool:
        """Whether the copy of an earlier run can be used. A damaged one is copied again, because the store's may be
        repaired by now."""
        if wanted.changing or wanted.sha256 not in {"", before.sha256}:
            return False
        if not self.folder.has(before.sha256, before.size):
            return False
        return not self.verify or sha256_of_file(self.folder.object(before.sha256)) == before.sha256


def _fault(folder: BackupFolder, catalogue: Catalogue, wanted: Wanted, copied: Copied | None) -> str:
    """Return what is wrong with the copy; empty if it matches the snapshot. In a pack whose erased parts were
    overwritten, the remaining members count."""
    if copied is None:
        return MISSING
    if wanted.sha256 in {"", copied.sha256}:
        return ""
    if not wanted.changing:
        return SPOILT
    with folder.object(copied.sha256).open("rb") as file:
        for start, size, sha256 in catalogue.members(wanted.key):
            file.seek(start)
            if sha256_of(file.read(size)) != sha256:
                return SPOILT
    return ""


def _finish(folder: BackupFolder, catalogue: Catalogue, moment: _Moment, faults: dict[str, str]) -> Manifest:
    """Write the listing and, last, the manifest."""
    listing = folder.path / f"objects-{moment.id}.jsonl"
    count = size = 0
    with listing.open("w", encoding="utf-8") as file:
        for copied in catalogue.copied():
            file.write(json.dumps({"key": copied.key, "size": copied.size, "sha256": copied.sha256}) + "\n")
            count += 1
            size += copied.size
        file.flush()
        settle(file.fileno())
    with moment.database.open("rb") as file:
        settle(file.fileno())
    manifest = Manifest(
        id=moment.id,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        version=VERSION,
        vendor=vendor(),
        secret=secret_mark(),
        database=_file(moment.database),
        tables=moment.tables,
        migrations=moment.migrations,
        listing=_file(listing),
        objects=count,
        bytes=size,
        damaged=dict(sorted(faults.items())),
    )
    manifest.write(folder.path)
    return manifest


def _file(path: Path) -> File:
    return File(path.name, path.stat().st_size, sha256_of_file(path))


def listed(folder: Path, manifest: Manifest) -> Iterator[Copied]:
    """Yield the objects of a backup, by key."""
    with (folder / manifest.listing.name).open(encoding="utf-8") as file:
        for line in file:
            yield Copied(**json.loads(line))
