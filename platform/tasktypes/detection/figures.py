"""The figures of objects in images, as the bootstrap draws them. NumPy only.

For average precision each image is a kind of its own: it depends on the order of all detections. What is counted at a
threshold depends on an image's counts alone.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tasktypes.bootstrap import SHARES, Counts, Floats, Ints, Kinds, counted, means, rate
from tasktypes.detection.average_precision import Ranking, average_precisions, rankings, recalls_at
from tasktypes.detection.matching import IOUS
from tasktypes.detection.predictions import BoxPredictions

Sides = Sequence[BoxPredictions]
ALL_IOUS = tuple(range(IOUS))
IOU50, IOU75 = 0, 5
"""Indices of the IoU thresholds .5 and .75."""
ALL, SMALL, MEDIUM, LARGE = range(4)
"""Indices in `matching.AREAS`."""
PRECISION = 90
"""The precision of `recall_at_p90`, in per cent."""


def with_objects(side: BoxPredictions) -> list[int]:
    """Return the classes that have an object."""
    return [int(name) for name in np.unique(side.truth_class[side.objects])]


def mean_of_known(values: Floats) -> Floats:
    """Return the mean (D,) of (D, ..) over the values that are not NaN; NaN if all are."""
    flat = values.reshape(len(values), -1)
    known = ~np.isnan(flat)
    total = np.where(known, flat, 0).sum(axis=1)
    return np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)


def _ranked(
    figure: Callable[[Ranking, Ints], Floats], sides: Sides, index: int | None, *, area: int = ALL
) -> Kinds:  # fmt: skip
    """Return the kinds for the mean over classes of `figure` of their rankings, (D, ..), or for one class."""
    ranked = [rankings(side, with_objects(side) if index is None else [index], area) for side in sides]

    def mean(drawn: Ints, side: int) -> Floats:
        if not ranked[side]:
            return np.full(len(drawn), np.nan)
        return mean_of_known(np.stack([figure(one, drawn) for one in ranked[side]], axis=1))

    return Kinds(np.ones(len(sides[0]), np.int64), len(sides), mean)


def _area_under(*ious: int, area: int = ALL) -> Callable[[Sides, int | None], Kinds]:
    """Return the average precision, as the mean over IoU thresholds."""
    return partial(_ranked, partial(average_precisions, ious=ious), area=area)


def counts_of(side: BoxPredictions, index: int | None = None) -> tuple[Ints, Ints, Ints]:
    """Count for each image (N,), in one class or in all: objects found, objects, and detections at their threshold."""
    said, objects = side.said & side.counts, side.objects
    if index is not None:
        said, objects = said & (side.category == index), objects & (side.truth_class == index)
    hits = said & side.at("matched")
    summed = (marks.sum(axis=1).astype(np.int64) for marks in (hits, objects, said))
    hit, has, named = summed
    return hit, has, named


def _share(share: Callable[[Counts, Counts, Counts], Floats], sides: Sides, index: int | None) -> Kinds:
    """`share` of (objects found, objects, detections at their threshold), each (D,)."""
    columns = [column for side in sides for column in counts_of(side, index)]
    codes, counts, _ = counted(columns)

    def statistic(drawn: Ints, side: int) -> Floats:
        hit, has, named = (drawn @ code for code in codes[3 * side : 3 * side + 3])
        return share(hit, has, named)

    return Kinds(counts, len(sides), statistic)


def _exact_match(sides: Sides, _: int | None) -> Kinds:
    return rate([side.right for side in sides])


def _loss(sides: Sides, _: int | None) -> Kinds:
    return means([side.losses for side in sides])


def class_areas(side: BoxPredictions, classes: int, weights: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """`ap` and `ap50` of each class (D, K), by how often each image counts (D, N)."""
    found = np.stack([average_precisions(one, weights, ALL_IOUS) for one in rankings(side, range(classes))], axis=1)
    return found.mean(axis=2), found[:, :, IOU50]


FIGURES: Mapping[str, Callable[[Sides, int | None], Kinds]] = {
    "map": _area_under(*ALL_IOUS),
    "map50": _area_under(IOU50),
    "map75": _area_under(IOU75),
    "map_small": _area_under(*ALL_IOUS, area=SMALL),
    "map_medium": _area_under(*ALL_IOUS, area=MEDIUM),
    "map_large": _area_under(*ALL_IOUS, area=LARGE),
    "ap": _area_under(*ALL_IOUS),
    "ap50": _area_under(IOU50),
    "recall_at_p90": partial(_ranked, partial(recalls_at, percent=PRECISION)),
    **{name: partial(_share, share) for name, share in SHARES.items()},
    "exact_match": _exact_match,
    "loss": _loss,
}
