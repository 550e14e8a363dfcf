"""Celery's beat, for machines whose clock is set back: it would wait until the old time has come again."""

from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry


class Scheduler(DatabaseScheduler):  # type: ignore[misc]  # it ships no types
    """What ran in the future has run just now. The order of what comes next was worked out by the old clock, so it is
    worked out again."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Start what is due. Returns for how many seconds nothing is."""
        if early := [entry for entry in self.schedule.values() if _ran_in_the_future(entry)]:
            for entry in early:
                entry.last_run_at = entry.model.last_run_at = entry._default_now()  # noqa: SLF001 - the library's clock
            self._heap = None
        seconds: float = super().tick(*args, **kwargs)
        return seconds


def _ran_in_the_future(entry: ModelEntry) -> bool:
    return bool(entry.last_run_at > entry._default_now())  # noqa: SLF001 - as above
