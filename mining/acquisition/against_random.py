"""Whether a strategy finds fewer of the model's mistakes than chance: a test that may be looked at after every round.

In each round the model was wrong on some of the mined picks and on some of those drawn at random. Where it is wrong at
least as often on mined picks, and the answers are independent within each arm, the number of wrong random picks among
all wrong ones is stochastically at most hypergeometric (Fisher's exact test). So the ratio of the likelihood under
odds that are `ODDS` times higher on random picks to that under equal odds has a mean of at most 1, whatever the shares
are and however they change from round to round: it is an e-value (Grünwald, de Heide & Koolen, Safe Testing, 2024;
Turner & Grünwald, Exact anytime-valid confidence intervals for contingency tables, 2023). Products over rounds, and
their mean over several odds, are a supermartingale; by Ville's inequality (1939) it ever reaches 1 / alpha with a
probability of at most alpha, whenever one looks and stops. NumPy and SciPy only.

What it does not see: a strategy that finds many mistakes of which the model learns little, such as wrong labels. A
back-test compares what is learned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from worker_programs.wording import plural

ALPHA = 0.05
"""The largest probability of a false alarm, over all rounds together."""
ODDS = (1.5, 2.0, 3.0, 5.0, 10.0)
"""How many times higher the odds of a mistake may be on random picks than on mined ones; each is bet on alike."""


@dataclass(frozen=True, slots=True)
class Arms:
    """The answers of one round: on how many of the `mined` and of the `control` picks the model was wrong."""

    mined: int
    mined_wrong: int
    control: int
    control_wrong: int

    def __post_init__(self) -> None:
        if not (0 <= self.mined_wrong <= self.mined and 0 <= self.control_wrong <= self.control):
            raise ValueError("wrong answers: must lie between 0 and the answers of their arm")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rounds say together. `evidence` is the highest value that the test has reached, `bound` the value at
    which it `loses`."""

    rounds: int
    arms: Arms
    """The sums over all rounds."""
    evidence: float
    bound: float

    @property
    def loses(self) -> bool:
        """Whether mining finds fewer of the model's mistakes than chance, with at most `ALPHA` false alarms."""
        return self.evidence >= self.bound

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if not self.rounds:
            return "Mined against random: no round has answers of both yet."
        counted = (
            f"Mined against random, {plural(self.rounds, 'round')}: the model was wrong on "
            f"{_share(self.arms.mined_wrong, self.arms.mined, 'mined')} and on "
            f"{_share(self.arms.control_wrong, self.arms.control, 'random')}"
        )
        figures = f"evidence {self.evidence:.2g} of the {self.bound:g} that would show it"
        if self.loses:
            figures = f"evidence {self.evidence:.2g}, {self.bound:g} shows it; false alarms: {ALPHA:.0%} at most"
            return f"{counted}: mining finds fewer mistakes than chance ({figures})."
        return f"{counted}: nothing shows that mining finds fewer mistakes than chance ({figures})."


def judged(rounds: Sequence[Arms], *, alpha: float = ALPHA) -> Verdict:
    """Judge the rounds of one strategy, the oldest first. Those in which an arm has no answer say nothing and are not
    counted. Raises ValueError for an alpha that is not between 0 and 1."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha: must lie between 0 and 1, got {alpha}")
    both = [one for one in rounds if one.mined and one.control]
    logs, highest = np.zeros(len(ODDS)), 0.0
    for one in both:
        logs += _log_e_values(one)
        highest = max(highest, float(logsumexp(logs)) - float(np.log(len(ODDS))))
    names = ("mined", "mined_wrong", "control", "control_wrong")
    total = Arms(*(sum(getattr(one, name) for one in both) for name in names))
    return Verdict(len(both), total, float(np.exp(min(highest, 700.0))), 1 / alpha)


def _log_e_values(arms: Arms) -> NDArray[np.float64]:
    """Return the logarithm of the likelihood ratio for each of `ODDS`, given how many picks of both arms are wrong:
    odds ** wrong over its hypergeometric mean."""
    wrong = arms.mined_wrong + arms.control_wrong
    counts = np.arange(max(0, wrong - arms.mined), min(arms.control, wrong) + 1)
    ways, logs = _log_choose(arms.control, counts) + _log_choose(arms.mined, wrong - counts), np.log(ODDS)
    means: NDArray[np.float64] = logsumexp(ways + logs[:, None] * counts, axis=1) - logsumexp(ways)
    values: NDArray[np.float64] = arms.control_wrong * logs - means
    return values


def _log_choose(of: int, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    ways: NDArray[np.float64] = gammaln(of + 1) - gammaln(counts + 1) - gammaln(of - counts + 1)
    return ways


def _share(wrong: int, of: int, kind: str) -> str:
    return f"{wrong:,} of {of:,} {kind} images ({100 * wrong / of:.0f} %)"
