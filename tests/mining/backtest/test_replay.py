"""A replay is paired, repeats itself, and never sees a label that it did not ask for."""

from dataclasses import replace as changed

import numpy as np
import pytest
from sklearn.datasets import load_digits

from acquisition import names, strategy
from acquisition.registry import OF_CLASSES, REPLAYED
from acquisition.ties import drawn_order
from backtest import Arm, Embedded, Plan, Probe, replay, replayable, report
from tasktypes import task_type
from worker_programs.config import ConfigError

CLASSES = [str(digit) for digit in range(10)]
PLAN = Plan(strategy="margin", seed=3, start=10, count=15, rounds=4)
STRATEGIES = ["random", "margin", "entropy", "k_center"]


class Watched(Probe):
    """A probe that remembers which candidates it was given."""

    def __init__(self, data: Embedded) -> None:
        super().__init__(data, CLASSES)
        self.given: list[list[int]] = []

    def learn(self, rows, *, seed, **others):
        """As a probe does."""
        self.given.append(rows.tolist())
        return super().learn(rows, seed=seed, **others)


@pytest.fixture(scope="module")
def digits() -> Embedded:
    found = load_digits()
    pixels, labels = found.data.astype(np.float16), found.target.astype(np.int64)
    return Embedded(pixels[:900], labels[:900], pixels[900:], labels[900:])


def under(name, **terms):
    return changed(PLAN, strategy=name, **terms)


@pytest.mark.parametrize("name", STRATEGIES)
def test_each_round_adds_its_count_and_no_label_twice(digits, name):
    learner = Watched(digits)
    curve = replay(learner, under(name))
    assert curve.labels == [10, 25, 40, 55, 70] == [len(rows) for rows in learner.given]
    for before, after in zip(learner.given, learner.given[1:], strict=False):
        assert after[: len(before)] == before
        assert len(set(after)) == len(after)


def test_all_strategies_of_a_seed_start_from_the_same_labels(digits):
    learners = {name: Watched(digits) for name in STRATEGIES}
    curves = [replay(learner, under(name)) for name, learner in learners.items()]
    assert len({tuple(learner.given[0]) for learner in learners.values()}) == 1
    assert len({curve.accuracy[0] for curve in curves}) == 1
    assert len({tuple(learner.given[-1]) for learner in learners.values()}) == len(STRATEGIES)


def test_another_seed_starts_from_other_labels(digits):
    one, other = Watched(digits), Watched(digits)
    replay(one, PLAN)
    replay(other, changed(PLAN, seed=4))
    assert one.given[0] != other.given[0]


@pytest.mark.parametrize("name", STRATEGIES)
def test_it_repeats_itself(digits, name):
    assert replay(Probe(digits, CLASSES), under(name)) == replay(Probe(digits, CLASSES), under(name))


@pytest.mark.parametrize("name", STRATEGIES)
def test_labels_that_were_not_asked_for_change_nothing(digits, name):
    """What a strategy could look up in a back-test it would not know in the field."""
    learner = Watched(digits)
    curve = replay(learner, under(name))
    lies = (digits.labels + 1) % 10
    lies[learner.given[-1]] = digits.labels[learner.given[-1]]
    assert replay(Probe(changed(digits, labels=lies), CLASSES), under(name)) == curve


def test_a_round_picks_what_a_mining_job_would(digits):
    """The first picks, made by hand from the first model."""
    learner = Watched(digits)
    replay(learner, PLAN)
    first, second = learner.given[:2]
    rest = np.setdiff1d(np.arange(900), first)
    rest = rest[drawn_order(rest, 3000)]  # in which equal scores are picked
    answers = Probe(digits, CLASSES).learn(np.array(first), seed=0).answers(rest)
    fair = np.random.default_rng(3000).permutation(len(rest))[: round(15 * PLAN.control)]
    ordered = np.sort(answers.probabilities, axis=1)
    sure = ordered[:, -1] - ordered[:, -2]
    sure[fair] = np.inf
    assert second[len(first) :] == rest[[*np.argsort(sure, kind="stable")[: 15 - len(fair)], *fair]].tolist()


def test_more_labels_than_there_are_is_an_error(digits):
    with pytest.raises(ConfigError, match=r"10 \+ 60 x 15 labels are asked of 900"):
        replay(Probe(digits, CLASSES), changed(PLAN, rounds=60))


def test_every_registered_strategy_is_replayed_or_refused_with_what_it_lacks(digits):
    """Whatever is installed: a strategy either runs on what a replay offers, or is named with what it needs."""
    for name in names():
        made = strategy(name)
        if not made.fits(task_type("classification").mining):
            with pytest.raises(ConfigError, match="use one of"):
                replayable(under(name))
        elif set(made.needs) <= {*REPLAYED, *OF_CLASSES}:
            curve = replay(Probe(digits, CLASSES), under(name, rounds=1))
            assert len(curve.accuracy) == 2
        else:
            with pytest.raises(ConfigError, match="a back-test has not"):
                replayable(under(name))


@pytest.mark.parametrize("plan", [under("nonsense"), under("margin", params={"unknown": 1})])
def test_a_plan_that_cannot_be_run_names_the_field(digits, plan):
    with pytest.raises(ConfigError, match="strategy"):
        replay(Probe(digits, CLASSES), plan)


def test_margin_beats_random_on_real_digits(digits):
    """The end to which all this is done; 8 seeds of 4 rounds take seconds."""
    arms = [
        (Arm(name), {seed: replay(Probe(digits, CLASSES), under(name, seed=seed, start=20, count=20, rounds=6))
                     for seed in range(8)})
        for name in ("random", "margin")
    ]  # fmt: skip
    told = report(arms)
    assert told["best"]["strategy"] == "margin"
    assert told["tests"][0]["low"] > 0
    margin = told["labels_to_target"][1]
    assert margin["saved"] > 0.1
