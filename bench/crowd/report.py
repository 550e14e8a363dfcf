"""The table, and what of the promises was kept."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg

from bench.crowd.tally import LABELLING, Tally

P95 = 0.250
COUNTED = """
SELECT task_id, count(*) FROM labeling_answer WHERE value IS NOT NULL AND NOT withdrawn AND NOT opinion GROUP BY task_id
"""
EVERY = "SELECT count(*) FROM labeling_answer"


@dataclass(frozen=True, slots=True)
class Saved:
    """Answers in the database beside those that were confirmed."""

    confirmed: int
    rows: int
    lost: int
    doubled: int

    @classmethod
    def of(cls, database: str, tally: Tally) -> "Saved":
        """Read after all answers were sent."""
        with psycopg.connect(database) as connection:
            counted: dict[int, int] = dict(connection.execute(COUNTED).fetchall())
            (rows,) = connection.execute(EVERY).fetchone() or (0,)
        lost = sum(task not in counted for task in tally.answered)
        doubled = sum(count > 1 for count in counted.values()) + sum(n > 1 for n in tally.answered.values())
        return cls(len(tally.answered), rows, lost, doubled)

    @property
    def exact(self) -> bool:
        """Every confirmed answer is there once, and no other row."""
        return self.rows == self.confirmed > 0 and not self.lost and not self.doubled


def show(tally: Tally, saved: Saved, seconds: float, cpu: Mapping[str, float]) -> bool:
    """Print all of it; whether every promise was kept."""
    everything = [time for times in tally.calls.values() for time in times]
    labelling = [time for kind in LABELLING for time in tally.calls[kind]]
    _table(tally, labelling, everything)
    print(
        f"\n  {len(everything) / seconds:.1f} calls and {saved.confirmed / seconds:.1f} answers saved per second; "
        f"{tally.mined} mining jobs were finished meanwhile, {tally.scored:,} samples scored"
    )
    lag = _figures(tally.lag)
    print(f"  the load generator itself was late by {lag[1]:.1f} ms (p95), {lag[2]:.1f} ms (p99)\n")
    for name, spent in cpu.items():
        print(f"  {'CPU of ' + name:<36}{spent / seconds:6.2f} cores")
    for (kind, words), count in tally.errors.most_common():
        print(f"\n  {count} x {kind}: {words}", end="")
    counted = f"{saved.confirmed:,} confirmed, {saved.rows:,} rows; {saved.lost} lost, {saved.doubled} doubled"
    promises = {
        f"p95 of all calls under {1000 * P95:.0f} ms": _kept_p95(everything),
        f"p95 of labelling calls under {1000 * P95:.0f} ms": _kept_p95(labelling),
        "no error": (not tally.errors, f"{tally.errors.total()} errors"),
        "each answered task counted exactly once": (saved.exact, counted),
        "mining all the while": (tally.mined > 0, f"{tally.mined} jobs"),
    }
    print()
    for promise, (kept, words) in promises.items():
        print(f"  {promise:<42}{'yes' if kept else 'NO':<5}{words}")
    return all(kept for kept, _ in promises.values())


def _table(tally: Tally, labelling: Sequence[float], everything: Sequence[float]) -> None:
    print(f"\n  {'ms':<22}{'count':>9}{'p50':>9}{'p95':>9}{'p99':>9}{'worst':>9}{'errors':>9}")
    for kind in sorted(tally.calls, key=lambda kind: (kind not in LABELLING, kind)):
        _row(kind, tally.calls[kind], tally.errors_of((kind,)))
    _row("all labelling calls", labelling, tally.errors_of(LABELLING))
    _row("all calls", everything, tally.errors_of(tuple(tally.calls)))


def _row(name: str, times: Sequence[float], errors: int) -> None:
    figures = "".join(f"{value:>9.1f}" for value in (*_figures(times), 1000 * max(times, default=0.0)))
    print(f"  {name:<22}{len(times):>9,}{figures}{errors:>9,}")


def _figures(times: Sequence[float]) -> tuple[float, float, float]:
    """(p50, p95, p99) in ms."""
    if len(times) < 2:
        return (0.0, 0.0, 0.0)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return 1000 * cuts[49], 1000 * cuts[94], 1000 * cuts[98]


def _kept_p95(times: Sequence[float]) -> tuple[bool, str]:
    p95 = _figures(times)[1]
    return 0 < p95 < 1000 * P95, f"{p95:.0f} ms"
