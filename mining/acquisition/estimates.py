"""Estimates for the whole pool from the answers of a batch: the model's accuracy without bias, and the strategy's lift.

The picks of a batch are not a fair sample: a strategy seeks what the model gets wrong. The design of a batch
(`acquisition.compose`) still makes unbiased estimates possible. From N candidates c are drawn at random, each with
probability c / N: the control arm. The strategy then picks from the rest by rule: given the draw, with probability 1.

Weighting each answer by 1 / probability as stored (Horvitz and Thompson 1952) and adding both arms up would count the
strategy's picks twice, since the control arm stands for *all* candidates, those the strategy takes included. What is
unbiased:

- The control arm alone, for any strategy: the sum over it of N / c times the outcome.
- Both arms, for a strategy that takes the highest scores. Given its picks, a control pick with a score above the lowest
  of them was certain to be in the batch: had it not been drawn, it would have been picked. The others of the control
  arm are a simple random sample, f of the F candidates below the cut. So each certain sample has probability 1 and each
  other f / F, and Horvitz-Thompson with these is unbiased, by that draw alone. The weights sum to N, so that the ratio
  of Hajek (1971) is the same number. It is the more precise the larger the certain part of the pool.

The weights of LURE (Farquhar, Gal and Rainforth 2021) do not fit this design: they ask that every candidate left has a
chance at each step, and the picks of the strategy leave none to the others.

Samples without an answer (skipped, not judged) are taken as missing by chance within their part.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

Truths = NDArray[np.bool_]
Counts = tuple[int, int, int, int]
"""Wrong answers and all answers of one arm, then of the other."""
ROUNDING = 1e-12
ENOUGH = 30
"""The fewest answers drawn at random from which a share is named as one number: the interval of 30 is at most 38 points
wide, that of 2 up to 98."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A pick and its answer: `correct` is whether the model was right (None: no answer), `fair` whether it was picked
    at random (control arm, or a uniform strategy); `score` and `place` are those the strategy ranked it by, of equal
    scores the lower place first. A fair pick has the score that it would have been ranked by."""

    correct: bool | None
    fair: bool
    place: Any = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The estimated accuracy over all candidates, with an interval. `answers` is the number of answers used; `certain`
    says whether the strategy's picks are among them.

    `drawn` is the number of answers that were drawn at random and stand for others; `needed` is how many more of them a
    figure takes that deserves to be named: while it is above 0, `value` is None and the interval alone is told."""

    value: float | None
    low: float
    high: float
    confidence: float
    answers: int
    certain: bool
    drawn: int
    needed: int


@dataclass(frozen=True, slots=True)
class Lift:
    """How much more often the model was wrong on the strategy's picks than on the control arm's: the ratio of the error
    rates, with an interval. `value` and `high` are None where they are unbounded: no error in the control arm."""

    value: float | None
    low: float
    high: float | None
    confidence: float


def accuracy(
    picks: Sequence[Answered], *, candidates: int, ranked: bool = False, confidence: float = 0.95
) -> Accuracy | None:
    """Estimate the model's accuracy over all `candidates` that the batch was picked from; None without a fair answer.

    `ranked` says that the strategy took the highest scores, that no rule displaced any, and that fair picks have
    theirs; then all answers count. The interval is that of Clopper and Pearson (1934) for the fair part, conservative.
    Raises ValueError for numbers out of range, and for a ranked pick without a score.
    """
    _between_0_and_1("confidence", confidence)
    if candidates < len(picks):
        raise ValueError(f"candidates: {len(picks)} picks can't come from {candidates}")
    certain = _certain(picks) if ranked else np.zeros(len(picks), dtype=bool)
    sure = [pick.correct for pick, is_certain in zip(picks, certain, strict=True) if is_certain]
    drawn = [pick.correct for pick, is_certain in zip(picks, certain, strict=True) if pick.fair and not is_certain]
    rest = candidates - len(sure)
    told, fair = _answers(sure), _answers(drawn)
    if (sure and not len(told)) or (rest and not len(fair)):
        return None
    known = len(sure) * float(told.mean()) if sure else 0.0
    share, low, high = (float(fair.mean()), *_binomial(fair, confidence)) if rest else (0.0, 0.0, 0.0)
    needed = max(0, min(ENOUGH, rest) - len(fair))
    return Accuracy(
        value=None if needed else (known + rest * share) / candidates,
        low=(known + rest * low) / candidates,
        high=(known + rest * high) / candidates,
        confidence=confidence,
        answers=len(told) + len(fair),
        certain=bool(sure),
        drawn=len(fair),
        needed=needed,
    )


def lift(*, mined_wrong: int, mined: int, control_wrong: int, control: int, confidence: float = 0.95) -> Lift | None:
    """Estimate the lift of `mined_wrong` errors in `mined` answers over `control_wrong` in `control`; None where an arm
    has no answer. The interval inverts the score test of a ratio of two binomial shares (Koopman 1984), which is valid
    for few and for no errors too. Raises ValueError for numbers out of range.
    """
    _between_0_and_1("confidence", confidence)
    if not (0 <= mined_wrong <= mined and 0 <= control_wrong <= control):
        raise ValueError("wrong answers: must lie between 0 and the answers of their arm")
    if not mined or not control:
        return None
    counts = (mined_wrong, mined, control_wrong, control)
    bound = float(ndtri((1 + confidence) / 2)) ** 2
    value = (mined_wrong / mined) / (control_wrong / control) if control_wrong else None
    return Lift(value, _lowest(counts, bound), _highest(counts, bound), confidence)


def _certain(picks: Sequence[Answered]) -> Truths:
    """Return whether each pick (n,) would be in the batch had it not been drawn: the strategy's own, and fair ones
    above these."""
    for pick in picks:
        if pick.score is None or pick.place is None:
            raise ValueError(f"score: the ranked pick {pick.place!r} needs its place, and the score that ranks it")
    order = sorted(range(len(picks)), key=lambda at: picks[at].place)
    order.sort(key=lambda at: -(picks[at].score or 0.0))
    own = [place for place, at in enumerate(order) if not picks[at].fair]
    found = np.zeros(len(picks), dtype=bool)
    found[order[: own[-1] + 1 if own else 0]] = True
    return found


def _answers(given: Sequence[bool | None]) -> Truths:
    return np.array([answer for answer in given if answer is not None], dtype=bool)


def _binomial(answers: Truths, confidence: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson for the share of true answers."""
    total, right = len(answers), int(answers.sum())
    tail = (1 - confidence) / 2
    low = float(betaincinv(right, total - right + 1, tail)) if right else 0.0
    high = float(betaincinv(right + 1, total - right, 1 - tail)) if right < total else 1.0
    return low, high


def _lowest(counts: Counts, bound: float) -> float:
    """Return the smallest ratio whose score statistic is within the bound; the statistic falls from infinity to the
    observed ratio."""
    wrong, of, others_wrong, others = counts
    if not wrong:
        return 0.0
    above = (wrong / of) / (others_wrong / others) if others_wrong else 1.0
    while _statistic(counts, above) >= bound:
        above *= 2
    below = above / 2
    while _statistic(counts, below) < bound:
        below /= 2
    from scipy.optimize import brentq  # imported late: half a second and 20 MB that the web saves

    return float(brentq(lambda ratio: _statistic(counts, ratio) - bound, below, above))


def _highest(counts: Counts, bound: float) -> float | None:
    wrong, of, others_wrong, others = counts
    return 1 / _lowest((others_wrong, others, wrong, of), bound) if others_wrong else None


def _statistic(counts: Counts, ratio: float) -> float:
    """Return the squared score statistic of p1 = ratio x p0, with p0 at its maximum likelihood (Miettinen and Nurminen
    1985)."""
    wrong, of, others_wrong, others = counts
    square, linear = (of + others) * ratio, of * ratio + wrong + others + others_wrong * ratio
    root = math.sqrt(max(linear**2 - 4 * square * (wrong + others_wrong), 0.0))
    p0 = (linear - root) / (2 * square)
    p1 = min(p0 * ratio, 1.0)
    gap = wrong / of - ratio * others_wrong / others
    variance = p1 * (1 - p1) / of + ratio**2 * p0 * (1 - p0) / others
    if abs(gap) < ROUNDING:
        return 0.0
    return gap**2 / variance if variance > 0 else math.inf


def _between_0_and_1(name: str, number: float) -> None:
    if not 0 < number < 1:
        raise ValueError(f"{name}: must lie between 0 and 1, got {number}")
