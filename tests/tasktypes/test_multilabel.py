"""Several classes a sample: figures beside scikit-learn's, thresholds, losses, and what a strategy makes of them."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score
from tests.laws import examples

from acquisition import Pool, compose, strategy
from acquisition.uncertainty import entropy
from tasktypes import task_type
from tasktypes.multilabel.figures import average_precision
from tasktypes.multilabel.learning import BinaryCrossEntropy, positive_weights
from tasktypes.multilabel.predictions import SetPredictions
from tasktypes.multilabel.thresholds import best_threshold, fit_thresholds
from tasktypes.predictions import EvaluationError
from worker_programs.config import ConfigError

JUDGED = task_type("multilabel").metrics
NAMES = ["a", "b", "c", "d"]


def drawn(count: int, seed: int = 0, classes: int = 4) -> SetPredictions:
    rng = np.random.default_rng(seed)
    labels = rng.random((count, classes)) < 0.3
    return SetPredictions.of(np.round(rng.random((count, classes)) * 0.7 + 0.3 * labels, 2).astype(np.float32), labels)


@given(count=st.integers(2, 60), seed=st.integers(0, 10**6))
@settings(max_examples=examples(60))
def test_figures_are_scikit_learns(count, seed):
    made = drawn(count, seed)
    asked = made.label.any(axis=0)
    if not asked.any():
        assert JUDGED.figure("map", made) is None
    if asked.sum() < 2:  # a single column scikit-learn takes for two classes
        return
    truth, said, shares = made.label[:, asked], made.said[:, asked], made.probabilities[:, asked]
    assert JUDGED.figure("map", made) == pytest.approx(average_precision_score(truth, shares, average="macro"))
    assert JUDGED.figure("macro_f1", made) == pytest.approx(f1_score(truth, said, average="macro", zero_division=0))
    assert JUDGED.figure("micro_f1", made) == pytest.approx(
        f1_score(made.label, made.said, average="micro", zero_division=0)
    )


@given(seed=st.integers(0, 10**6))
@settings(max_examples=examples(40))
def test_a_weighted_average_precision_is_that_of_repeated_samples(seed):
    rng = np.random.default_rng(seed)
    scores, has = np.round(rng.random(30), 1).astype(np.float32), rng.random(30) < 0.4
    times = rng.integers(0, 4, (1, 30))
    rows = np.repeat(np.arange(30), times[0])
    found = average_precision(scores, has, times)[0]
    if not has[rows].any():
        assert np.isnan(found)
    else:
        assert found == pytest.approx(average_precision_score(has[rows], scores[rows]))


def test_an_interval_is_that_of_samples_drawn_one_by_one():
    made, rng = drawn(150, 3), np.random.default_rng(9)
    for metric in ("map", "micro_f1", "macro_f1", "exact_match", "ece"):
        rows = [rng.integers(0, 150, 150) for _ in range(400)]
        found = np.array([JUDGED.figure(metric, made.rows(chosen)) for chosen in rows], np.float64)
        low, high = np.percentile(found, (2.5, 97.5))
        ours = JUDGED.interval(metric, made)
        assert ours is not None
        assert np.allclose(ours, (low, high), atol=0.35 * (high - low)), metric


@given(seed=st.integers(0, 10**6), count=st.integers(1, 40))
@settings(max_examples=examples(60))
def test_no_threshold_beats_the_chosen_one(seed, count):
    rng = np.random.default_rng(seed)
    shares, has = np.round(rng.random(count), 1).astype(np.float32), rng.random(count) < 0.4
    chosen = best_threshold(shares, has)
    if not has.any():
        assert chosen == 0.5
        return

    def f1(bar):
        return f1_score(has, shares >= bar, zero_division=0)

    assert f1(chosen) == pytest.approx(max(f1(bar) for bar in np.arange(0, 1.05, 0.05)))


def test_thresholds_are_chosen_where_a_class_is_seen_and_the_temperature_cools_what_is_too_sure():
    rng = np.random.default_rng(0)
    honest = rng.normal(size=(3000, 3)).astype(np.float32) * 2
    labels = (rng.random(honest.shape) < 1 / (1 + np.exp(-honest))).astype(np.float32)
    labels[:, 2] = 0
    fitted = fit_thresholds(honest * 4, labels)
    assert fitted.temperature > 2
    assert fitted.loss_after < fitted.loss_before
    assert fitted.by_class(NAMES[:3])["c"] == 0.5
    with pytest.raises(EvaluationError, match="no thresholds fit"):
        fit_thresholds(honest, labels[:, :2])


def test_by_their_thresholds_classes_are_named():
    shares, labels = np.array([[0.2, 0.7, 0.4]], np.float32), np.array([[1, 0, 1]])
    bars = np.array([0.2, 0.9, 0.5], np.float32)
    assert SetPredictions.of(shares, labels, bars).said.tolist() == [[True, False, False]]
    said = task_type("multilabel").outputs.answer(shares[0].tolist(), NAMES[:3], {"a": 0.2, "b": 0.9})
    assert said == {"classes": ["a"], "probability": 0.6}


def test_a_balanced_loss_weighs_the_rare_and_smoothing_draws_to_the_middle():
    targets = np.zeros((100, 3), np.float32)
    targets[:10, 0], targets[:, 2] = 1, 1
    assert positive_weights(targets).tolist() == [9, 1, 1]
    logits, wanted = torch.zeros(4, 2), torch.tensor([[1.0, 0], [0, 1], [1, 1], [0, 0]])
    plain = BinaryCrossEntropy(0.0, None).loss(logits, wanted, None)
    assert float(plain) == pytest.approx(np.log(2))
    sure = torch.where(wanted > 0, 9.0, -9.0)
    assert BinaryCrossEntropy(0.2, None).loss(sure, wanted, None) > BinaryCrossEntropy(0.0, None).loss(
        sure, wanted, None
    )
    assert float(BinaryCrossEntropy(0.0, None).right(sure, wanted, None)) == 4


@pytest.mark.parametrize(("reduce", "of"), [(None, np.mean), ("max", np.max), ("mean", np.mean), ("sum", np.sum)])
def test_a_strategy_scores_each_class_and_reduces(reduce, of):
    shares = np.random.default_rng(0).random((20, 4))
    pool = Pool(ids=np.arange(20), probabilities=shares, classes=NAMES, task="multilabel")
    told = {} if reduce is None else {"reduce": reduce}
    expected = of(entropy(np.stack([shares, 1 - shares], axis=-1)), axis=1)
    batch = compose(pool, "entropy", count=5, seed=0, params=told)
    assert [pick.id for pick in batch] == np.argsort(-expected, kind="stable")[:5].tolist()
    assert all(pick.reason.startswith("undecided: ") for pick in batch)


def test_nothing_is_reduced_where_an_image_has_one_class():
    with pytest.raises(ConfigError, match="means nothing for classification"):
        strategy("entropy", {"reduce": "sum"}).check_task("classification")
    strategy("entropy", {"reduce": "sum"}).check_task("multilabel")


def test_decisions_that_are_all_right_are_not_sharpened_and_many_errors_soften():
    targets = np.tile([[1.0, 0.0, 0.0]], (8, 1))
    logits = ((targets * 2 - 1) * 6).astype(np.float32)
    assert fit_thresholds(logits, targets).temperature == pytest.approx(1, abs=0.15)
    assert fit_thresholds(logits, 1 - targets).temperature > 5
