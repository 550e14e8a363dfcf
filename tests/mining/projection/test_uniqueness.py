"""How unlike the others vectors are: as the plain definition says, whatever they are and with however many others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from projection.landmarks import chosen
from projection.uniqueness import FEWEST, NEIGHBOURS, PAIRS, compared_with, uniqueness

VECTORS = st.tuples(st.integers(1, 40), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.floats(-100, 100, width=32))
)


def plainly(vectors: np.ndarray, others: int, seed: int) -> list[float]:
    """One by one, in double precision."""
    rows, wide = chosen(len(vectors), others, seed), vectors.astype(np.float64)
    found = []
    for at, vector in enumerate(wide):
        away = sorted(float(np.linalg.norm(vector - wide[row])) for row in rows if row != at)
        found.append(float(np.mean(away[: min(NEIGHBOURS, len(rows) - 1)])) if len(rows) > 1 else 0.0)
    return found


@given(VECTORS, st.integers(1, 40), st.integers(0, 3))
def test_it_is_the_mean_distance_to_the_three_nearest_others(vectors, others, seed):
    found = uniqueness(vectors, others, seed)
    assert found.dtype == np.float32
    # Which of nearly equal neighbours are taken may differ in single precision, by as little as they differ.
    assert np.allclose(found, plainly(vectors, others, seed), rtol=1e-4, atol=0.05)


def test_what_is_there_four_times_has_none_and_an_oddity_the_most():
    rng = np.random.default_rng(0)
    crowd = rng.normal(size=(500, 50)).astype(np.float32) + 1000  # far from the origin, where products are coarse
    vectors = np.concatenate([crowd, np.repeat(crowd[:1], 3, axis=0), crowd[:1] + 90])
    found = uniqueness(vectors, len(vectors), 0)
    assert found[[0, 500, 501, 502]].tolist() == [0, 0, 0, 0]
    assert found.argmax() == 503
    assert (found[1:500] > 0).all()


def test_each_is_compared_with_all_until_that_takes_too_long():
    assert [compared_with(size) for size in (1, FEWEST, 60_000)] == [1, FEWEST, 60_000]
    assert compared_with(100_000) == PAIRS // 100_000
    assert compared_with(10**8) == FEWEST
