"""Replay one strategy with one seed on samples whose labels are known: label, train, test, pick, and again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from acquisition import Pool, compose, strategy
from acquisition.pool import Indices
from acquisition.registry import Strategy
from backtest.config import Plan
from backtest.learners import Learned, Learner
from tasktypes import DEFAULT, task_type
from worker_programs.config import ConfigError
from worker_programs.events import Listener, Silent


@dataclass(frozen=True, slots=True)
class Curve:
    """The headline metric of the task type on the test samples (accuracy of classes, mAP of boxes) by number of labels:
    one point before the first round, one after each."""

    labels: list[int]
    accuracy: list[float]
    objects: list[int] | None = None
    """How many objects had been drawn in those labels; None where a label is a single answer."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Curve":
        """Read a curve from its stored document."""
        return cls(told["labels"], told["accuracy"], told.get("objects"))


class _Share(Silent):
    """Passes on the progress of one training as its share of the replay."""

    def __init__(self, listener: Listener, *, number: int, of: int, size: int) -> None:
        self._listener, self._number, self._of, self._size = listener, number, of, size

    def progress(self, done: int, total: int, *, unit: str) -> None:  # noqa: ARG002 - steps become samples
        """Report progress; each training counts the candidates once."""
        share = self._size * done // max(1, total)
        self._listener.progress(self._number * self._size + share, self._of * self._size, unit="samples")

    def log(self, message: str) -> None:
        """Pass the message on."""
        self._listener.log(message)


def replayable(plan: Plan, *, task: str = DEFAULT) -> Strategy:
    """Return the plan's strategy with its parameters. Raises ConfigError where there is none, where it can't mine for
    the task type, or where a replay can't provide what it needs."""
    chosen, mining = strategy(plan.strategy, plan.params), task_type(task).mining
    chosen.check_task(task)
    if lacking := chosen.beyond_replays(mining):
        raise ConfigError({"strategy": [
            f"{plan.strategy!r} needs {', '.join(lacking)}, which a back-test has not: leave it out"
        ]})  # fmt: skip
    return chosen


def replay(learner: Learner, plan: Plan, *, first: Indices | None = None, listener: Listener | None = None) -> Curve:
    """Return the curve of a plan; it depends on the arguments alone. All plans with the same seed start from the same
    labels, or from those of the candidates `first` (`plan.start` of them).

    Progress counts the candidates, once for each model that is trained. Raises ConfigError (a strategy that can't be
    replayed, more labels than there are), PoolError.
    """
    chosen, listener = replayable(plan, task=learner.task), listener or Silent()
    size, models = len(learner.labels), plan.rounds + 1
    plan.check(size)
    drawn = task_type(learner.task).metrics.objects(learner.labels)
    labelled = np.random.default_rng(plan.seed).permutation(size)[: plan.start] if first is None else first
    accuracy, objects = [], []
    for number in range(models):
        share = _Share(listener, number=number, of=models, size=size)
        learned = learner.learn(labelled, seed=plan.seed, listener=share)
        accuracy.append(learned.accuracy())
        objects.append(0 if drawn is None else int(drawn[labelled].sum()))
        listener.progress((number + 1) * size, models * size, unit="samples")
        if number < plan.rounds:
            pool = _pool(learner, learned, labelled, chosen)
            labelled = np.concatenate([labelled, _picked(pool, plan, number)])
    return Curve(plan.labels, accuracy, None if drawn is None else objects)


def _pool(learner: Learner, learned: Learned, labelled: Indices, chosen: Strategy) -> Pool:
    """Build the pool of unlabelled candidates, with the model's predictions where the strategy reads them."""
    rest = np.setdiff1d(np.arange(len(learner.labels)), labelled)
    if not chosen.needs:
        return Pool(ids=rest, classes=learner.classes, task=learner.task)
    answers, size = learned.answers(np.concatenate([rest, labelled])), len(rest)
    return Pool(
        ids=rest,
        probabilities=answers.probabilities[:size],
        embeddings=answers.embeddings[:size],
        cells=None if answers.cells is None else answers.cells[:size],
        labelled=answers.embeddings[size:],
        labelled_classes=learner.labels[labelled] if task_type(learner.task).mining.one_distribution else None,
        evidence=learned.evidence(labelled) if "evidence" in chosen.needs else None,
        classes=learner.classes,
        task=learner.task,
    )


def _picked(pool: Pool, plan: Plan, number: int) -> Indices:
    """Return the picks of a round. Their random numbers are the same for all strategies that are compared."""
    seed = 1000 * plan.seed + number
    picks = compose(pool, plan.strategy, count=plan.count, seed=seed, control=plan.control, params=plan.params)
    return np.array([pick.id for pick in picks], np.intp)
