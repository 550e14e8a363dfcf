"""BADGE: factorised distances are those of the written-out embeddings; rejection draws by k-means++'s law."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import Pool, compose, strategy
from acquisition.kernels import seeding
from acquisition.kernels.gradients import Gradients
from acquisition.kernels.seeding import seeded
from acquisition.registry import unwatched


def written_out(probabilities, features):
    """(N, K D) by the definition."""
    rows = []
    for p, h in zip(probabilities.astype(float), features.astype(float), strict=True):
        q = p.copy()
        q[int(np.argmax(p))] -= 1
        rows.append(np.outer(q, h).ravel())
    return np.array(rows)


def some(seed, rows, classes=3, dimensions=4):
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.full(classes, 0.3), size=rows).astype(np.float32)
    return probabilities, rng.normal(size=(rows, dimensions)).astype(np.float32)


@given(seed=st.integers(0, 2**31), rows=st.integers(1, 40), classes=st.integers(1, 12), dimensions=st.integers(1, 80))
@settings(max_examples=examples(50))
def test_distances_by_factors_are_those_of_the_embeddings_and_bounds_hold(seed, rows, classes, dimensions):
    probabilities, features = some(seed, rows, classes, dimensions)
    features[rows // 2 :] = features[: rows - rows // 2]
    space = Gradients(probabilities, features)
    embeddings = written_out(probabilities, features)
    expected = ((embeddings[:, None] - embeddings[None]) ** 2).sum(axis=2)
    every = np.arange(rows)
    found = space.distances(every, every)
    largest = max(float(space.squares.max()), 1e-30)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-10 * largest)
    assert (np.diag(found) == 0).all()
    centres = every[: max(1, rows // 3)]
    bounds, true = space.upper_bounds(centres), found[:, centres].min(axis=1)
    assert (bounds >= true).all()
    assert (bounds - true <= 1e-4 * largest).all()


def law(embeddings, count):
    """Probability of every ordered outcome of k-means++ with the longest first, by the definition."""
    first = int((embeddings**2).sum(axis=1).argmax())
    outcomes: dict[tuple[int, ...], float] = {(first,): 1.0}
    for _ in range(count - 1):
        longer: dict[tuple[int, ...], float] = {}
        for picks, chance in outcomes.items():
            squares = ((embeddings[:, None] - embeddings[list(picks)]) ** 2).sum(axis=2).min(axis=1)
            for row, square in enumerate(squares):
                if row not in picks:
                    longer[(*picks, row)] = chance * square / squares.sum()
        outcomes = longer
    return outcomes


@pytest.mark.parametrize("seed", [1, 2])
def test_draws_by_rejection_follow_the_law_of_k_means_plus_plus(seed):
    probabilities, features = some(seed, 5)
    space, expected = Gradients(probabilities, features), law(written_out(probabilities, features), 4)
    runs = 4000
    rng = np.random.default_rng(0)
    seen: dict[tuple[int, ...], int] = dict.fromkeys(itertools.permutations(range(5), 4), 0)
    for _ in range(runs):
        seen[tuple(int(row) for row in seeded(space, 4, rng, watch=unwatched)[0])] += 1
    assert all(expected.get(picks) for picks, times in seen.items() if times)
    # Pearson's chi-square with 23 degrees of freedom exceeds 60 with a chance of 4e-5; the seed is fixed.
    square = sum((seen[picks] - runs * chance) ** 2 / (runs * chance) for picks, chance in expected.items())
    assert square < 60


def test_weights_that_stay_stale_for_many_draws_leave_the_law_alone(monkeypatch):
    """Forty draws with no pass over the points between them: the last accepted row has the true law."""
    monkeypatch.setattr(seeding, "PATIENCE", 10_000)
    probabilities, features = some(7, 6)
    expected = law(written_out(probabilities, features), 3)
    third = np.zeros(6)
    for picks, chance in expected.items():
        third[picks[2]] += chance
    rng, space = np.random.default_rng(0), Gradients(probabilities, features)
    seen = np.bincount([seeded(space, 3, rng, watch=unwatched)[0][2] for _ in range(3000)], minlength=6)
    held = third > 0
    assert seen[~held].sum() == 0
    assert ((seen[held] - 3000 * third[held]) ** 2 / (3000 * third[held])).sum() < 30


def test_the_longest_is_first_and_each_distance_is_to_the_nearest_before():
    probabilities, features = some(3, 300)
    rows, distances = seeded(Gradients(probabilities, features), 40, np.random.default_rng(0), watch=unwatched)
    embeddings = written_out(probabilities, features)
    assert rows[0] == np.linalg.norm(embeddings, axis=1).argmax()
    for at in range(1, 40):
        nearest = np.linalg.norm(embeddings[rows[:at]] - embeddings[rows[at]], axis=1).min()
        assert distances[at] == pytest.approx(nearest, rel=1e-6)


def test_copies_of_a_pick_come_only_when_nothing_else_is_left_and_then_by_id():
    probabilities, features = some(4, 4)
    pool = Pool(ids=np.arange(40), probabilities=np.tile(probabilities, (10, 1)), embeddings=np.tile(features, (10, 1)))
    rows = [choice.row for choice in strategy("badge").select(pool, 40, np.random.default_rng(0))]
    assert sorted(row % 4 for row in rows[:4]) == [0, 1, 2, 3]
    assert rows[4:] == sorted(set(range(40)) - set(rows[:4]))


def test_a_certain_model_has_no_gradients_and_gives_the_lower_ids():
    pool = Pool(ids=np.arange(6), probabilities=np.eye(3)[[0, 1, 2, 0, 1, 2]], embeddings=np.ones((6, 2)))
    assert [choice.row for choice in strategy("badge").select(pool, 3, np.random.default_rng(0))] == [0, 1, 2]


def test_the_order_of_rows_does_not_change_the_draws():
    probabilities, features = some(6, 5000)
    order = np.random.default_rng(1).permutation(5000)
    there = compose(
        Pool(ids=np.arange(5000), probabilities=probabilities, embeddings=features), "badge", count=300, seed=9
    )
    back = compose(
        Pool(ids=order, probabilities=probabilities[order], embeddings=features[order]), "badge", count=300, seed=9
    )
    assert [pick.id for pick in there] == [pick.id for pick in back]
    assert len({pick.id for pick in there}) == 300
