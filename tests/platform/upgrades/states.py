"""Write the state of the tests' database to a file that later code is upgraded from.

`MOTHERLODE_WRITE_STATE=0.3.0 pytest tests/platform/upgrades` adds one at a release; those that exist stay as they are.
"""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

FOLDER = Path(__file__).with_name("states")


def written() -> list[Path]:
    """All states, by version."""
    return sorted(FOLDER.glob("*.sql.gz"))


def write(database: str, version: str) -> None:
    """The rows and tables of a SQLite database as statements."""
    with closing(sqlite3.connect(database)) as opened:
        text = "\n".join(opened.iterdump())
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{version}.sql.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def restore(state: Path, database: Path) -> None:
    """A database as it was."""
    with closing(sqlite3.connect(database)) as opened:
        opened.executescript(gzip.decompress(state.read_bytes()).decode())
