"""What a short job says of a long one: the paces that a rehearsal is given. Arithmetic alone."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.rehearsal.records import SCORE, SELECT, Planned, Record

MOST_SPREAD = 0.9


@dataclass(frozen=True, slots=True)
class Pilot:
    """A short job: when it was asked for (seconds of the epoch, by this machine's clock), and its rows."""

    asked: float
    record: Record


@dataclass(frozen=True, slots=True)
class Paces:
    """Seconds that one unit of a shard takes, how far single shards lie from that (a share), how much longer the first
    two shards of a worker take (its program starts, loads the model, and has not all at hand yet in the second), and
    how long it is from the request to the first claim. The selection takes `select` seconds, however many units are
    picked from: what it takes more of a large pool is less than what two short pilots differ by."""

    unit: float
    spread: float
    start: float
    before: float
    select: float

    @classmethod
    def of(cls, cold: Pilot, warm: Pilot) -> "Paces":
        """From two pilots, one after the other by the same workers: in the first each worker had one shard, so that all
        of them are starts; in the second each had several."""
        first, second = cold.record.of(SCORE), warm.record.begun()
        each = [shard.seconds / shard.units for shard in warm.record.of(SCORE) if shard not in second]
        unit = statistics.fmean(each)
        spread = min(MOST_SPREAD, 3**0.5 * statistics.pstdev(each) / unit)  # of a uniform distribution
        start = sum(statistics.fmean(one.seconds - unit * one.units for one in part) for part in (first, second))
        select = statistics.fmean(shard.seconds for pilot in (cold, warm) for shard in pilot.record.of(SELECT))
        return cls(unit, spread, max(0.0, start), cold.record.first - cold.asked, select)

    def plan(self, sizes: Sequence[int]) -> list[Planned]:
        """The shards of a job with so many units in each, and its selection."""
        scored = [Planned(units, units * self.unit) for units in sizes]
        return [*scored, Planned(0, self.select, SELECT)]


def sizes(units: int, each: int) -> list[int]:
    """How many units are in each shard of a job, as the platform cuts them."""
    return [min(each, units - at) for at in range(0, units, each)]
