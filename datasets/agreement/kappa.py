"""Agreement beyond chance between people who put tasks into categories."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.opinions import Opinions, partners


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The agreement of two people (codes, `a` < `b`) on the tasks both answered. `kappa` is None if chance explains all
    of it."""

    a: int
    b: int
    both: int
    agree: int
    kappa: float | None


def cohen(opinions: Opinions) -> list[PairAgreement]:
    """Return Cohen's kappa for every two people who share a task.

    kappa = (p_o - p_e) / (1 - p_e) with p_e from the two people's own marginals over the tasks both answered.
    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960).
    """
    first, second = partners(opinions.tasks)
    swap = opinions.people[first] > opinions.people[second]
    one, other = np.where(swap, second, first), np.where(swap, first, second)
    people, classes = len(opinions.people_names), len(opinions.value_names)
    found, pair = np.unique(opinions.people[one] * people + opinions.people[other], return_inverse=True)
    ones, others = opinions.values[one], opinions.values[other]
    both = np.bincount(pair, minlength=len(found))
    agree = np.bincount(pair[ones == others], minlength=len(found))
    chance = _products(pair, ones, others, classes, len(found))
    return [
        PairAgreement(int(code) // people, int(code) % people, int(n), int(same), _beyond(same / n, hits / n**2))
        for code, n, same, hits in zip(found, both, agree, chance, strict=True)
    ]


def fleiss(opinions: Opinions) -> float | None:
    """Return Fleiss' kappa over the tasks with two or more answers; None if there are none, or chance explains all
    agreement.

    J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin 76 (1971): the mean over
    tasks of the share of agreeing pairs, against the sum of squared shares of the categories. The paper has the same
    number of raters for each task; with different numbers each task's share is taken over its own pairs.
    """
    per_task, cells, counts = _cells(opinions)
    several = per_task[cells[:, 0]] > 1
    cells, counts = cells[several], counts[several]
    if not len(cells):
        return None
    raters = per_task[np.unique(cells[:, 0])]
    squares = np.bincount(cells[:, 0], weights=counts**2, minlength=len(per_task))[np.unique(cells[:, 0])]
    observed = float(np.mean((squares - raters) / (raters * (raters - 1))))
    shares = np.bincount(cells[:, 1], weights=counts) / counts.sum()
    return _beyond(observed, float((shares**2).sum()))


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    """How often a category (a code) was named, and the share of other people's answers to these tasks that name it
    too."""

    value: int
    answers: int
    agreement: float | None


def by_class(opinions: Opinions) -> list[ClassAgreement]:
    """Return the conditional agreement of each category: the probability that a second rater names it if a first one
    did.

    Fleiss 1971, as in `fleiss`: sum of n_ij (n_ij - 1) over sum of n_ij (n_i - 1).
    """
    per_task, cells, counts = _cells(opinions)
    classes = len(opinions.value_names)
    named = np.bincount(cells[:, 1], weights=counts, minlength=classes)
    pairs = np.bincount(cells[:, 1], weights=counts * (per_task[cells[:, 0]] - 1), minlength=classes)
    agreeing = np.bincount(cells[:, 1], weights=counts * (counts - 1), minlength=classes)
    return [
        ClassAgreement(code, int(named[code]), float(agreeing[code] / pairs[code]) if pairs[code] else None)
        for code in range(classes)
    ]


def _cells(opinions: Opinions) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of answers to each task, the (task, value) pairs that occur, and how often each occurs."""
    per_task = np.bincount(opinions.tasks, minlength=len(opinions.task_names))
    width = max(1, len(opinions.value_names))
    codes, counts = np.unique(opinions.tasks * width + opinions.values, return_counts=True)
    return per_task, np.stack([codes // width, codes % width], axis=1), counts


def _products(
    pair: NDArray[np.int64], ones: NDArray[np.int64], others: NDArray[np.int64], classes: int, pairs: int
) -> NDArray[np.float64]:
    """Return for each pair of people the sum over categories of how often one named it times how often the other
    did."""
    width = max(1, classes)
    named, inverse = np.unique(np.concatenate([pair * width + ones, pair * width + others]), return_inverse=True)
    left = np.bincount(inverse[: len(pair)], minlength=len(named)).astype(np.float64)
    right = np.bincount(inverse[len(pair) :], minlength=len(named))
    return np.bincount(named // width, weights=left * right, minlength=pairs).astype(np.float64)


def _beyond(observed: float, chance: float) -> float | None:
    return None if chance >= 1 else float((observed - chance) / (1 - chance))
