"""On the grid nothing is rounded; off it, the float32 products stay inside their margin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws import examples

from acquisition import PoolError
from acquisition.kernels.grid import Grid, squared
from acquisition.kernels.points import Points, together
from acquisition.kernels.products import NumpyProducts, TorchProducts, upper_bounds
from worker_programs.config import ConfigError


@given(seed=st.integers(0, 2**31), dimensions=st.integers(1, 700), scale=st.sampled_from([1e-6, 1.0, 3e7]))
@settings(max_examples=examples(40))
def test_squared_distances_on_the_grid_are_python_s_whole_numbers(seed, dimensions, scale):
    rng = np.random.default_rng(seed)
    values = (rng.choice([-1, 1], size=(5, dimensions)) * scale * rng.uniform(0.9, 1, (5, dimensions))).astype(
        np.float32
    )
    whole = Grid.over(float(np.abs(values).max()), dimensions).whole(values)
    exact = [[sum((int(a) - int(b)) ** 2 for a, b in zip(x, y, strict=True)) for y in whole] for x in whole]
    assert [[int(value) for value in row] for row in squared(whole, whole)] == exact


@given(values=st.lists(st.floats(-1000, 1000, width=16), min_size=1, max_size=20))
def test_numbers_of_half_precision_and_like_size_are_kept(values):
    given_values = np.array([values], dtype=np.float16)
    kept = np.abs(given_values) >= 2**-4 * 1.0
    grid = Grid.over(float(np.abs(given_values).max()), len(values))
    assert ((grid.whole(given_values) * grid.step == given_values) | ~kept).all()


@pytest.mark.parametrize("products", [NumpyProducts(), TorchProducts("cpu", 1)], ids=["numpy", "torch"])
@given(seed=st.integers(0, 2**31), dimensions=st.sampled_from([1, 3, 64, 512]), offset=st.sampled_from([0.0, 100.0]))
@settings(max_examples=examples(25))
def test_bounds_by_float32_products_are_never_below_the_distance_and_close_to_it(products, seed, dimensions, offset):
    rng = np.random.default_rng(seed)
    values = (rng.normal(size=(40, dimensions)) + offset).astype(np.float32)
    values[20:] = values[:20] + rng.normal(size=(20, dimensions)).astype(np.float32) * 1e-3
    points = Points(values)
    centres = points.whole(np.arange(7))
    true = squared(points.whole(np.arange(40)), centres).min(axis=1)
    bounds = upper_bounds(points, centres, products)
    assert (bounds >= true).all()
    assert (bounds - true <= 2 * points.margin(float(np.sqrt(points.squares.max())))).all()


@pytest.mark.parametrize("kind", [np.float16, np.float64])
@pytest.mark.parametrize("unit", [False, True])
def test_slices_converted_as_they_are_read_are_the_copy_that_fits_into_memory(kind, unit):
    values = np.random.default_rng(0).normal(size=(5000, 9)).astype(kind)
    copied, converted = Points(values, unit=unit, memory_mb=100), Points(values, unit=unit, memory_mb=0.01)
    rows = np.array([4999, 0, 17])
    assert np.array_equal(copied.rows(rows), converted.rows(rows))
    assert np.array_equal(copied.squares, converted.squares)
    assert copied.grid == converted.grid


def test_unit_makes_lengths_one_and_leaves_zero_alone():
    points = Points(np.array([[3.0, 4.0], [0.0, 0.0]]), unit=True)
    assert points.rows(np.array([0, 1])).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]


def test_points_that_cannot_be_compared_are_named():
    with pytest.raises(PoolError, match="labelled: 3 dimensions, but the embeddings have 2"):
        together(np.ones((4, 2)), np.ones((1, 3)))
    with pytest.raises(PoolError, match="embeddings: the largest magnitude is 1e"):
        together(np.full((4, 2), 1e20), None)


def test_a_gpu_that_is_not_there_is_named():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ConfigError, match="no CUDA GPU"):
        TorchProducts("cuda", 1)


def test_torch_without_full_float32_products_is_refused():
    torch = pytest.importorskip("torch")
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        with pytest.raises(ConfigError, match="precision must be 'highest'"):
            TorchProducts("cpu", 1)
    finally:
        torch.set_float32_matmul_precision(before)
