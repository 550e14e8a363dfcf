"""Masks: their outlines enclose exactly their pixels, and what is wrong with them is said in time."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.laws import examples

from formats import FormatError
from formats.masks import Shape, coco_runs, outlines_of, shape_of
from formats.polygons import area

MASKS = st.integers(1, 7).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 1), min_size=width, max_size=width), min_size=1, max_size=7)
)


def runs_of(mask: NDArray[np.uint8], *, by_columns: bool = True) -> list[int]:
    """The plain run lengths of a mask, first those of zeros."""
    flat = mask.flatten(order="F" if by_columns else "C").tolist()
    runs, now = [0], 0
    for pixel in flat:
        if pixel != now:
            runs.append(0)
            now = pixel
        runs[-1] += 1
    return runs


@settings(max_examples=examples(300))
@given(rows=MASKS, order=st.sampled_from(["columns", "rows"]))
def test_the_box_is_exact_and_outlines_enclose_just_the_pixels(rows: list[list[int]], order: str) -> None:
    mask, by_columns = np.array(rows, np.uint8), order == "columns"
    height, width = mask.shape
    shape = shape_of(np.array(runs_of(mask, by_columns=by_columns)), (width, height), by_columns=by_columns)
    if shape is None:
        assert not mask.any()
        return
    ys, xs = np.nonzero(mask)
    assert shape.box == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
    if shape.outlines:
        assert sum(map(area, shape.outlines)) == mask.sum()


def test_each_piece_has_an_outline_unless_one_has_a_hole() -> None:
    ring = np.ones((3, 3), np.uint8)
    ring[1, 1] = 0
    assert outlines_of(ring) == []
    assert outlines_of(np.pad(ring, ((0, 0), (0, 4)), constant_values=1)) == []
    assert outlines_of(np.array([[1, 0, 1]], np.uint8)) == [
        [[0, 0], [0, 1], [1, 1], [1, 0]],
        [[2, 0], [2, 1], [3, 1], [3, 0]],
    ]
    assert len(outlines_of(np.ones((2, 3), np.uint8))) == 1


def test_a_packed_string_is_what_its_tools_make_of_it() -> None:
    """The string that pycocotools makes of a 50 by 100 mask with ones in rows 5 to 24 of columns 10 to 29."""
    runs = coco_runs("i?d0n00000000000000000000000000000000000000W]3", "x")
    assert runs.tolist() == [505, *[20, 30] * 19, 20, 3525]
    expected = Shape((10, 5, 30, 25), [[[10, 5], [10, 25], [30, 25], [30, 5]]])
    assert shape_of(runs, (100, 50)) == expected


@pytest.mark.parametrize("counts", ["\ud7ff", "oooooooooooooooooooooooo", [1.5], [True], {}, None, [2**80], [-5, 10]])
def test_what_is_no_mask_is_refused(counts: object) -> None:
    with pytest.raises(FormatError):
        shape_of(coco_runs(counts, "x"), (1, 5))


def test_a_mask_that_claims_a_huge_image_is_refused_or_boxed_quickly() -> None:
    started = time.monotonic()
    with pytest.raises(FormatError, match="has not the"):
        shape_of(coco_runs([0, 10**9], "x"), (100, 100))
    huge = shape_of(coco_runs([10**9, 10**9], "x"), (2 * 10**4, 10**5))
    assert huge is not None
    assert huge.outlines == []
    assert time.monotonic() - started < 1
