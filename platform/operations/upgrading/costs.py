"""What a migration locks or rewrites, and for how long: from its SQL, the rows of this database, and its own speed."""

import re
import time
from dataclasses import dataclass

from django.db import connection
from django.db.migrations import operations as steps
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from operations.upgrading.exemptions import EXEMPTIONS
from operations.upgrading.rules import named, parts

MEASURED_ROWS = 20_000
BY_PYTHON = 500
"""Rows a second that a migration's own function goes through one by one, at the least."""
INSTANT, COPIED, READ, CHANGED = "takes a moment", "copies", "reads", "goes through"
EFFECTS = {
    "sqlite": [
        (COPIED, re.compile(r'CREATE TABLE "new__(\w+)"')),
        (READ, re.compile(r'CREATE (?:UNIQUE )?INDEX .+? ON "(\w+)"')),
    ],
    "postgresql": [
        (COPIED, re.compile(r'ALTER TABLE "(\w+)" .*?ALTER COLUMN "\w+" TYPE ')),
        (CHANGED, re.compile(r'UPDATE "(\w+)" SET ')),
        (READ, re.compile(r'ALTER TABLE "(\w+)" .*?(?:SET NOT NULL|ADD CONSTRAINT)')),
        (READ, re.compile(r'CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).+? ON "(\w+)"')),
    ],
}
"""What a statement does to all rows of a table, by database; the others take a moment."""
WAITS = {"sqlite": "every write waits", "postgresql": "what uses the table waits"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What one step of a migration does to the `rows` of a table, which takes about `seconds`; none for a moment."""

    step: str
    how: str = INSTANT
    table: str = ""
    rows: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.how == INSTANT:
            return f"{self.step}: {INSTANT}"
        lasts = "a second or less" if self.seconds < 1 else f"about {self.seconds:,.0f} s"
        return (
            f"{self.step}: {self.how} {self.table} ({self.rows:,} rows, {lasts}); {WAITS[connection.vendor]} meanwhile"
        )


def costs(migration: Migration, state: ProjectState) -> list[Cost]:
    """Return what the steps of a migration that isn't applied yet do, and bring the state past it."""
    found: list[Cost] = []
    for step in migration.operations:
        after = state.clone()
        step.state_forwards(migration.app_label, after)
        found += [_cost(migration, part, state, after) for part in parts(step)]
        step.state_forwards(migration.app_label, state)
    return found


def _cost(migration: Migration, step: Operation, before: ProjectState, after: ProjectState) -> Cost:
    name = named(step)
    how, table = _effect(migration, step, before, after)
    if how == INSTANT or table not in connection.introspection.table_names():
        return Cost(name)
    rows = _rows(table)
    return Cost(name, how, table, rows, rows / (BY_PYTHON if how == CHANGED else _speed(table)))


def _effect(migration: Migration, step: Operation, before: ProjectState, after: ProjectState) -> tuple[str, str]:
    if isinstance(step, steps.RunPython | steps.RunSQL):
        exempt = EXEMPTIONS.get((migration.app_label, migration.name, named(step)))
        return CHANGED, exempt.table if exempt else ""
    with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
        step.database_forwards(migration.app_label, editor, before, after)
    for statement in editor.collected_sql:
        for how, pattern in EFFECTS[connection.vendor]:
            if found := pattern.search(statement):
                return how, found[1]
    return INSTANT, ""


def _rows(table: str) -> int:
    """Count the rows; of large tables PostgreSQL's own estimate is used, because a count reads all of them."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(%s)", [f'"{table}"'])
            estimate = int(cursor.fetchone()[0])
            if estimate > MEASURED_ROWS:
                return estimate
        cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a table's own name
        return int(cursor.fetchone()[0])


def _speed(table: str) -> float:
    """Measure how many rows a second this database copies, with a temporary table of some of them."""
    quoted = connection.ops.quote_name(table)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS upgrade_check_copy")
        began = time.perf_counter()
        copied = f"SELECT * FROM {quoted} LIMIT {MEASURED_ROWS}"  # noqa: S608 - as above
        cursor.execute(f"CREATE TEMPORARY TABLE upgrade_check_copy AS {copied}")
        seconds = time.perf_counter() - began
        cursor.execute("SELECT COUNT(*) FROM upgrade_check_copy")
        rows = int(cursor.fetchone()[0])
        cursor.execute("DROP TABLE upgrade_check_copy")
    return max(rows, 1) / max(seconds, 1e-3)
