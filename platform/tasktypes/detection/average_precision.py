"""Average precision of objects as COCO has it, of images drawn any number of times. NumPy only.

COCO's: detections of a class over all images, highest score first; at each of 101 recalls the highest precision at that
recall or any higher one; the mean of the 101. With every weight 1 it is `COCOeval.accumulate`'s figure.

An image drawn w times counts as w images in a row; where detections of one image have equal scores, each is drawn w
times before the next. Copies of a right detection come in a row and lift the highest precision: drawn figures lie
above that of the samples, by about a third of the interval's width in the case below.

Only detections that are an object change recall, and precision is highest there, so the curves are computed at those
alone: for 500 images with 100 detections and 5 objects each, 10 classes and 10 IoU thresholds, 1,000 draws take about a
second on two cores, so no figure needs fewer draws than the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.matching import IOUS
from tasktypes.detection.predictions import BoxPredictions

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Weights = NDArray[np.integer]
Places = NDArray[np.intp]

RECALLS = np.linspace(0.0, 1.0, 101)
CELLS = 1 << 22
"""The number of detections x draws in memory at a time."""
ALL_BITS = (1 << IOUS) - 1


@dataclass(frozen=True, slots=True)
class Ranking:
    """The detections of one class in one range of areas, highest score first (n,), and its objects."""

    image: NDArray[np.intp]
    score: NDArray[np.float32]
    hit: NDArray[np.uint16]
    """A bit for each IoU threshold at which the detection is an object that counts."""
    ignored: NDArray[np.uint16]
    objects: Ints
    """The number of objects of each image (N,)."""


def rankings(side: BoxPredictions, classes: Sequence[int], area: int = 0) -> list[Ranking]:
    """Return the ranking of each class in a range of `matching.AREAS`."""
    rows, columns = np.nonzero(side.category >= 0)
    category, score = side.category[rows, columns], side.score[rows, columns]
    order = np.lexsort((-score, category))  # stable: equal scores stay in the order of images
    category, score, rows, columns = category[order], score[order], rows[order], columns[order]
    ignored = side.ignored[rows, columns, area]
    hit = side.matched[rows, columns, area] & ~ignored
    counts = side.objects & (side.truth_ignored >> area & 1 == 0)
    found = []
    for index in classes:
        part = slice(*np.searchsorted(category, [index, index + 1]).tolist())
        objects = (counts & (side.truth_class == index)).sum(axis=1)
        found.append(Ranking(rows[part], score[part], hit[part], ignored[part], objects.astype(np.int64)))
    return found


def average_precisions(ranking: Ranking, weights: Weights, ious: Sequence[int]) -> Floats:
    """Return the average precisions (D, T) at some IoU thresholds, by how often each image counts (D, N); NaN in a draw
    without an object."""
    return _drawn(ranking, weights, ious, _Curves.area)


def recalls_at(ranking: Ranking, weights: Weights, percent: int, iou: int = 0) -> Floats:
    """Return (D,) the highest recall at which at least `percent` of the detections so far are right; 0 where none
    is."""
    return _drawn(ranking, weights, [iou], partial(_Curves.recall, percent=percent))[:, 0]


def _drawn(
    ranking: Ranking, weights: Weights, ious: Sequence[int], figure: "Callable[[_Curves, Places, int, Ints], Floats]"
) -> Floats:
    """Return `figure` (D, T) of the places of right detections and the number of objects of each draw; 0 without a
    right detection."""
    image, hit, ignored = ranking.image, ranking.hit, ranking.ignored
    last = int(np.flatnonzero(hit)[-1]) + 1 if hit.any() else 0  # what comes after changes no figure
    image, hit, ignored = image[:last], hit[:last], ignored[:last]
    total = weights @ ranking.objects
    found = np.where(total > 0, 0.0, np.nan)[:, None].repeat(len(ious), axis=1)
    step = max(1, CELLS // max(1, last))
    for at in range(0, len(weights) if last else 0, step):
        drawn = np.ascontiguousarray(weights[at : at + step].T.astype(np.float32))
        known = total[at : at + step] > 0
        curves = _Curves(image, ignored, drawn)
        for number, iou in enumerate(ious):
            places = np.flatnonzero(hit >> iou & 1)
            if len(places):
                values = figure(curves, places, iou, np.maximum(total[at : at + step], 1))
                found[at : at + step, number][known] = values[known]
    return found


class _Curves:
    """The precision-recall curves of one block of draws."""

    def __init__(self, image: NDArray[np.intp], ignored: NDArray[np.uint16], drawn: NDArray[np.float32]) -> None:
        self._image, self._ignored, self._drawn = image, ignored, drawn
        self._steady = np.flatnonzero(ignored == 0)
        self._seen = self._summed(self._steady)
        self._mixed = np.flatnonzero((ignored > 0) & (ignored < ALL_BITS))  # ignored at some thresholds alone

    def _summed(self, places: Places) -> NDArray[np.float32]:
        """Count, cumulatively, the drawn detections at `places` (n + 1, D); float32 counts exactly up to 2^24."""
        summed = np.zeros((len(places) + 1, self._drawn.shape[1]), np.float32)
        np.cumsum(self._drawn[self._image[places]], axis=0, out=summed[1:])
        return summed

    def _counted(self, places: Places, iou: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Count the right detections, and all that count, up to each of the places (n, D)."""
        right = self._summed(places)[1:]
        seen = self._seen[np.searchsorted(self._steady, places, "right")]
        mixed = self._mixed[self._ignored[self._mixed] >> iou & 1 == 0]
        if len(mixed):
            seen = seen + self._summed(mixed)[np.searchsorted(mixed, places, "right")]
        return right, seen

    def area(self, places: Places, iou: int, total: Ints) -> Floats:
        """Return the average precision (D,) from the places (n,) of right detections and the number of objects in each
        draw."""
        right, seen = self._counted(places, iou)
        precision = right / np.maximum(seen, 1)
        highest = np.maximum.accumulate(precision[::-1], axis=0)[::-1]
        reached = np.searchsorted(RECALLS, right / total, "right")
        gained = np.diff(reached, axis=0, prepend=0)
        return np.asarray(np.einsum("nd,nd->d", gained, highest, dtype=np.float64) / len(RECALLS), np.float64)

    def recall(self, places: Places, iou: int, total: Ints, *, percent: int) -> Floats:
        """Return (D,) from the same inputs as `area` the highest recall at which at least `percent` of the detections
        so far are right."""
        right, seen = self._counted(places, iou)
        enough = right.astype(np.float64) * 100 >= seen.astype(np.float64) * percent
        return np.asarray(np.where(enough, right, 0).max(axis=0) / total, np.float64)


def curve(ranking: Ranking, iou: int = 0) -> tuple[Floats, Floats] | None:
    """Return the highest precision at each of 101 recalls or above, and the score there (101,) each, 0 where the recall
    is not reached; None without an object."""
    total = int(ranking.objects.sum())
    if not total:
        return None
    counts = np.flatnonzero(ranking.ignored >> iou & 1 == 0)
    hit = (ranking.hit[counts] >> iou & 1).astype(np.int64)
    right = np.cumsum(hit)
    precision = right / np.arange(1, len(counts) + 1)
    highest = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    at = np.searchsorted(right / total, RECALLS)
    score = np.append(ranking.score[counts].astype(np.float64), 0.0)
    return highest[at], score[at]
