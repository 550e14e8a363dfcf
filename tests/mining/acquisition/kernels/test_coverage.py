"""Herding and ProbCover pick what the definition picks, whatever is kept in memory."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import Pool, compose, strategy
from acquisition.kernels.clusters import nearest_centre
from acquisition.kernels.coverage import SIMILARITY, WORTH, Covering, ball, covering, gaussian
from acquisition.kernels.grid import squared
from acquisition.kernels.points import together
from acquisition.kernels.radius import pure, reach
from acquisition.registry import unwatched


def naive(values, weights, labelled, count, similarity):
    """Sums of Python's whole numbers; similarity takes a squared distance."""

    def k(a, b):
        return round(similarity(sum((float(x) - float(y)) ** 2 for x, y in zip(a, b, strict=True))) * SIMILARITY)

    worth = [round(float(weight) * WORTH) for weight in weights]
    covered = [max((k(x, s) for s in labelled), default=0) for x in values]
    picks: list[tuple[int, float]] = []
    for _ in range(min(count, len(values))):
        gains = {
            row: sum(w * max(0, k(x, u) - c) for x, w, c in zip(values, worth, covered, strict=True))
            for row, u in enumerate(values)
            if row not in [pick for pick, _ in picks]
        }
        best = max(gains, key=lambda row: (gains[row], -row))
        picks.append((best, gains[best] / (SIMILARITY * WORTH)))
        covered = [max(c, k(x, values[best])) for x, c in zip(values, covered, strict=True)]
    return picks


def kernels(radius):
    return [
        (gaussian(radius), lambda square: math.exp(-square / (radius * radius))),
        (ball(radius), lambda square: float(square <= radius * radius)),
    ]


@pytest.mark.parametrize("which", [0, 1], ids=["gaussian", "ball"])
@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 25), labels=st.integers(0, 4), count=st.integers(1, 25),
    radius=st.sampled_from([1.0, 2.0, 8.0]), memory=st.sampled_from([0.0001, 100]),
)  # fmt: skip
@settings(max_examples=examples(40))
def test_greedy_coverage_is_the_definition_s_ties_included(which, seed, rows, labels, count, radius, memory):
    rng = np.random.default_rng(seed)
    # Points with whole coordinates in a small square: distances, and so gains, often tie.
    values = rng.integers(-3, 4, size=(rows, 2)).astype(np.float32)
    labelled = rng.integers(-3, 4, size=(labels, 2)).astype(np.float32)
    weights = rng.choice([0.25, 1.0], size=rows)
    kernel, similarity = kernels(radius)[which]
    points, others = together(values, labelled)
    whole = points.whole(np.arange(rows))
    cover = Covering(whole, weights, whole, kernel, points.grid.step)
    found = covering(cover, others, count, memory_mb=memory, watch=unwatched)
    assert found == naive(values, weights, labelled, count, similarity)


def pool(rows=600, seed=0, *, labelled=None):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(5, 8)) * 4
    embeddings = (centres[rng.integers(0, 5, rows)] + rng.normal(size=(rows, 8))).astype(np.float32)
    probabilities = rng.dirichlet(np.full(5, 0.3), size=rows)
    return Pool(ids=np.arange(rows), embeddings=embeddings, probabilities=probabilities, labelled=labelled)


@pytest.mark.parametrize("name", ["max_herding", "uherding", "probcover"])
@pytest.mark.parametrize("small", [{}, {"reference": 100, "candidates": 100}])
def test_neither_memory_nor_the_order_of_rows_changes_the_picks(name, small):
    whole = pool(labelled=pool(12, 3).embeddings)
    there = compose(whole, name, count=40, seed=2, params={**small, "memory_mb": 1000})
    back = compose(whole.take(np.arange(600)[::-1]), name, count=40, seed=2, params={**small, "memory_mb": 16})
    assert [(pick.id, pick.terms) for pick in there] == [(pick.id, pick.terms) for pick in back]
    assert len({pick.id for pick in there}) == 40


def test_herding_covers_every_cluster_first():
    five = pool()
    members = nearest_centre(
        five.embeddings.astype(float), np.random.default_rng(0).normal(size=(5, 8)) * 4, memory_mb=100
    )
    picks = strategy("max_herding", {"unit": False, "radius": 4.0}).select(five, 5, np.random.default_rng(0))
    assert {int(members[pick.row]) for pick in picks} == set(range(5))


def test_uherding_goes_where_the_model_is_unsure():
    embeddings = np.array([[0.0], [0.1], [0.2], [10.0], [10.1]])
    sure, unsure = [0.99, 0.01], [0.5, 0.5]
    two = Pool(ids=np.arange(5), embeddings=embeddings, probabilities=np.array([sure, sure, sure, unsure, sure]))
    settings_of = {"unit": False, "radius": 1.0}
    assert strategy("max_herding", settings_of).select(two, 1, np.random.default_rng(0))[0].row == 1
    first = strategy("uherding", settings_of).select(two, 1, np.random.default_rng(0))[0]
    assert first.row == 3
    # The unsure one itself, and 0.02 of uncertainty 0.1 away.
    assert first.score == pytest.approx((1 + 0.02 * math.exp(-0.01)) / 5, abs=1e-4)


def test_probcover_leaves_what_a_label_covers_and_says_when_nothing_is_left():
    embeddings = np.array([[0.0], [0.5], [1.0], [5.0], [5.5]])
    one = Pool(ids=np.arange(5), embeddings=embeddings, labelled=np.array([[0.5]]))
    picks = strategy("probcover", {"unit": False, "radius": 0.5}).select(one, 3, np.random.default_rng(0))
    assert [(pick.row, pick.terms["covered"]) for pick in picks] == [(3, 0.4), (0, 0.0), (1, 0.0)]
    assert picks[0].reason == "40 % of the pool are within 0.5 of it and of no label yet"
    assert picks[1].reason == "nothing is left that is not within 0.5 of a label"


def test_an_unset_reach_is_the_median_distance_between_neighbouring_labels():
    points, labelled = together(np.zeros((3, 1)), np.array([[0.0], [1.0], [4.0]]))
    assert reach(points, labelled, np.random.default_rng(0)) == 1.0
    points, _ = together(np.array([[0.0], [1.0], [5.0]]), None)
    assert reach(points, None, np.random.default_rng(0)) == 4.0
    points, _ = together(np.ones((3, 1)), None)
    assert reach(points, None, np.random.default_rng(0)) == 1.0


@given(seed=st.integers(0, 2**31), purity=st.sampled_from([0.5, 0.9, 0.95]))
@settings(max_examples=examples(10))
def test_an_unset_ball_is_the_largest_that_is_pure_often_enough(seed, purity):
    rng = np.random.default_rng(seed)
    points, _ = together(rng.integers(0, 200, size=(30, 2)).astype(np.float32), None)
    centres = points.whole(np.arange(4))
    members = nearest_centre(points.whole(np.arange(30)), centres, 100)
    distances = np.sqrt(squared(points.whole(np.arange(30)), points.whole(np.arange(30)))) * points.grid.step

    def share(radius):
        return np.mean([len(set(members[near <= radius])) == 1 for near in distances])

    radius = pure(points, centres, rng, purity=purity, memory_mb=100)
    assert share(radius) >= purity
    fewer = [share(larger) for larger in np.unique(distances) if share(larger) < share(radius)]
    assert not fewer or max(fewer) < purity + 1 / 30
