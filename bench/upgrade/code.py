"""The code of a version: this checkout's, or that of the last release out of its history."""

import json
import subprocess
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from embedded.layout import project_root

RECORD = project_root() / "platform" / "operations" / "upgrading" / "last_release.json"


class HistoryError(Exception):
    """The history of this checkout doesn't go back to the last release: a clone that is not deep enough has none."""


@dataclass(frozen=True, slots=True)
class Code:
    """A tree of the project's files, by the name of its version."""

    version: str
    root: Path


def present() -> Code:
    """Return this checkout's code."""
    return Code("present", project_root())


def released(folder: Path) -> Code:
    """Unpack the last release into the folder. Raises HistoryError with what to do."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    argv = ["git", "archive", "--format=tar", record["commit"]]
    done = subprocess.run(argv, cwd=project_root(), capture_output=True, check=False)
    if done.returncode:
        raise HistoryError(
            f"{record['version']} ({record['commit'][:12]}) is not in this clone's history: `git fetch --unshallow`"
        )
    with tarfile.open(fileobj=BytesIO(done.stdout)) as tar:
        tar.extractall(folder, filter="data")  # our own repository
    return Code(record["version"], folder)
