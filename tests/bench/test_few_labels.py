"""Replays from one label a class on: kept as they are made, with a first batch as a pipeline picks it."""

import json
from pathlib import Path

import numpy as np
import pytest
from bench.few_labels.learners import SemiSupervisedProbe
from bench.few_labels.replays import Case, features_file, replay_file, replayed
from bench.few_labels.report import show_budgets, show_lost

from backtest import Curve
from backtest.probe import Embedded, Probe

NAME, CLASSES = "MNIST", 3
LABELS = [10, 20, 30]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Features of three groups of images, of which one is rare."""
    rng = np.random.default_rng(0)
    middles = rng.normal(0, 4, (CLASSES, 8))
    labels = np.repeat([0, 1, 2], [160, 160, 12])
    tests = np.arange(60) % CLASSES
    points, shown = (middles[some] + rng.normal(0, 1, (len(some), 8)) for some in (labels, tests))
    features_file(NAME, tmp_path).write_bytes(Embedded(points, labels, shown, tests).to_bytes())
    return tmp_path


def test_the_default_covers_a_rare_class_with_its_first_labels_and_chance_does_not(kept: Path) -> None:
    first: dict[str, list[float]] = {"random": [], "auto": []}
    for strategy, accuracies in first.items():
        for seed in range(3):
            case = Case(NAME, strategy, seed, semi_supervised=False)
            _, curve = replayed(case, kept)
            assert curve.labels == list(range(3, 37, 3))
            assert json.loads(replay_file(case, kept).read_bytes())["accuracy"] == curve.accuracy
            accuracies += curve.accuracy[:3]
    assert np.mean(first["auto"]) > np.mean(first["random"]) + 0.1


def test_pseudo_labels_are_learned_from_where_they_are_asked_for(kept: Path) -> None:
    data, rows = Embedded.read(features_file(NAME, kept)), np.array([0, 1, 200, 201, 330])
    plain, pseudo = (
        learner(data, ["a", "b", "c"]).learn(rows, seed=0).answers(np.arange(len(data.labels))).probabilities
        for learner in (Probe, SemiSupervisedProbe)
    )
    assert np.abs(plain - pseudo).max() > 0.01
    np.testing.assert_allclose(pseudo.sum(axis=1), 1)


def test_the_tables_say_where_the_default_is_behind_and_what_it_loses(capsys: pytest.CaptureFixture[str]) -> None:
    means = {"random": [0.5, 0.6, 0.7], "margin": [0.5, 0.8, 0.9], "auto": [0.7, 0.75, 0.8]}
    curves = {
        (strategy, semi, seed): Curve(LABELS, [value + 0.01 * seed for value in accuracies])
        for strategy, accuracies in means.items()
        for semi in (False, True)
        for seed in range(8)
    }  # fmt: skip
    show_budgets(NAME, ("random", "margin", "auto"), curves)
    told = capsys.readouterr().out
    assert "  auto                         73.5   78.5   83.5" in told
    assert "33% (33% .. 33%)" in told
    assert "margin at 20 by 5.0 ± 0.0; margin at 30 by 10.0 ± 0.0" in told
    assert "random at" not in told
    fair, bad = Curve(LABELS, [0.5, 0.6, 0.8]), Curve(LABELS, [0.5, 0.6, 0.6])
    show_lost({"rare": [(fair, bad), (fair, fair)]})
    assert "at most 10% lost at the end in 1 of 2 runs (50.0%)" in capsys.readouterr().out
