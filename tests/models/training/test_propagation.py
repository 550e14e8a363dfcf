"""Pseudo-labels: right ones on clear clusters, the same bits again, none where graphs and head disagree."""

import numpy as np
import pytest

from training.auto import PER_LABEL
from training.propagation import WORTH, Graph, Pseudo, fit_with, pseudo_labels
from training.ridge import Ridge, fit, weighted


def clusters(count: int, *, noise: float, seed: int = 0, classes: int = 3):
    """Points around the corners of a simplex, and the corner of each."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % classes
    return np.eye(8)[labels] + noise * rng.normal(size=(count, 8)), labels


def labelled(points, labels, pool, head) -> Pseudo:
    answers = head.probabilities(pool)
    return pseudo_labels(Graph(points, pool), np.arange(len(points)), labels, 3, answers=answers)


def test_clear_clusters_get_right_pseudo_labels_and_no_more_of_a_class_than_is_expected():
    points, labels = clusters(12, noise=0.1)
    pool, truth = clusters(300, noise=0.1, seed=1)
    pseudo = labelled(points, labels, pool, fit(points, labels, 3))
    assert 0 < len(pseudo.rows) <= PER_LABEL * len(labels)
    assert (pseudo.labels == truth[pseudo.rows]).all()
    assert pseudo.shares(3) == pytest.approx([1 / 3] * 3, abs=0.05)
    assert (np.diff(pseudo.rows) > 0).all()


def test_equal_arguments_give_equal_bits():
    points, labels = clusters(12, noise=0.5)
    pool, _ = clusters(100, noise=0.5, seed=1)
    head = fit(points, labels, 3)
    one, other = (fit_with(points, labels, pool, head, labelled(points, labels, pool, head)) for _ in range(2))
    assert one.weights.tobytes() == other.weights.tobytes()
    assert (one.temperature, one.penalty) == (head.temperature, head.penalty)


def test_an_image_that_head_and_graphs_disagree_on_gets_none():
    points, labels = clusters(12, noise=0.1)
    pool, _ = clusters(60, noise=0.1, seed=1)
    head = fit(points, (labels + 1) % 3, 3)
    pseudo = labelled(points, labels, pool, head)
    assert len(pseudo.rows) == 0
    assert fit_with(points, labels, pool, head, pseudo) is head


def test_they_move_the_head_towards_the_pool():
    points, labels = clusters(9, noise=0.6)
    pool, _ = clusters(300, noise=0.3, seed=1)
    tested, truth = clusters(300, noise=0.3, seed=2)
    head = fit(points, labels, 3)
    more = fit_with(points, labels, pool, head, labelled(points, labels, pool, head))
    before, after = (float((one.scores(tested).argmax(axis=1) == truth).mean()) for one in (head, more))
    assert after > before


@pytest.mark.parametrize("count", [6, 30])
def test_a_weight_of_two_is_the_same_as_the_point_twice(count):
    points, labels = clusters(count, noise=0.5)
    twice = Ridge(np.concatenate([points, points[:1]]), np.concatenate([labels, labels[:1]]), 3)
    weights, offset = weighted(points, labels, 3, weights=np.r_[2.0, np.ones(count - 1)], penalty=0.5)
    size = min(count, points.shape[1]) / min(count + 1, points.shape[1])  # the unit of penalties is a mean
    known, level = twice.solution(twice.strength * 0.5 / size)
    assert np.allclose(weights, known)
    assert np.allclose(offset, level)
    assert 0 < WORTH <= 1
