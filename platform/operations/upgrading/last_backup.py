"""When this platform was backed up last, and where to."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings

from embedded.private import write_private
from operations.manifest import Manifest

NAME = "last-backup.json"


@dataclass(frozen=True, slots=True)
class LastBackup:
    """A finished backup; `damaged` counts objects that are not in it as they should be."""

    folder: str
    made: str
    damaged: int

    @property
    def age(self) -> timedelta:
        """Return the time since it was made."""
        return datetime.now(UTC) - datetime.fromisoformat(self.made)


def note_backup(folder: Path, manifest: Manifest) -> None:
    """Record a finished backup beside the platform's state."""
    settings.VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(settings.VAR_DIR / NAME, json.dumps(asdict(_of(folder, manifest)), indent=1))


def last_backup(folder: Path | None = None) -> LastBackup | None:
    """Return the last backup into a folder; without one, the last that was recorded here. None if there is none.
    Raises OperationError for a backup of another format."""
    if folder is not None:
        manifest = Manifest.read(folder)
        return None if manifest is None else _of(folder, manifest)
    with suppress(FileNotFoundError):
        return LastBackup(**json.loads((settings.VAR_DIR / NAME).read_text(encoding="utf-8")))
    return None


def _of(folder: Path, manifest: Manifest) -> LastBackup:
    return LastBackup(str(folder), manifest.made, len(manifest.damaged))
