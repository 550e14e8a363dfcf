"""How well the labels that a target needs are foretold, on real learning curves: `python -m bench.forecast`.

The first table is of the public curves that the forecast's prior was not chosen on (the other half of the data sets was
used for that), the second of this platform's own trainings. Wanted: a ratio of at most 1.5 in 90 % of the trials.
"""

import argparse
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path

from acquisition.forecast import labels_to_reach
from acquisition.growth import STAGES, Growth
from bench.forecast import curves, ratios

FOLDER = Path("var/bench/forecast")
PUBLIC, QUICK_PUBLIC = 250, 40
"""Curves of the test half."""
WANTED = 0.9
AFTER = 5
"""Rounds of collecting."""


def four_curves(points: ratios.Points, target: float, stage: int) -> int | None:  # noqa: ARG001 - as the others
    """The median of four fits, as forecasts were until version 0.2."""
    reached = sorted(float("inf") if fit.labels is None else fit.labels for fit in labels_to_reach(points, target).fits)
    middle = (reached[1] + reached[2]) / 2
    return None if middle == float("inf") else int(middle)


def median(points: ratios.Points, target: float, stage: int) -> int | None:  # noqa: ARG001 - as the others
    """What half of the weight says."""
    return Growth(points).labels(target, 0.5)[0]


def staged(points: ratios.Points, target: float, stage: int) -> int | None:
    """The low end first, the high end last."""
    return Growth(points).labels(target, STAGES[stage])[0]


WAYS: tuple[tuple[str, ratios.Forecaster, int], ...] = (
    ("four curves, at once", four_curves, 1),
    (f"four curves, {AFTER} rounds", four_curves, AFTER),
    ("power laws, at once", median, 1),
    (f"power laws, {AFTER} rounds", median, AFTER),
    (f"power laws, {AFTER} stages", staged, AFTER),
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few public curves; of the platform the probe's alone")
    quick = parser.parse_args().quick
    warnings.filterwarnings("ignore", category=RuntimeWarning)  # of fits that run into their bounds
    print("public curves (LCDB), data sets that the prior was not chosen on", flush=True)
    held_out = [curve for curve in curves.public(FOLDER) if not chosen_on(curve)]
    _table(held_out[: QUICK_PUBLIC if quick else PUBLIC])
    print("\nthis platform's own trainings", flush=True)
    _table(list(curves.own(FOLDER, quick=quick)))


def chosen_on(curve: curves.RealCurve) -> bool:
    """Whether the prior was chosen on its data set: the half with an even CRC-32 of its name."""
    return zlib.crc32(curve.name.split(",")[0].encode()) % 2 == 0


def _table(found: Sequence[curves.RealCurve]) -> None:
    trials = [trial for curve in found for trial in ratios.trials(curve)]
    print(f"{len(found)} curves, {len(trials)} trials")
    print(f"{'forecast':<26}{'25 %':>7}{'median':>8}{'75 %':>7}{'<= 1.5':>9}{'reached':>9}{'both':>7}")
    for name, way, rounds in WAYS:
        row = ratios.summed([ratios.ratio(trial, way, rounds=rounds) for trial in trials])
        low, middle, high = row.quartiles
        verdict = "" if row.within >= WANTED else f"  below the {WANTED:.0%} wanted"
        print(f"{name:<26}{low:>7.2f}{middle:>8.2f}{high:>7.2f}{row.within:>9.1%}{row.enough:>9.1%}{row.both:>7.1%}{verdict}",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
