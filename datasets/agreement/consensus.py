"""The consensus of several people's categories: the most likely true one of each task, and its probability."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement.opinions import Codes, Opinions

Floats = NDArray[np.float64]
STEPS, TOLERANCE, LEAST = 100, 1e-5, 1e-10
EVEN = 0.505
"""A confidence up to this counts as one half."""


@dataclass(frozen=True, slots=True)
class Consensus:
    """For each task (by its code) the code of the agreed value and the probability that it is right."""

    values: Codes
    confidence: Floats


@dataclass(frozen=True, slots=True)
class DawidSkene(Consensus):
    """The consensus with error rates `errors[person, true, said]`, and the expected share of right answers of each
    person."""

    errors: Floats
    accuracy: Floats


def majority(opinions: Opinions) -> Consensus:
    """Return the value that most people gave; in a tie the one given first. The confidence is its share."""
    width = max(1, len(opinions.value_names))
    cells, first, counts = np.unique(opinions.tasks * width + opinions.values, return_index=True, return_counts=True)
    tasks, values = cells // width, cells % width
    order = np.lexsort((first, -counts, tasks))
    best = order[np.unique(tasks[order], return_index=True)[1]]
    return Consensus(values[best], counts[best] / np.bincount(opinions.tasks))


def leaders(opinions: Opinions) -> Codes:
    """Count the values of each task that have the most votes."""
    width = max(1, len(opinions.value_names))
    cells, votes = np.unique(opinions.tasks * width + opinions.values, return_counts=True)
    tasks = cells // width
    most = np.zeros(len(opinions.task_names), np.int64)
    np.maximum.at(most, tasks, votes)
    return np.bincount(tasks[votes == most[tasks]], minlength=len(most))


def ties(opinions: Opinions, found: Consensus) -> NDArray[np.bool_]:
    """Whether another value of each task has as much support as the one that was found."""
    tied: NDArray[np.bool_] = (found.confidence <= EVEN) & (leaders(opinions) > 1)
    return tied


def dawid_skene(opinions: Opinions, known: Mapping[int, int] | None = None) -> DawidSkene:
    """Estimate everybody's error rates and each task's true value together; `known` fixes tasks (codes: task, value).

    A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm", Applied
    Statistics 28 (1979). Starts from the shares of votes and stops as crowd-kit's `DawidSkene` does (after at most 100
    steps, or when the evidence's lower bound per answer grows by less than 1e-5), so that both give the same results.
    """
    said = _Said(opinions)
    truth = _fixed(said.votes(), known)
    errors, bound = said.errors(truth), -np.inf
    for _ in range(STEPS):
        truth = _fixed(said.truth(errors, truth.mean(axis=0)), known)
        errors = said.errors(truth)
        before, bound = bound, said.bound(truth, errors)
        if bound - before < TOLERANCE:
            break
    right = np.einsum("wkk,k->w", errors, truth.mean(axis=0))
    return DawidSkene(truth.argmax(axis=1), truth.max(axis=1), errors.transpose(0, 2, 1), right)


class _Said:
    """The answers in two orders: by task, and by (person, value), so that both steps are sums over runs."""

    def __init__(self, opinions: Opinions) -> None:
        self.tasks = opinions.tasks
        self.people, self.classes = len(opinions.people_names), len(opinions.value_names)
        self.cells = opinions.people * self.classes + opinions.values  # rows of the error tables, people by values
        self.order = np.argsort(self.cells, kind="stable")
        self.seen, self.runs = np.unique(self.cells[self.order], return_index=True)
        self.starts = np.flatnonzero(np.diff(self.tasks, prepend=-1))

    def votes(self) -> Floats:
        """Return the share of each value among the answers to each task."""
        counts = np.zeros((len(self.starts), self.classes))
        np.add.at(counts, (self.tasks, self.cells % self.classes), 1.0)
        shares: Floats = counts / counts.sum(axis=1, keepdims=True)
        return shares

    def errors(self, truth: Floats) -> Floats:
        """M step: P(person says l | true k) as [person, l, k]."""
        counts = np.full((self.people * self.classes, self.classes), LEAST)
        sums = np.add.reduceat(truth[self.tasks[self.order]], self.runs)
        counts[self.seen] = np.maximum(sums, LEAST)
        table = counts.reshape(self.people, self.classes, self.classes)
        shares: Floats = table / table.sum(axis=1, keepdims=True)
        return shares

    def truth(self, errors: Floats, priors: Floats) -> Floats:
        """E step: P(true k) of each task. Uses logarithms, because long products would underflow."""
        logs = np.add.reduceat(self._logs(errors), self.starts) + np.log(np.maximum(priors, LEAST))
        likely = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares: Floats = likely / likely.sum(axis=1, keepdims=True)
        return shares

    def bound(self, truth: Floats, errors: Floats) -> float:
        """Return the expected log-likelihood of the answers plus the entropy of the truth, per answer, as crowd-kit
        computes it."""
        priors = np.log(np.maximum(truth.mean(axis=0), LEAST))
        expected = (truth[self.tasks] * (self._logs(errors) + priors)).sum()
        held = np.maximum(truth, LEAST)
        return float(expected - (held * np.log(held)).sum()) / len(self.tasks)

    def _logs(self, errors: Floats) -> Floats:
        """Return the log-likelihood of each answer under each true value."""
        logs: Floats = np.log(errors.reshape(-1, self.classes))[self.cells]
        return logs


def _fixed(truth: Floats, known: Mapping[int, int] | None) -> Floats:
    for task, value in (known or {}).items():
        truth[task] = 0.0
        truth[task, value] = 1.0
    return truth
