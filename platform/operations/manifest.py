"""The description of a backup. It is written last: a folder without one holds no complete backup."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from django.conf import settings
from django.utils.crypto import salted_hmac

from operations.errors import OperationError
from operations.folder import replace_durably

NAME = "manifest.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class File:
    """A file of the backup by its name in the folder."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """`tables` counts the rows of the snapshot; `listing` names every object with its size and digest; `damaged` are
    objects that were missing or damaged in the store at the time of the backup, by key, with the fault."""

    id: str
    made: str
    version: str
    vendor: str  # sqlite | postgresql
    secret: str
    database: File
    tables: dict[str, int]
    migrations: dict[str, str]
    listing: File
    objects: int
    bytes: int
    damaged: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Replace the folder's manifest in one step."""
        replace_durably(folder / NAME, json.dumps(asdict(self), indent=1))

    @classmethod
    def read(cls, folder: Path) -> "Manifest | None":
        """Read the folder's manifest; None if no backup was finished. Raises OperationError for another format."""
        try:
            said = json.loads((folder / NAME).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if said.get("format") != FORMAT:
            raise OperationError(
                f"{folder} holds a backup of format {said.get('format')}, and this version reads format {FORMAT}: use "
                f"the version of Motherlode that made it ({said.get('version')})."
            )
        return cls(**said | {name: File(**said[name]) for name in ("database", "listing")})


def secret_mark() -> str:
    """Return a mark that distinguishes one MOTHERLODE_SECRET_KEY from another without revealing it."""
    return salted_hmac("operations.manifest", "backup", secret=settings.SECRET_KEY, algorithm="sha256").hexdigest()
