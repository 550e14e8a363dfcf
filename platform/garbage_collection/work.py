"""The interface between a step of a collection and its job."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Protocol

from django.db.models.functions import Now

from jobs.context import ShardContext
from jobs.models import Shard


class Work(Protocol):
    """Receives the progress of each step. `check` raises if the job should stop, `count` is called inside the
    transaction of what it counts, `done` outside, with the number of further rows looked at."""

    def check(self) -> None: ...
    def done(self, rows: int) -> None: ...
    def count(self, **amounts: int) -> None: ...


class JobWork:
    """The work of a job's only shard. The counts are kept in the shard's own row, in the same transaction as what they
    count: a run after a kill reports all that the job has done, and nothing twice."""

    def __init__(self, context: ShardContext, *, total: int = 0) -> None:
        self._context = context
        self._shard = context.claim.shard.pk
        self._total = total
        self._done = 0

    def check(self) -> None:
        """Raises JobCancelled or LeaseLost."""
        self._context.check()

    def done(self, rows: int) -> None:
        self._done += rows
        self._context.progress(self._done, max(self._done, self._total))

    def count(self, **amounts: int) -> None:
        shard = Shard.objects.select_for_update(no_key=True).get(pk=self._shard)
        counted = shard.params.get("counted", {})
        for name, amount in amounts.items():
            counted[name] = counted.get(name, 0) + amount
        Shard.objects.filter(pk=self._shard).update(params=shard.params | {"counted": counted})

    def note(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the result of the first call of `make` under this name, in this run or an earlier one; JSON. Call it
        in a transaction."""
        shard = Shard.objects.select_for_update(no_key=True).get(pk=self._shard)
        if name not in shard.params:
            shard.params[name] = make()
            Shard.objects.filter(pk=self._shard).update(params=shard.params)
        return shard.params[name]

    def counted(self) -> dict[str, int]:
        """Return all counts so far, by name."""
        counted: dict[str, int] = Shard.objects.get(pk=self._shard).params.get("counted", {})
        return counted


def hours(count: float) -> timedelta:
    """Return a grace period of `count` hours."""
    return timedelta(hours=count)


def before(grace: timedelta) -> Any:
    """Return the time, by the database's clock, that is `grace` ago."""
    return Now() - grace
