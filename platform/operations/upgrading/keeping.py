"""A copy of an embedded platform's database from before an upgrade: the way back to the version before."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from core.pending_migrations import missing
from operations.errors import OperationError
from operations.progress import Progress
from operations.snapshots import snapshot, vendor

KEPT = 2
NAMED = re.compile(r"\d{8}T\d{6}Z\.sqlite3")


def keep_database(folder: Path, progress: Progress) -> Path | None:
    """Copy the database into the folder if migrations are missing, and delete all copies but the newest. Returns the
    copy; None if nothing is missing. Raises OperationError; also if there is too little space."""
    if vendor() != "sqlite" or not MigrationRecorder(connection).has_table() or not missing():
        return None
    source = Path(connections["default"].settings_dict["NAME"])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    needed, free = source.stat().st_size, shutil.disk_usage(folder).free
    if free < 2 * needed:  # the copy, and what the migrations write
        raise OperationError(
            f"{folder} has {free >> 20} MiB free, and a copy of the database with what its migrations write may take "
            f"{2 * needed >> 20}: free space, or move {source.parent} to a larger disk."
        )
    target = folder / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}.sqlite3"
    part = target.with_suffix(".part")
    part.unlink(missing_ok=True)
    with progress.step("Copy of the database") as step, snapshot(part, step.show):
        part.chmod(0o600)
    part.replace(target)
    for old in sorted(path for path in folder.iterdir() if NAMED.fullmatch(path.name))[:-KEPT]:
        old.unlink()
    return target
