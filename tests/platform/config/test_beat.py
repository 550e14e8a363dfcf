"""Beat goes on when the clock is set back."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import pytest
from celery.schedules import schedule
from django_celery_beat.models import PeriodicTask
from tests.broker import Broker
from tests.workers import wait_until

from config.beat import Scheduler
from config.celery import app

BACK = timedelta(hours=2)
pytestmark = pytest.mark.both


@pytest.fixture
def beat(transactional_db: None, broker: Broker) -> Iterator[Scheduler]:
    often = {"task": "jobs.sweep", "schedule": schedule(0.05), "options": {"expires": 10}}
    ours, app.conf.beat_schedule = app.conf.beat_schedule, {"sweep": often, "also": often}
    yield Scheduler(app=app)
    app.conf.beat_schedule = ours


def runs(beat: Scheduler) -> set[int]:
    beat.sync()
    return {*PeriodicTask.objects.filter(name__in=["sweep", "also"]).values_list("total_run_count", flat=True)}


def go_on(beat: Scheduler, *, to: int) -> None:
    """Until both have run so often."""

    def both() -> bool:
        beat.tick()
        return min(runs(beat)) >= to

    wait_until(both)


def test_a_clock_that_is_set_back_stops_nothing(beat: Scheduler) -> None:
    go_on(beat, to=2)
    before = max(runs(beat))
    # What beat remembers when the clock goes back: all of it lies ahead now.
    for entry in beat.schedule.values():
        entry.last_run_at += BACK
    heap: Any = beat._heap
    beat._heap = cast(Any, [event._replace(time=event.time + BACK.total_seconds()) for event in heap])
    go_on(beat, to=before + 3)


def test_a_beat_that_starts_after_the_clock_was_set_back_goes_on(beat: Scheduler) -> None:
    go_on(beat, to=1)
    for row in PeriodicTask.objects.filter(name__in=["sweep", "also"]):
        row.last_run_at += BACK
        row.save()
    go_on(Scheduler(app=app), to=max(runs(beat)) + 2)
