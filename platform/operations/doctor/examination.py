"""Run all checks, one after the other; checks that are impossible because a service does not answer are reported as
such."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from operations.doctor import machine, objects
from operations.doctor.findings import Finding, tally
from operations.progress import Progress
from operations.restore import unfinished

NAMES = {"database": "The database", "object_store": "The object store", "broker": "The broker"}


@dataclass(slots=True)
class Report:
    """The results of all checks; `not_checked` describes what could not be checked."""

    findings: list[Finding] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    blobs_read: int = 0


def examine(services: Mapping[str, str], progress: Progress, *, everything: bool = False) -> Report:
    """Run all checks. `services` maps each service to its status (`ok`, or what is wrong); `everything`: read every
    blob."""
    report = Report()
    ill = {name: said for name, said in services.items() if said != "ok"}
    for name, said in ill.items():
        words = f"{NAMES.get(name, name)} is not well: {said}."
        report.findings.append(Finding("services", 1, words, "Start it, or see to its address in the settings."))
    report.findings += [*machine.processes(), *machine.threads(), *machine.disks(), *machine.modes(), *_restores()]
    if "object_store" not in ill:
        report.findings += machine.store_clock()
    if "database" in ill:
        report.not_checked.append("The database is silent: migrations, workers and objects were not looked at.")
        return report
    report.findings += machine.database_clock()
    if pending := _migrations():
        report.findings += pending
        report.not_checked.append("The tables are not those of this version: workers and objects were not looked at.")
        return report
    report.findings += [*machine.workers(), *machine.schedule(), *machine.timeouts_in_force()]
    if "object_store" in ill:
        report.not_checked.append("The object store is silent: objects were not looked at.")
        return report
    report.findings += objects.presence(progress)
    spoilt, report.blobs_read = objects.content(progress, everything=everything)
    report.findings += spoilt
    return report


def _restores() -> list[Finding]:
    if not (backup := unfinished()):
        return []
    words = f"A restore of the backup {backup} was broken off."
    return [Finding("restore", 1, words, "Run `lode admin restore` on the same backup again: it goes on.")]


def _migrations() -> list[Finding]:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    names = [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
    remedy = "`make up` applies them, and in production `python manage.py migrate`."
    return tally(names).finding("migrations", "Migrations are not applied to the database.", remedy)
