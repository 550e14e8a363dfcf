"""Snapshot the database into a file while others write, and load such a file into an empty database."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connections, transaction
from psycopg import pq

from embedded.process import dying_with
from operations.errors import OperationError

ALIAS = "snapshot"
PAGES = 4096
ENDINGS = {"sqlite": "sqlite3", "postgresql": "dump"}
INSTALL = "install PostgreSQL's client programs (Debian: postgresql-client), of the server's version or a newer one"

Show = Callable[[int, int], None]


def vendor() -> str:
    """Return the kind of database, sqlite or postgresql."""
    return connections["default"].vendor


@contextmanager
def snapshot(target: Path, show: Show) -> Iterator[str]:
    """Write the database as it is now to `target`. Yields the alias of a Django connection to exactly that state,
    without later writes. Raises OperationError."""
    with (_sqlite if vendor() == "sqlite" else _postgresql)(target, show) as alias:
        yield alias


@contextmanager
def _sqlite(target: Path, show: Show) -> Iterator[str]:
    name = connections["default"].settings_dict["NAME"]
    with closing(sqlite3.connect(f"file:{name}?mode=rw", uri=True)) as source, closing(sqlite3.connect(target)) as copy:
        # One reading transaction around all steps: writers go on, and no step sees what they write.
        source.execute("BEGIN")
        source.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        source.backup(copy, pages=PAGES, progress=lambda _, left, total: show(total - left, total))
        source.rollback()
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, whoever opens it
    with _alias_for(target):
        yield ALIAS


@contextmanager
def _alias_for(path: Path) -> Iterator[None]:
    connection = connections["default"].copy(ALIAS)
    connection.settings_dict |= {"NAME": str(path), "OPTIONS": {}}
    connections[ALIAS] = connection
    try:
        yield
    finally:
        connection.close()
        del connections[ALIAS]


@contextmanager
def _postgresql(target: Path, show: Show) -> Iterator[str]:
    show(0, 1)
    with transaction.atomic(), connections["default"].cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
        _run(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--snapshot", name, "--file", str(target)])
        show(1, 1)
        yield "default"


def put_back(source: Path) -> None:
    """Load the file into the empty database: all of it, or nothing. Raises OperationError."""
    connections["default"].close()
    if vendor() == "sqlite":
        _replace_sqlite(source, Path(connections["default"].settings_dict["NAME"]))
    else:
        whole = ["--single-transaction", "--exit-on-error", "--clean", "--if-exists", "--no-owner", "--no-privileges"]
        _run(["pg_restore", *whole, "--dbname", str(connections["default"].settings_dict["NAME"]), str(source)])


def _replace_sqlite(source: Path, target: Path) -> None:
    fresh = target.with_name(f".{target.name}.part")
    shutil.copyfile(source, fresh)
    fresh.chmod(0o600)
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    for ending in ("-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    fresh.replace(target)


def _run(argv: list[str]) -> None:
    """Run a program of PostgreSQL's on the platform's database, without its password in the list of processes."""
    if shutil.which(argv[0]) is None:
        raise OperationError(f"{argv[0]} is not on this machine: {INSTALL}.")
    done = subprocess.run(  # noqa: S603 - our own words
        argv, env=_environment(), capture_output=True, text=True, check=False, preexec_fn=dying_with(os.getpid())
    )
    if done.returncode:
        words = done.stderr.strip() or f"exit code {done.returncode}"
        hint = f"\nIf the versions do not fit: {INSTALL}." if "version" in words else ""
        raise OperationError(f"{argv[0]} failed: {words}{hint}")


def _environment() -> Mapping[str, str]:
    """Return the environment in which PostgreSQL's programs connect as the platform does, with its TLS options too."""
    said = connections["default"].settings_dict
    names = {"PGDATABASE": "NAME", "PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD"}
    variables = {option.keyword.decode(): (option.envvar or b"").decode() for option in pq.Conninfo.get_defaults()}
    options = {variables[name]: str(value) for name, value in said["OPTIONS"].items() if variables.get(name)}
    return {**os.environ, **options, **{name: str(said[key]) for name, key in names.items() if said.get(key)}}


def rows_by_table(alias: str = "default") -> dict[str, int]:
    """Count the rows of each table."""
    connection = connections[alias]
    with connection.cursor() as cursor:
        counts = {}
        for table in sorted(connection.introspection.table_names(cursor)):
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table's own name
            counts[table] = cursor.fetchone()[0]
    return counts
