"""The servers that Python wheels bring along."""

from contextlib import suppress
from importlib import metadata
from pathlib import Path


def program_of(package: str, *names: str) -> Path | None:
    """Return the path of the program with one of these file names that the package installed; None without it."""
    with suppress(metadata.PackageNotFoundError):
        for entry in metadata.files(package) or []:
            if entry.name in names:
                return Path(str(entry.locate())).resolve()
    return None
