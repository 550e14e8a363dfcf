"""When a pipeline's rounds are due: cron in UTC, woken by celery's beat, decided by the pipeline's row."""

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
"""Celery's rows name it: it stays as it is."""
FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
RANGES = {"minute": (0, 59), "hour": (0, 23), "day_of_month": (1, 31), "month_of_year": (1, 12), "day_of_week": (0, 6)}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
NAMES: Mapping[str, Mapping[str, int]] = {
    "month_of_year": {name: number for number, name in enumerate(_MONTHS, start=1)},
    "day_of_week": {name: number for number, name in enumerate(_WEEKDAYS)},
}
PART = re.compile(r"(?:\*|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>[0-9]{1,2}))?", re.ASCII)
"""What stands between the commas of a field: *, a number, a range, and the steps of the first or last of these."""
HORIZON = 8 * 366
"""Days: the longest that two dates of a calendar lie apart: 29 February, over a year such as 2100."""
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
        """Is it due at any time of the day?"""
        return day.month in self.months and day.day in self.days and day.isoweekday() % 7 in self.weekdays

    def after(self, moment: datetime) -> datetime | None:
        """The first time after it, None for never."""
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
    """Raise Invalid (`schedule`) for a schedule that nobody can mean: celery passes over what follows the part that it
    can read, begins anew behind the end of a range that goes backwards, and takes a name of a day for a minute."""
    for field, text in _fields(cron).items():
        for part in text.split(","):
            if fault := _fault(part, field):
                raise Invalid.field("schedule", f"{cron!r}: {fault}")
    parse(cron)


def parse(cron: str) -> Cron:
    """Five cron fields, as celery takes them. Raises Invalid (`schedule`) when they can't be read, mean two things,
    or never come."""
    fields = _fields(cron)
    try:
        told: Any = crontab(**fields)
    except (ParseException, ValueError) as error:
        raise Invalid.field("schedule", f"{cron!r} is no cron schedule: {error}") from error
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
    """The first time of the schedule after `after` (aware, any zone), in UTC."""
    found = parse(cron).after(after)
    assert found is not None  # noqa: S101 - `parse` refused a schedule that never comes
    return found


def words(cron: str) -> str:
    """The schedule in English."""
    told: str = CrontabSchedule(**_fields(cron), timezone="UTC").human_readable
    return told


def keep_in_step(pipeline: Pipeline) -> None:
    """Make celery's row say what the pipeline says. Runs inside the transaction that changes the pipeline."""
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
    """Take celery's row away, one by one: a deletion in bulk would not tell beat."""
    for row in PeriodicTask.objects.filter(name=_name(pipeline)):
        row.delete()


def _fault(part: str, field: str) -> str | None:
    """What is wrong with one part of a field, and what to write; None: nothing."""
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
    """What a number or a name stands for; None: neither is known in this field."""
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
