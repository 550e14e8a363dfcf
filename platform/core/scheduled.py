"""When each scheduled task last ran, and when beat was last heard: so that a platform on which they stopped says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import DurationField, ExpressionWrapper, F
from django.db.models.functions import Coalesce, Now

from core.models import ScheduledTask

BEAT = "beat"
BACKUP = "backup"
"""What runs under these names is no task of the schedule: beat itself, and backups that somebody makes."""
BEAT_SILENT_SECONDS = 30.0
SPARE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class LastRun:
    """Seconds since a task last ended well (since it is known, if it never did), and how often it is due."""

    name: str
    age: float
    interval: float
    ended: bool

    @property
    def is_late(self) -> bool:
        """Whether it should have run by now: half an interval late, and a minute at least."""
        return self.age > self.interval + max(SPARE_SECONDS, self.interval / 2)


def announce(intervals: Mapping[str, float]) -> None:
    """Make the schedule known: every task of it has a row from now on, one that is no longer in it has none."""
    rows = [ScheduledTask(name=name, interval=seconds) for name, seconds in intervals.items()]
    ScheduledTask.objects.bulk_create(rows, update_conflicts=True, unique_fields=["name"], update_fields=["interval"])
    ScheduledTask.objects.exclude(name__in=[*intervals, BEAT, BACKUP]).delete()


def note(name: str, *, well: bool = True) -> None:
    """Note that a task ended just now, well or not."""
    column = "ended" if well else "failed"
    facts: dict[str, Any] = {column: Now()}
    if not ScheduledTask.objects.filter(name=name).update(**facts):
        row = ScheduledTask(name=name, **facts)
        ScheduledTask.objects.bulk_create([row], update_conflicts=True, unique_fields=["name"], update_fields=[column])


def last_runs() -> dict[str, LastRun]:
    """The last runs of all tasks, of beat and of backups, by name and by the database's clock, in one query."""
    age = ExpressionWrapper(Now() - Coalesce(F("ended"), F("since")), output_field=DurationField())
    rows = ScheduledTask.objects.annotate(age=age).order_by("name").values_list("name", "age", "interval", "ended")
    return {
        name: LastRun(name, max(age, timedelta()).total_seconds(), interval, ended is not None)
        for name, age, interval, ended in rows
    }


def beat_fault(runs: Mapping[str, LastRun]) -> str:
    """What is wrong with beat, in words; empty if nothing is."""
    beat = runs.get(BEAT)
    if beat is None:
        return "beat has never run: scheduled tasks don't start"
    if beat.age > BEAT_SILENT_SECONDS:
        return f"beat was last heard {beat.age:.0f} s ago: scheduled tasks don't start"
    return ""


def late_tasks(runs: Mapping[str, LastRun]) -> list[str]:
    """The scheduled tasks that should have run by now, in words."""
    return [
        f"{one.name} last ran {one.age:.0f} s ago, due every {one.interval:.0f} s" if one.ended
        else f"{one.name} has not run for {one.age:.0f} s, due every {one.interval:.0f} s"
        for one in runs.values()
        if one.interval and one.is_late
    ]  # fmt: skip
