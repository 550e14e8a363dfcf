"""What an upgrade to this code would do to this platform, and what to see to before."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count

from core.version import VERSION
from jobs.fleet import Running, versions
from jobs.models import Job
from operations.snapshots import vendor
from operations.upgrading.costs import Cost, costs
from operations.upgrading.last_backup import LastBackup, last_backup
from worker_programs.wording import plural

LONG_SECONDS = 5.0
RECENT = timedelta(hours=24)
EARLIER = "0.2.0 or before"
UNREADABLE = "Jobs and versions can't be read before the migrations are applied."


@dataclass(frozen=True, slots=True)
class Step:
    """A migration that would run, and what each of its steps does."""

    migration: str
    costs: list[Cost]


@dataclass(slots=True)
class Report:
    """`attention` holds what to see to before the upgrade; the rest is what there is."""

    version: str = VERSION
    migrations: list[Step] = field(default_factory=list)
    backup: LastBackup | None = None
    jobs: dict[str, int] = field(default_factory=dict)
    running: list[Running] = field(default_factory=list)
    attention: list[str] = field(default_factory=list)


def examine_upgrade(folder: Path | None = None) -> Report:
    """Look at the migrations, the last backup (in the folder, or as recorded), jobs and versions. Raises
    OperationError."""
    report = Report(backup=last_backup(folder), migrations=_pending())
    report.attention += _long(report.migrations)
    if report.migrations:
        report.attention += _of_backup(report.backup)
    report.jobs = _jobs()
    report.running = versions() if _has_versions() else []
    if len(report.running) > 1:
        words = ", ".join(f"{plural(one.workers + one.web, 'process', 'processes')} of {one.version or EARLIER}"
                          for one in report.running)  # fmt: skip
        report.attention.append(f"Several versions run: {words}. Finish that upgrade before you begin another.")
    return report


def _pending() -> list[Step]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    applied = [key for key in executor.loader.applied_migrations if key in executor.loader.graph.nodes]
    state = executor.loader.project_state(applied)
    if connection.introspection.table_names():
        return [Step(f"{one.app_label}.{one.name}", costs(one, state)) for one, _ in plan]
    return [Step(f"{one.app_label}.{one.name}", []) for one, _ in plan]


def _long(migrations: list[Step]) -> list[str]:
    found = [(step.migration, cost) for step in migrations for cost in step.costs if cost.seconds >= LONG_SECONDS]
    return [f"{name} takes long. {cost}. Upgrade when few people work." for name, cost in found]


def _of_backup(backup: LastBackup | None) -> list[str]:
    if backup is None:
        return ["No backup is recorded here: run `lode admin backup FOLDER`, or name the folder with --backup."]
    if backup.age > RECENT:
        hours = backup.age / timedelta(hours=1)
        return [f"The last backup ({backup.folder}) is {hours:,.0f} hours old: run `lode admin backup` again."]
    if backup.damaged:
        return [f"The last backup ({backup.folder}) lacks {plural(backup.damaged, 'object')}: `lode doctor` says more."]
    return []


def _jobs() -> dict[str, int]:
    """Count the jobs that run, by kind. They go on during an upgrade: what a stopped worker had is given back."""
    running = Job.objects.filter(state=Job.State.RUNNING).order_by("kind").values_list("kind")
    return dict(running.annotate(count=Count("pk")))


def _has_versions() -> bool:
    """Whether the table of workers has the column: a database of 0.2.0 has none."""
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, "jobs_beat")
    return any(column.name == "version" for column in columns)


def what_to_back_up() -> list[str]:
    """Say what must be kept before an upgrade to have a way back."""
    if vendor() == "sqlite":
        return ["`make up` and `make restart` copy the database into var/before-upgrades/ by themselves",
                "the whole platform: `lode admin backup FOLDER`", "var/secrets.json, apart from it"]  # fmt: skip
    return ["the whole platform: `lode admin backup FOLDER`", "the secrets, apart from it"]
