"""When a pipeline has labelled enough. Each rule answers the Stop that ends it, in words and numbers, or None: go on.

>>> target_met(993, 1000, value=.98, confidence=.95).reason
'accuracy is at least 0.987 with 95 % confidence (993 of 1000 right); the target is 0.98'
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import betaincinv

from acquisition.forecast import FEWEST_POINTS, Points, gain
from worker_programs.wording import plural


@dataclass(frozen=True, slots=True)
class Stop:
    """The `rule` that fired (`target`, `value` or `stable`), the reason in words, and the numbers it compared."""

    rule: str
    reason: str
    numbers: dict[str, float] = field(default_factory=dict)


def target_met(correct: int, total: int, *, value: float, confidence: float, metric: str = "accuracy") -> Stop | None:
    """Stop when the accuracy is `value` or more with this one-sided confidence; `metric` is its name in the reason.

    `correct` of `total` are of an evaluation set that was drawn fairly; the bound is exact (Clopper and Pearson 1934).
    Raises ValueError for numbers out of range.
    """
    if not 0 <= correct <= total:
        raise ValueError(f"correct: must lie between 0 and total, got {correct} of {total}")
    _between_0_and_1("value", value)
    _between_0_and_1("confidence", confidence)
    bound = float(betaincinv(correct, total - correct + 1, 1 - confidence)) if correct else 0.0
    if bound < value:
        return None
    reason = (
        f"{metric} is at least {bound:.3f} with {100 * confidence:g} % confidence "
        f"({correct} of {total} right); the target is {value:g}"
    )
    numbers = {"bound": bound, "value": value, "confidence": confidence, "correct": correct, "total": total}
    return Stop("target", reason, numbers)


def not_worth_it(points: Points, *, count: int, per_point: float, cost_per_label: float) -> Stop | None:
    """Stop when the expected gain of the next `count` labels is worth less than they cost.

    `points` are (labels, score in 0..1); `per_point` is the worth of one percentage point of the score, in the money of
    `cost_per_label`. The gain is that of `forecast.gain`. None while there are too few points for a curve. Raises
    ValueError for numbers out of range, ForecastError.
    """
    if count < 1 or per_point < 0 or cost_per_label < 0:
        raise ValueError("count must be at least 1, per_point and cost_per_label at least 0")
    if len({labels for labels, _ in points}) < FEWEST_POINTS:
        return None
    expected = 100 * gain(points, count)
    worth, cost = expected * per_point, count * cost_per_label
    if worth >= cost:
        return None
    reason = (
        f"the next {plural(count, 'label')} would gain about {expected:.3f} percentage points, worth {worth:.2f}, "
        f"and cost {cost:.2f}"
    )
    return Stop("value", reason, {"gain": expected, "worth": worth, "cost": cost, "count": count})


def stable(kappas: Sequence[float], *, kappa: float, rounds: int) -> Stop | None:
    """Stop when successive models agreed by `kappa` or more in each of the last `rounds` (Bloodgood and
    Vijay-Shanker 2009). `kappas` are those of all rounds, the newest last. Raises ValueError for rounds below 1.
    """
    if rounds < 1:
        raise ValueError(f"rounds: must be at least 1, got {rounds}")
    last = kappas[-rounds:]
    if len(last) < rounds or min(last) < kappa:
        return None
    reason = f"predictions are stable: kappa was at least {min(last):.4f} for {rounds} rounds; the bound is {kappa:g}"
    return Stop("stable", reason, {"lowest": min(last), "kappa": kappa, "rounds": rounds})


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> float:
    """Return the agreement of two sequences of classes beyond chance (Cohen 1960): 1 where they are equal, 0 for chance
    agreement.

    Raises ValueError for sequences of different lengths and for empty ones.
    """
    if len(a) != len(b) or not len(a):
        raise ValueError(f"both must name the same samples, at least one: got {len(a)} and {len(b)}")
    codes = {name: code for code, name in enumerate(dict.fromkeys([*a, *b]))}
    left, right = np.array([codes[name] for name in a]), np.array([codes[name] for name in b])
    observed = float(np.mean(left == right))
    shares = np.bincount(left, minlength=len(codes)) / len(a), np.bincount(right, minlength=len(codes)) / len(b)
    chance = float(shares[0] @ shares[1])
    return 1.0 if observed == 1.0 else (observed - chance) / (1 - chance)


def _between_0_and_1(name: str, number: float) -> None:
    if not 0 < number < 1:
        raise ValueError(f"{name}: must lie between 0 and 1, got {number}")
