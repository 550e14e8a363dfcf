"""One strategy, one seed: label, learn, judge, pick, and again, on samples whose labels are known."""

from dataclasses import dataclass

import numpy as np

from acquisition import Pool, compose, strategy
from acquisition.pool import Indices
from acquisition.registry import Strategy
from backtest.config import Plan
from backtest.learners import Learned, Learner
from worker_programs.config import ConfigError
from worker_programs.events import Listener, Silent

OFFERED = ("probabilities", "embeddings", "labelled", "labelled_classes")
"""Fields of the pool that a replay can fill."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Accuracy on the test samples by number of labels: one point before the first round, one after each."""

    labels: list[int]
    accuracy: list[float]


def replayable(plan: Plan) -> Strategy:
    """The plan's strategy with its parameters; ConfigError where there is none or a replay can't give what it needs."""
    chosen = strategy(plan.strategy, plan.params)
    if lacking := [name for name in chosen.needs if name not in OFFERED]:
        raise ConfigError({"strategy": [
            f"{plan.strategy!r} needs {', '.join(lacking)}, which a back-test has not: leave it out"
        ]})  # fmt: skip
    return chosen


def replay(learner: Learner, plan: Plan, *, listener: Listener | None = None) -> Curve:
    """The curve of a plan; it depends on learner and plan alone. Every plan of a seed starts from the same labels.

    Progress counts the candidates, once for each model that is learned. Raises ConfigError (a strategy that can't be
    replayed, more labels than there are), PoolError.
    """
    chosen, listener = replayable(plan), listener or Silent()
    size = len(learner.labels)
    plan.check(size)
    labelled = np.random.default_rng(plan.seed).permutation(size)[: plan.start]
    accuracy: list[float] = []
    for number in range(plan.rounds + 1):
        learned = learner.learn(labelled, seed=plan.seed)
        accuracy.append(learned.accuracy())
        listener.progress((number + 1) * size, (plan.rounds + 1) * size, unit="samples")
        if number < plan.rounds:
            pool = _pool(learner, learned, labelled, chosen)
            labelled = np.concatenate([labelled, _picked(pool, plan, number)])
    return Curve(plan.labels, accuracy)


def _pool(learner: Learner, learned: Learned, labelled: Indices, chosen: Strategy) -> Pool:
    """What is not labelled, with the model's answers where the strategy looks at them."""
    rest = np.setdiff1d(np.arange(len(learner.labels)), labelled)
    if not chosen.needs:
        return Pool(ids=rest, classes=learner.classes)
    answers = learned.answers(np.concatenate([rest, labelled]))
    return Pool(
        ids=rest,
        probabilities=answers.probabilities[: len(rest)],
        embeddings=answers.embeddings[: len(rest)],
        labelled=answers.embeddings[len(rest) :],
        labelled_classes=learner.labels[labelled],
        classes=learner.classes,
    )


def _picked(pool: Pool, plan: Plan, number: int) -> Indices:
    """The picks of a round. What chance there is in it is the same for every strategy of a pair."""
    seed = 1000 * plan.seed + number
    picks = compose(pool, plan.strategy, count=plan.count, seed=seed, control=plan.control, params=plan.params)
    return np.array([pick.id for pick in picks], np.intp)
