"""Layouts: what is alike lies together, the same every time, whatever the vectors look like."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import KNeighborsClassifier

from projection import METHODS, Layout, laid_out
from projection.pca import components

DIGITS, CLASSES = (column[:600] for column in load_digits(return_X_y=True))


def kept(points: np.ndarray) -> float:
    """How often the ten nearest points have the class of theirs."""
    near = KNeighborsClassifier(11).fit(points, CLASSES).kneighbors(points, return_distance=False)[:, 1:]
    return float((CLASSES[near] == CLASSES[:, None]).mean())


def test_neighbours_stay_neighbours_where_pca_mixes_them():
    flat = laid_out(DIGITS, Layout(method="pca"))
    all_landmarks, few = laid_out(DIGITS, Layout()), laid_out(DIGITS, Layout(landmarks=200))
    assert (flat.landmarks, all_landmarks.landmarks, few.landmarks) == (None, len(DIGITS), 200)
    assert kept(flat.points) < 0.6
    assert kept(all_landmarks.points) > 0.9
    assert kept(few.points) > 0.85
    assert trustworthiness(DIGITS, few.points, n_neighbors=10) > 0.9


def test_progress_moves_through_the_iterations_and_nothing_is_printed(capsys):
    seen = []
    laid_out(DIGITS, Layout(landmarks=200), lambda what, share: seen.append((what, share)))
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert sum(what == "landmarks" for what, _ in seen) >= 10
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_points(method):
    one, other = (laid_out(DIGITS, Layout(method=method, landmarks=100)).points for _ in range(2))
    assert one.tobytes() == other.tobytes()


def test_another_seed_chooses_other_landmarks():
    one, other = (laid_out(DIGITS, Layout(seed=seed, landmarks=100)).points for seed in (0, 1))
    assert not np.allclose(one, other)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "vectors",
    [
        np.ones((1, 4)),
        np.ones((30, 4)),
        np.arange(40.0)[:, None],
        np.random.default_rng(0).normal(size=(3, 2)),
        np.random.default_rng(0).normal(size=(60, 5)).astype(np.float16) * 1000,
        np.zeros((70, 256), np.uint8),
    ],
    ids=["one", "all equal", "one number each", "three", "half precision, large", "pictures of nothing"],
)
@pytest.mark.filterwarnings("error")
def test_every_set_of_vectors_has_points_within_the_square(method, vectors):
    found = laid_out(vectors, Layout(method=method, landmarks=50))
    assert found.points.shape == (len(vectors), 2)
    assert found.points.dtype == np.float32
    assert np.abs(found.points).max() <= 1 + 1e-6
    assert 0 <= found.variance <= 1 + 1e-9


def test_components_are_those_of_a_pca_in_memory(monkeypatch):
    monkeypatch.setattr("projection.pca.BLOCK", 100)
    found, known = components(DIGITS, 3), PCA(3, svd_solver="full").fit(DIGITS)
    assert np.allclose(np.abs(found.axes), np.abs(known.components_), atol=1e-8)
    assert np.allclose(found.share, known.explained_variance_ratio_)
    assert np.allclose(np.abs(found.of(DIGITS)), np.abs(known.transform(DIGITS)), atol=1e-4)


def test_a_far_away_cloud_loses_no_precision():
    near = components(DIGITS, 2)
    far = components(DIGITS + 1e6, 2)
    assert np.allclose(near.axes, far.axes, atol=1e-6)


def run(tmp_path, vectors, **layout):
    np.save(tmp_path / "vectors.npy", vectors)
    config = {"vectors": str(tmp_path / "vectors.npy"), "out": str(tmp_path / "points.npz"), "layout": layout}
    (tmp_path / "config.json").write_text(json.dumps(config))
    argv = [sys.executable, "-m", "projection", str(tmp_path / "config.json")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_program_says_what_the_library_says(tmp_path):
    code, events = run(tmp_path, DIGITS, seed=3, landmarks=100)
    assert code == 0, events
    known = laid_out(DIGITS, Layout(seed=3, landmarks=100))
    with np.load(tmp_path / "points.npz") as written:
        assert np.array_equal(written["points"], known.points)
        assert np.array_equal(written["uniqueness"], known.uniqueness)
    assert (events[-1]["landmarks"], events[-1]["compared"]) == (100, len(DIGITS))
    told = [event["done"] for event in events if event["event"] == "progress"]
    assert told == sorted(told)
    assert told[-1] == len(DIGITS)


@pytest.mark.parametrize(
    ("vectors", "layout"), [(np.ones(4), {}), (np.ones((0, 3)), {}), (DIGITS, {"method": "magic"})]
)
def test_the_program_names_what_it_cannot_lay_out(tmp_path, vectors, layout):
    code, events = run(tmp_path, vectors, **layout)
    assert (code, events[-1]["code"]) == (1, "invalid_config")
