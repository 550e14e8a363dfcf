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
    shard of a worker takes (its program starts, the model is loaded), and how long it is from the request to the first
    claim. The selection takes `select` seconds and `select_unit` more for each unit that is picked from."""

    unit: float
    spread: float
    start: float
    before: float
    select: float
    select_unit: float

    @classmethod
    def of(cls, cold: Pilot, warm: Pilot) -> "Paces":
        """From two pilots, one after the other by the same workers: in the first each worker had one shard, so that all
        of them are starts; in the second none is."""
        first, steady = cold.record.of(SCORE), warm.record.of(SCORE)
        each = [shard.seconds / shard.units for shard in steady]
        unit = statistics.fmean(each)
        spread = min(MOST_SPREAD, 3**0.5 * statistics.pstdev(each) / unit)  # of a uniform distribution
        start = statistics.fmean(shard.seconds - unit * shard.units for shard in first)
        base, slope = _line([(_units(pilot), _selecting(pilot)) for pilot in (cold, warm)])
        return cls(unit, spread, max(0.0, start), cold.record.first - cold.asked, base, slope)

    def plan(self, sizes: Sequence[int]) -> list[Planned]:
        """The shards of a job with so many units in each, and its selection."""
        scored = [Planned(units, units * self.unit) for units in sizes]
        return [*scored, Planned(0, self.select + self.select_unit * sum(sizes), SELECT)]


def sizes(units: int, each: int) -> list[int]:
    """How many units are in each shard of a job, as the platform cuts them."""
    return [min(each, units - at) for at in range(0, units, each)]


def _units(pilot: Pilot) -> int:
    return sum(shard.units for shard in pilot.record.of(SCORE))


def _selecting(pilot: Pilot) -> float:
    (shard,) = pilot.record.of(SELECT)
    return shard.seconds


def _line(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Where the line through these begins, and how steeply it rises; a level one where they fall."""
    slope, base = statistics.linear_regression(*zip(*points, strict=True))
    return (base, slope) if slope > 0 else (statistics.fmean(seconds for _, seconds in points), 0.0)
