"""When a pipeline's rounds are due: a cron expression in UTC. Celery's beat wakes a worker, the pipeline's row
decides."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from json import dumps
from typing import Any

from celery.schedules import ParseException, crontab
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from core.errors import Invalid
from pipelines.models import Pipeline

TASK = "rounds.start_due"
"""Celery's rows store this name: do not change it."""
FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
RANGES = {"minute": (0, 59), "hour": (0, 23), "day_of_month": (1, 31), "month_of_year": (1, 12), "day_of_week": (0, 6)}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMES: Mapping[str, Mapping[str, int]] = {
    "month_of_year": {name: number for number, name in enumerate(_MONTHS, start=1)},
    "day_of_week": {name: number for number, name in enumerate(_WEEKDAYS)},
}
PART = re.compile(r"(?:\*|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>[0-9]{1,2}))?", re.ASCII)
"""One part of a field, between commas: *, a number or a range; * and a range may have steps."""
HORIZON = 8 * 366
"""Days: the longest gap between two dates of a calendar: 29 February, over a year such as 2100."""
MESSAGE_LIFETIME = 60


@dataclass(frozen=True, slots=True)
class Cron:
    """When a schedule is due, in UTC; days of the week count from Sunday, 0."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]

    def has(self, day: date) -> bool:
        """Whether it is due at any time of the day."""
        return day.month in self.months and day.day in self.days and day.isoweekday() % 7 in self.weekdays

    def after(self, moment: datetime) -> datetime | None:
        """Return the first time due after `moment`, None for never."""
        moment = moment.astimezone(UTC)
        times = [time(hour, minute, tzinfo=UTC) for hour in sorted(self.hours) for minute in sorted(self.minutes)]
        for ahead in range(HORIZON):
            day = moment.date() + timedelta(days=ahead)
            if self.has(day):
                found = next((at for at in times if datetime.combine(day, at) > moment), None)
                if found is not None:
                    return datetime.combine(day, found)
        return None


def check(cron: str) -> None:
    """Raise Invalid (`schedule`) for an expression that celery accepts but nobody can mean: celery ignores what follows
    the part that it can read, wraps around at the end of a range that goes backwards, and takes a name of a day for a
    minute."""
    for field, text in _fields(cron).items():
        for part in text.split(","):
            if fault := _fault(part, field):
                raise Invalid.field("schedule", f"{cron!r}: {fault}")
    parse(cron)


def parse(cron: str) -> Cron:
    """Parse five cron fields, as celery takes them. Raises Invalid (`schedule`) when they can't be read, are ambiguous,
    or name a day that never comes."""
    fields = _fields(cron)
    try:
        told: Any = crontab(**fields)
    except (ParseException, ValueError) as error:
        raise Invalid.field("schedule", f"{cron!r} is not a cron schedule: {error}") from error
    if "*" not in (fields["day_of_month"], fields["day_of_week"]):
        raise Invalid.field(
            "schedule", f"{cron!r} names both days of the month and of the week: programs disagree on what that means; "
            "leave one of them *",
        )  # fmt: skip
    made = (told.minute, told.hour, told.day_of_month, told.month_of_year, told.day_of_week)
    schedule = Cron(*map(frozenset, made))
    if schedule.after(datetime(2000, 1, 1, tzinfo=UTC)) is None:
        raise Invalid.field("schedule", f"{cron!r} never comes: there is no such day")
    return schedule


def next_run(cron: str, after: datetime) -> datetime:
    """Return the first time of the schedule after `after` (aware, any zone), in UTC."""
    found = parse(cron).after(after)
    assert found is not None  # noqa: S101 - `parse` refused a schedule that never comes
    return found


def words(cron: str) -> str:
    """Describe the schedule in English."""
    told: str = CrontabSchedule(**_fields(cron), timezone="UTC").human_readable
    return told


def keep_in_step(pipeline: Pipeline) -> None:
    """Update celery's row from the pipeline. Runs inside the transaction that changes the pipeline."""
    if not pipeline.schedule:
        forget(pipeline)
        return
    crontab_row, _ = CrontabSchedule.objects.get_or_create(**_fields(pipeline.schedule), timezone="UTC")
    values = {
        "task": TASK,
        "crontab": crontab_row,
        "args": dumps([pipeline.pk]),
        "enabled": pipeline.goes_on,
        "expire_seconds": MESSAGE_LIFETIME,
    }
    PeriodicTask.objects.update_or_create(name=_name(pipeline), defaults=values)


def forget(pipeline: Pipeline) -> None:
    """Delete celery's rows of the pipeline, one by one: a bulk deletion would not notify beat."""
    for row in PeriodicTask.objects.filter(name=_name(pipeline)):
        row.delete()


def _fault(part: str, field: str) -> str | None:
    """Return what is wrong with one part of a field, and what to write instead; None if nothing is."""
    low, high = RANGES[field]
    where = field.replace("_", " ")
    found = PART.fullmatch(part)
    if found is None or (found["first"] and found["step"] and not found["last"]):
        reason = f"the {where} has {part!r}, which is no *, number or range"
        return f"{reason}: write as {low}, {low}-{high} or */2, with commas between several"
    ends = [end for end in (found["first"], found["last"]) if end]
    numbers = [number for end in ends if (number := _number(end, field)) is not None and low <= number <= high]
    if len(numbers) < len(ends):
        sunday = "; Sunday is 0" if field == "day_of_week" else ""
        return f"the {where} has {part!r}, and goes from {low} to {high}{sunday}"
    if numbers[1:] and numbers[0] > numbers[1]:
        around = f"{found['first']}-{high},{low}-{found['last']}"
        return f"the {where} has {part!r}, which goes backwards: write {around} to go on from the beginning"
    if found["step"] and not 0 < int(found["step"]) <= high:
        return f"the {where} has {part!r}: steps go from 1 to {high}"
    return None


def _number(text: str, field: str) -> int | None:
    """Return the value of a number or a name; None: it is neither, or unknown in this field."""
    return int(text) if text.isdigit() else NAMES.get(field, {}).get(text.lower())


def _name(pipeline: Pipeline) -> str:
    return f"rounds of pipeline {pipeline.pk}"


def _fields(cron: str) -> dict[str, str]:
    parts = cron.split()
    if len(parts) != len(FIELDS):
        raise Invalid.field(
            "schedule", f"has {len(parts)} fields, not 5: minute, hour, day of month, month, day of week (UTC), "
            'as "0 2 * * *" for two at night',
        )  # fmt: skip
    return dict(zip(FIELDS, parts, strict=True))
