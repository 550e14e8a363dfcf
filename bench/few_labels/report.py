"""The tables of `make bench-labels`."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from backtest import Curve
from backtest.statistics import censored_median, first_reached

FAIR, DEFAULT = "random", "auto"
CONFIDENCE = 0.95
SHOWN = 6
MOST_LOST = 0.1
"""Share of random's accuracy that may be lost in a run."""

Curves = Mapping[tuple[str, bool, int], Curve]


def show_budgets(name: str, strategies: Sequence[str], curves: Curves) -> None:
    """Print accuracies by budget with the labels that each arm needs for what random ends with, and whether the default
    is behind the best arm by more than the 95 % interval of the paired difference."""
    seeds = sorted({seed for _, _, seed in curves})
    labels = next(iter(curves.values())).labels
    at = np.unique(np.geomspace(1, len(labels), SHOWN).round().astype(int) - 1)
    print(f"\n{name}, {len(seeds)} paired seeds: accuracy in %, labels for what {FAIR} ends with (median share)")
    print(f"  {'':26}" + "".join(f"{labels[place]:>7}" for place in at) + f"{'over the curve':>18}{'labels':>20}")
    for semi in (False, True):
        for arm in strategies:
            mine = _accuracy(curves, arm, seeds, semi=semi)
            gain, half = _paired(mine.mean(axis=1), _accuracy(curves, FAIR, seeds, semi=False).mean(axis=1))
            shown = f"{arm}{', pseudo-labels' if semi else ''}"
            points = "".join(f"{100 * value:>7.1f}" for value in mine.mean(axis=0)[at])
            over = f"{100 * gain:+.1f} ± {100 * half:.1f}"
            print(f"  {shown:26}{points}{over:>18}{_share(curves, arm, seeds, semi=semi):>20}")
    _show_behind(strategies, curves, seeds, labels)


def show_lost(pairs: Mapping[str, Sequence[tuple[Curve, Curve]]]) -> None:
    """Print, of the sets made to lose, what the default loses to random: as a share of random's accuracy, at the end
    and over the curve."""
    if not pairs:
        return
    print(f"\nMade to lose: accuracy of {DEFAULT} below {FAIR}, as a share of {FAIR}'s")
    within, runs = 0, 0
    for name, some in pairs.items():
        ends = np.array([1 - mined.accuracy[-1] / fair.accuracy[-1] for fair, mined in some])
        means = np.array([1 - np.mean(mined.accuracy) / np.mean(fair.accuracy) for fair, mined in some])
        within, runs = within + int((ends <= MOST_LOST).sum()), runs + len(ends)
        print(
            f"  {name:14} {len(some)} runs: at the end {ends.mean():+.1%}, worst {ends.max():+.1%}, "
            f"over the curve {means.mean():+.1%}, worst {means.max():+.1%}"
        )
    print(f"  at most {MOST_LOST:.0%} lost at the end in {within} of {runs} runs ({within / max(1, runs):.1%})")


def _accuracy(curves: Curves, arm: str, seeds: Sequence[int], *, semi: bool) -> NDArray[np.float64]:
    return np.array([curves[arm, semi, seed].accuracy for seed in seeds])


def _paired(left: NDArray[np.float64], right: NDArray[np.float64]) -> tuple[float, float]:
    """The mean of the differences, and half of its interval (Student)."""
    gaps = left - right
    if len(gaps) < 2:
        return float(gaps.mean()), float("nan")
    half = stdtrit(len(gaps) - 1, (1 + CONFIDENCE) / 2) * gaps.std(ddof=1) / np.sqrt(len(gaps))
    return float(gaps.mean()), float(half)


def _share(curves: Curves, arm: str, seeds: Sequence[int], *, semi: bool) -> str:
    shares = []
    for seed in seeds:
        fair, mine = curves[FAIR, False, seed], curves[arm, semi, seed]
        needed = first_reached(mine.labels, mine.accuracy, fair.accuracy[-1])
        shares.append(None if needed is None else needed / fair.labels[-1])
    middle = censored_median(shares)
    low, high = ("-" if value is None else f"{value:.0%}" for value in (middle.low, middle.high))
    return f"{'more than all' if middle.median is None else f'{middle.median:.0%}'} ({low} .. {high})"


def _show_behind(strategies: Sequence[str], curves: Curves, seeds: Sequence[int], labels: Sequence[int]) -> None:
    """Say at which budgets another strategy with the same learner is surely ahead of the default."""
    behind = []
    for semi in (False, True):
        mine = _accuracy(curves, DEFAULT, seeds, semi=semi)
        for arm in (one for one in strategies if one != DEFAULT):
            other = _accuracy(curves, arm, seeds, semi=semi)
            for place, budget in enumerate(labels):
                gap, half = _paired(other[:, place], mine[:, place])
                if gap > half:
                    shown = f"{arm}{', pseudo-labels' if semi else ''}"
                    behind.append(f"{shown} at {budget} by {100 * gap:.1f} ± {100 * half:.1f}")
    print(f"  ahead of {DEFAULT} by more than the interval: " + ("; ".join(behind) or "none"))
