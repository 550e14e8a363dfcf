"""Calibration never makes two different scores equal, and what is equal is ordered by the seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import Pool, RowStrategy, compose, strategy
from acquisition.ties import draws
from tasktypes import task_type
from tasktypes.calibration import HOTTEST, fit_temperature

NAMES = ("margin", "least_confidence", "entropy")
RANKED = pytest.mark.parametrize("name", NAMES)


def scored(name, probabilities):
    chosen = strategy(name)
    assert isinstance(chosen, RowStrategy)
    return chosen.scores(probabilities)


@RANKED
@given(
    gaps=st.lists(st.floats(0.125, 100, width=32), min_size=2, max_size=40, unique=True),
    temperature=st.floats(0.2, HOTTEST),
)
@settings(max_examples=examples(200))
def test_of_two_classes_the_order_is_kept_at_any_temperature(name, gaps, temperature):
    outputs = task_type("classification").outputs
    stored = outputs.probabilities(np.array([[gap, 0] for gap in gaps], np.float32))
    # Nearer to even odds entropy is flat: what differs by the last bit there is equal by the formula.
    stored = stored[np.unique(stored[:, 1], return_index=True)[1]]  # what single precision tells apart, in its order
    ranked = scored(name, outputs.tempered(stored, outputs.usable(temperature)))
    assert (np.diff(ranked) > 0).all()


@given(
    logits=st.lists(st.floats(-60, 60, width=32), min_size=2, max_size=40, unique=True),
    temperature=st.floats(0.01, HOTTEST),
)
@settings(max_examples=examples(200))
def test_a_class_that_may_be_there_or_not_keeps_its_order(logits, temperature):
    outputs = task_type("multilabel").outputs
    stored = np.unique(outputs.probabilities(np.array(logits, np.float32)[:, None]), axis=0)
    assert (np.diff(outputs.tempered(stored, outputs.usable(temperature))[:, 0]) > 0).all()


def confusion(rng):
    """The validation logits and labels of a model, mostly a small split that is all right, and logits of its pool."""
    classes, samples = int(rng.integers(2, 11)), int(rng.integers(5, 120))
    scale, wrong = np.exp(rng.uniform(np.log(0.5), np.log(40))), rng.choice([0, 0, 0.02, 0.1, 0.4])
    logits = rng.normal(size=(samples, classes))
    said = logits.argmax(axis=1)
    labels = np.where(rng.random(samples) < wrong, (said + rng.integers(1, classes, samples)) % classes, said)
    pool = rng.normal(size=(102, classes)) * scale
    return (logits * scale).astype(np.float32), labels, pool.astype(np.float32)


@RANKED
def test_of_a_thousand_random_confusions_none_collapses_a_ranking(name):
    rng, outputs = np.random.default_rng(0), task_type("classification").outputs
    for _ in range(1000):
        logits, labels, pool = confusion(rng)
        stored = outputs.probabilities(pool)
        fitted = fit_temperature(logits, labels)
        after = scored(name, outputs.tempered(stored, fitted.temperature))
        assert len(np.unique(after)) >= len(np.unique(scored(name, stored)))


@RANKED
def test_equal_scores_come_by_chance_whatever_the_ids(name):
    probabilities = np.tile([0.7, 0.3], (60, 1))
    pool = Pool(ids=np.arange(60), probabilities=probabilities)
    batches = [[pick.id for pick in compose(pool, name, count=10, seed=seed)] for seed in range(200)]
    taken = np.bincount(np.concatenate(batches), minlength=60)
    assert taken.sum() == 2000
    assert taken.min() > 10  # 33 expected, deviation 5.3
    assert taken.max() < 60
    assert batches[0] == [pick.id for pick in compose(pool, name, count=10, seed=0)]


def test_a_draw_depends_on_its_id_and_the_seed_alone():
    ids = np.arange(1000)
    assert (draws(ids[500:], 3) == draws(ids, 3)[500:]).all()
    assert len(np.unique(draws(ids, 3))) == 1000
    assert (draws(ids, 3) != draws(ids, 4)).all()
