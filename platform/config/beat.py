"""Celery's beat for machines whose clock is set back: without this it would wait until the old time is reached
again."""

from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry


class Scheduler(DatabaseScheduler):  # type: ignore[misc]  # it ships no types
    """Treats tasks that last ran in the future as run just now. The order of the next tasks was computed by the old
    clock, so it is computed again."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Start the tasks that are due. Returns the seconds until the next one."""
        if early := [entry for entry in self.schedule.values() if _ran_in_the_future(entry)]:
            for entry in early:
                entry.last_run_at = entry.model.last_run_at = entry._default_now()  # noqa: SLF001 - the library's clock
            self._heap = None
        seconds: float = super().tick(*args, **kwargs)
        return seconds


def _ran_in_the_future(entry: ModelEntry) -> bool:
    return bool(entry.last_run_at > entry._default_now())  # noqa: SLF001 - as above
