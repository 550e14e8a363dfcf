"""Celery's beat: it says that it lives, and goes on when the machine's clock is set back (without this it would wait
until the old time is reached again)."""

import logging
import time
from collections.abc import Callable
from typing import Any, cast

from celery.schedules import maybe_schedule
from django.db import DatabaseError
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from core import alive, scheduled

logger = logging.getLogger(__name__)
SAID_SECONDS = 5.0


class Scheduler(DatabaseScheduler):  # type: ignore[misc]  # it ships no types
    """Treats tasks that last ran in the future as run just now. The order of the next tasks was computed by the old
    clock, so it is computed again."""

    said = -SAID_SECONDS

    def setup_schedule(self) -> None:
        """Write the schedule's rows, those that say when each task last ran too."""
        super().setup_schedule()
        entries = self.app.conf.beat_schedule.values()
        intervals = {
            one["task"]: cast(Any, maybe_schedule(one["schedule"])).run_every.total_seconds() for one in entries
        }
        self._try(lambda: scheduled.announce(intervals))

    def _try(self, write: Callable[[], None]) -> None:
        """A database that does not answer costs a beat its word, never its life."""
        try:
            write()
        except DatabaseError:
            logger.warning("beat could not write that it lives", exc_info=True)

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Start the tasks that are due. Returns the seconds until the next one."""
        alive.touch(scheduled.BEAT)
        if time.monotonic() - self.said >= SAID_SECONDS:
            self._try(lambda: scheduled.note(scheduled.BEAT))
            self.said = time.monotonic()
        if early := [entry for entry in self.schedule.values() if _ran_in_the_future(entry)]:
            for entry in early:
                entry.last_run_at = entry.model.last_run_at = entry._default_now()  # noqa: SLF001 - the library's clock
            self._heap = None
        seconds: float = super().tick(*args, **kwargs)
        return seconds


def _ran_in_the_future(entry: ModelEntry) -> bool:
    return bool(entry.last_run_at > entry._default_now())  # noqa: SLF001 - as above
