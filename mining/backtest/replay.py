"""One strategy, one seed: label, learn, judge, pick, and again, on samples whose labels are known."""

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
    """The headline of the task type on the test samples (accuracy of classes, mAP of boxes) by number of labels: one
    point before the first round, one after each."""

    labels: list[int]
    accuracy: list[float]
    objects: list[int] | None = None
    """How many objects had been drawn in those labels; None where labels are answered at once."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Curve":
        """Of what was kept of one."""
        return cls(told["labels"], told["accuracy"], told.get("objects"))


class _Share(Silent):
    """What a training says of its progress, as the share that it is of a replay."""

    def __init__(self, listener: Listener, *, number: int, of: int, size: int) -> None:
        self._listener, self._number, self._of, self._size = listener, number, of, size

    def progress(self, done: int, total: int, *, unit: str) -> None:  # noqa: ARG002 - steps become samples
        """Each training counts the candidates once."""
        share = self._size * done // max(1, total)
        self._listener.progress(self._number * self._size + share, self._of * self._size, unit="samples")

    def log(self, message: str) -> None:
        """As it is."""
        self._listener.log(message)


def replayable(plan: Plan, *, task: str = DEFAULT) -> Strategy:
    """The plan's strategy with its parameters; ConfigError where there is none, where it can't mine for the task type,
    or where a replay can't give what it needs."""
    chosen, mining = strategy(plan.strategy, plan.params), task_type(task).mining
    chosen.check_task(task)
    if lacking := chosen.beyond_replays(mining):
        raise ConfigError({"strategy": [
            f"{plan.strategy!r} needs {', '.join(lacking)}, which a back-test has not: leave it out"
        ]})  # fmt: skip
    return chosen


def replay(learner: Learner, plan: Plan, *, listener: Listener | None = None) -> Curve:
    """The curve of a plan; it depends on learner and plan alone. Every plan of a seed starts from the same labels.

    Progress counts the candidates, once for each model that is learned. Raises ConfigError (a strategy that can't be
    replayed, more labels than there are), PoolError.
    """
    chosen, listener = replayable(plan, task=learner.task), listener or Silent()
    size, models = len(learner.labels), plan.rounds + 1
    plan.check(size)
    drawn = task_type(learner.task).metrics.objects(learner.labels)
    labelled = np.random.default_rng(plan.seed).permutation(size)[: plan.start]
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
    """What is not labelled, with the model's answers where the strategy looks at them."""
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
    """The picks of a round. What chance there is in it is the same for every strategy of a pair."""
    seed = 1000 * plan.seed + number
    picks = compose(pool, plan.strategy, count=plan.count, seed=seed, control=plan.control, params=plan.params)
    return np.array([pick.id for pick in picks], np.intp)
