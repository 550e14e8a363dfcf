"""The probe against scikit-learn, and for what its probabilities promise."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from backtest.probe import DataFault, Embedded, Probe
from tasktypes.rates import calibration_error

CLASSES = [str(digit) for digit in range(10)]


@pytest.fixture(scope="module")
def digits() -> Embedded:
    """Real digits, their pixels as embeddings."""
    found = load_digits()
    pixels, labels = found.data.astype(np.float16), found.target.astype(np.int64)
    return Embedded(pixels[:1200], labels[:1200], pixels[1200:], labels[1200:])


@pytest.mark.parametrize("count", [50, 200])
def test_it_is_not_far_below_logistic_regression(digits, count):
    probe, ours, theirs = Probe(digits, CLASSES), [], []
    for seed in range(4):
        rows = np.random.default_rng(seed).permutation(1200)[:count]
        points = probe.scaled(probe.embedding[rows])
        peer = LogisticRegression(C=0.1, max_iter=1000).fit(points, probe.labels[rows])
        ours.append(probe.learn(rows, seed=0).accuracy())
        theirs.append(peer.score(probe.test, probe.test_labels))
    assert np.mean(ours) > np.mean(theirs) - 0.05


def test_its_probabilities_are_calibrated(digits):
    probe = Probe(digits, CLASSES)
    rows = np.random.default_rng(1).permutation(1200)
    answers = probe.learn(rows[:200], seed=0).answers(rows[200:]).probabilities
    assert answers.sum(axis=1) == pytest.approx(1)
    right = answers.argmax(axis=1) == probe.labels[rows[200:]]
    assert calibration_error(answers.max(axis=1).astype(np.float32), right) < 0.05


def test_equal_rows_give_an_equal_model(digits):
    rows = np.arange(40)
    one, other = (Probe(digits, CLASSES).learn(rows, seed=seed).answers(np.arange(1200)) for seed in (0, 1))
    assert np.array_equal(one.probabilities, other.probabilities)


def test_a_column_without_spread_is_no_fault():
    data = Embedded(np.ones((4, 2)), np.array([0, 1, 0, 1]), np.ones((2, 2)), np.array([0, 1]))
    assert Probe(data, ["a", "b"]).learn(np.arange(4), seed=0).accuracy() == 0.5


def test_the_file_keeps_the_arrays(digits, tmp_path):
    file = tmp_path / "data.npz"
    file.write_bytes(digits.to_bytes())
    read = Embedded.read(file)
    assert np.array_equal(read.embedding, digits.embedding)
    assert np.array_equal(read.test_labels, digits.test_labels)
    assert read.to_bytes() == digits.to_bytes()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"labels": np.array([0])}, "embedding"),
        ({"embedding": np.full((2, 2), np.nan)}, "embedding"),
        ({"test_embedding": np.zeros((1, 3))}, "test_embedding"),
        ({"test_embedding": np.zeros((0, 2)), "test_labels": np.zeros(0, int)}, "test_embedding"),
    ],
)
def test_arrays_that_do_not_fit_are_named(change, field):
    sound = {
        "embedding": np.zeros((2, 2)), "labels": np.zeros(2, int), "test_embedding": np.zeros((1, 2)),
        "test_labels": np.zeros(1, int),
    }  # fmt: skip
    with pytest.raises(DataFault, match=f"^{field}"):
        Embedded(**sound | change)


def test_another_file_is_refused(tmp_path):
    (tmp_path / "data.npz").write_bytes(b"something else")
    with pytest.raises(DataFault, match=r"data\.npz"):
        Embedded.read(tmp_path / "data.npz")
