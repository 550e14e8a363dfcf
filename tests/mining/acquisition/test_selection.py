"""The control arm is fair, names that don't exist are named, neighbours are near."""

import numpy as np
import pytest

from acquisition import Pool, compose, nearest, strategy
from worker_programs.config import ConfigError


def test_the_control_arm_is_a_fair_sample_with_its_probability():
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    hits = np.zeros(50)
    for seed in range(2000):
        picks = compose(Pool(ids=np.arange(50), probabilities=p), "margin", count=10, seed=seed, control=0.4)
        control = [pick for pick in picks if pick.control]
        assert len(control) == 4
        assert all(pick.probability == pytest.approx(4 / 50) for pick in control)
        hits[[pick.id for pick in control]] += 1
    # 2,000 draws of 4 in 50: each sample expects 160 hits, standard deviation 12; 6 of them bound a fair draw.
    assert abs(hits - 160).max() < 6 * 12.2


def test_random_reports_the_chance_every_sample_had():
    picks = compose(Pool(ids=np.arange(40)), "random", count=10, seed=3, control=0.5)
    assert {pick.probability for pick in picks} == {0.25}
    assert not any(pick.control for pick in picks)


def test_an_unknown_strategy_or_parameter_is_named():
    with pytest.raises(ConfigError, match=r"unknown strategy 'magic'; there are .*entropy.*k_center"):
        strategy("magic")
    with pytest.raises(ConfigError, match=r"strategy\.params\.block"):
        strategy("k_center", {"block": 0})


def test_nearest_labelled_neighbours_are_the_nearest():
    rows, distances = nearest(np.array([[0.0, 0.0]]), np.array([[5.0, 0.0], [1.0, 0.0], [3.0, 4.0]]), 2)
    assert rows.tolist() == [[1, 0]]
    assert distances[0] == pytest.approx([1, 5])
