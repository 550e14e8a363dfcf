"""How long shards take, as measured: those of the job itself, else those of the newest jobs of its kind."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from statistics import median

from core.list_parameters import listed
from jobs.models import Job, Shard

JOBS, SHARDS = 5, 400


class Paces:
    """The seconds per unit of these jobs' shards, and of their kinds."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        rows = list(jobs)
        self._own = _medians([job.pk for job in rows])
        self._kinds = {kind: _of_kind(kind) for kind in {job.kind for job in rows}}

    def seconds(self, job: Job, units: float) -> float | None:
        """Return the seconds that a shard of so many units will probably take; None if nobody knows."""
        pace = self._own.get(job.pk, self._kinds.get(job.kind))
        return None if pace is None else pace * max(1.0, units)

    def left(self, shard: Shard, now: datetime) -> float | None:
        """Return the seconds that a running shard will probably take yet; None if nobody knows."""
        if shard.started is None:
            return None
        held = max(0.0, (now - shard.started).total_seconds())
        if shard.units > 1 and 0 < shard.units_done <= shard.units:  # what it says of itself is the best
            return held * (shard.units - shard.units_done) / shard.units_done
        whole = self.seconds(shard.job, shard.units)
        return None if whole is None else max(0.0, whole - held)


def _of_kind(kind: str) -> float | None:
    """The pace of the newest jobs of a kind that succeeded."""
    rows = Job.objects.filter(kind=kind, state=Job.State.SUCCEEDED).order_by("-created")
    found = _medians(list(rows.values_list("pk", flat=True)[:JOBS]))
    return median(found.values()) if found else None


def _medians(jobs: list[int]) -> dict[int, float]:
    """Map those of the jobs that have a shard done to the median seconds per unit of their newest ones."""
    done = Shard.objects.filter(job__in=listed(jobs), state=Shard.State.DONE)
    found: dict[int, list[float]] = defaultdict(list)
    rows = done.order_by("-pk").values_list("job", "started", "finished", "units")[:SHARDS]
    for job, started, finished, units in rows:
        if started is not None and finished is not None:
            found[job].append(max(0.0, (finished - started).total_seconds()) / max(1, units))
    return {job: median(paces) for job, paces in found.items()}
