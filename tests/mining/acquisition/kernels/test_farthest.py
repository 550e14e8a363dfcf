"""k-center picks what the definition picks, however the work is cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import Pool, compose, strategy
from acquisition.kernels.farthest import Search, farthest
from acquisition.kernels.points import together
from acquisition.kernels.products import NumpyProducts, TorchProducts
from acquisition.registry import unwatched


def naive(whole, centres, count):
    """In Python's whole numbers: farthest first, of equally far ones the lower row."""
    points = [tuple(int(x) for x in row) for row in whole]
    reference = [tuple(int(x) for x in row) for row in centres]
    picks: list[int] = []
    for _ in range(min(count, len(points))):
        distances = [min(sum((a - b) ** 2 for a, b in zip(p, c, strict=True)) for c in reference) for p in points]
        picks.append(
            max((row for row in range(len(points)) if row not in picks), key=lambda row: (distances[row], -row))
        )
        reference.append(points[picks[-1]])
    return picks


def picked(values, labelled, count, *, block=512, products=None):
    points, others = together(values, labelled)
    found = farthest(Search(points, products or NumpyProducts(), block, unwatched), others, count)
    return [row for row, _ in found]


@given(
    seed=st.integers(0, 2**31), rows=st.integers(1, 50), count=st.integers(1, 50), block=st.integers(1, 20),
    spread=st.sampled_from([1, 3, 1000]),
)  # fmt: skip
@settings(max_examples=examples(40))
def test_lazy_blocks_pick_what_one_at_a_time_picks_ties_included(seed, rows, count, block, spread):
    rng = np.random.default_rng(seed)
    points = rng.integers(-spread, spread + 1, size=(rows, 3)).astype(np.float32)
    centres = rng.integers(-3, 4, size=(2, 3)).astype(np.float32)
    assert picked(points, centres, count, block=block) == naive(points, centres, count)


@given(seed=st.integers(0, 2**31), block=st.integers(1, 70), torch=st.booleans())
@settings(max_examples=examples(15))
def test_near_ties_that_float32_cannot_tell_apart_are_decided_exactly(seed, block, torch):
    """All points lie within 1e-5 of a circle far from the origin: float32 products err by more than they differ."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(60, 32))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    values = (50 + directions * (1 + 1e-5 * rng.random((60, 1)))).astype(np.float32)
    centre = np.full((1, 32), 50, np.float32)
    points, _ = together(values, centre)
    expected = naive(points.whole(np.arange(60)), points.grid.whole(centre), 40)
    products = TorchProducts("cpu", 0.001) if torch else NumpyProducts()
    assert picked(values, centre, 40, block=block, products=products) == expected


def test_neither_blocks_nor_memory_nor_row_order_nor_torch_change_the_picks():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(9000, 16)).astype(np.float16)
    expected = picked(values, None, 300)
    assert len(set(expected)) == 300
    assert picked(values, None, 300, products=TorchProducts("cpu", 100)) == expected
    order = rng.permutation(9000)
    for ids, params in ((order, {"block": 7, "memory_mb": 16}), (np.arange(9000), {"block": 4096})):
        picks = compose(Pool(ids=ids, embeddings=values[ids]), "k_center", count=300, seed=0, params=params)
        assert [pick.id for pick in picks] == expected


def test_without_labels_the_first_pick_is_the_farthest_from_the_mean_which_then_counts_no_more():
    values = np.array([[0.0], [1.0], [2.0], [5.0], [17.0]])
    choices = strategy("k_center").select(Pool(ids=np.arange(5), embeddings=values), 3, np.random.default_rng(0))
    # The third pick lies on the mean: it would be the last one if the mean still counted as a centre.
    assert [(choice.row, choice.score) for choice in choices] == [(4, 12.0), (0, 17.0), (3, 5.0)]


def test_a_pick_tells_how_far_it_was_when_it_was_picked():
    pool = Pool(ids=np.arange(3), embeddings=np.array([[3.0, 4.0], [3.0, 5.0], [0.0, 1.0]]), labelled=np.zeros((1, 2)))
    choices = strategy("k_center").select(pool, 3, np.random.default_rng(0))
    assert [choice.row for choice in choices] == [1, 0, 2]
    assert choices[0].terms == {"distance": pytest.approx(34**0.5)}
    assert choices[0].reason == "5.83 away from all that is labelled or picked"


def test_progress_is_told_and_a_cancel_ends_the_selection():
    class CancelError(Exception):
        pass

    def watch(done, total):
        told.append((done, total))
        if done > 20:
            raise CancelError

    told: list[tuple[int, int]] = []
    pool = Pool(ids=np.arange(500), embeddings=np.random.default_rng(0).normal(size=(500, 4)))
    with pytest.raises(CancelError):
        strategy("k_center", {"block": 8}).select(pool, 400, np.random.default_rng(0), watch=watch)
    assert told == sorted(told)
    assert {total for _, total in told} == {400}
