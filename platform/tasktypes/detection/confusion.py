"""The confusion matrix of objects, with the background as one more class. NumPy only."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.predictions import BoxPredictions
from tasktypes.outcomes import NOTHING, Outcomes

DIGITS = 4
"""Decimal digits of corners, which are fractions of the image."""


def outcomes(side: BoxPredictions, threshold: float | None = None) -> Outcomes:
    """Return each object and each detection at its threshold (or at one for all classes) as an outcome, paired if they
    are at the same place. First come detections that are right at IoU .5; then each other detection, highest score
    first, is paired with the object that it overlaps most, if by IoU .5 or more and if that is still unpaired. The rest
    is paired with the background."""
    counts = side.said_from(threshold) & side.counts
    hits = counts & side.at("matched")
    taken = np.zeros(side.truth_class.shape, np.bool_)
    right_image, right = np.nonzero(hits)
    found = side.found[right_image, right].astype(np.int64)
    taken[right_image, found] = True
    wrong_image, wrong = np.nonzero(counts & ~hits)
    paired = _paired(side, taken, wrong_image, wrong)
    missed_image, missed = np.nonzero(side.objects & ~taken)
    nothing = np.full(len(missed), NOTHING, np.int64)
    sample = np.concatenate([right_image, wrong_image, missed_image])
    said, truth = np.concatenate([right, wrong, nothing]), np.concatenate([found, paired, missed])
    return Outcomes(
        sample=sample,
        label=np.where(truth == NOTHING, NOTHING, side.truth_class[sample, truth]).astype(np.int64),
        predicted=np.where(said == NOTHING, NOTHING, side.category[sample, said]).astype(np.int64),
        right=np.arange(len(sample)) < len(right),
        score=np.where(said == NOTHING, _below(side, counts)[sample, truth], side.score[sample, said]),
        said=said,
        truth=truth,
    )


def _paired(
    side: BoxPredictions, taken: NDArray[np.bool_], images: NDArray[np.intp], detections: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the object paired with each detection (n,), marking it as used; NOTHING for none."""
    found = side.nearest[images, detections].astype(np.int64)
    for at, (image, nearest) in enumerate(zip(images.tolist(), found.tolist(), strict=True)):
        if nearest == NOTHING or taken[image, nearest]:
            found[at] = NOTHING
        else:
            taken[image, nearest] = True
    return found


def _below(side: BoxPredictions, said: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return, for each row of truth (N, G), the score of the detection that would match it at a lower threshold; 0
    without one."""
    image, detection = np.nonzero(side.counts & side.at("matched") & ~said)
    found = np.zeros(side.truth_class.shape, np.float32)
    found[image, side.found[image, detection]] = side.score[image, detection]
    return found


def matrix(side: BoxPredictions, classes: int) -> NDArray[np.int64]:
    """Count objects (K + 1, K + 1) by [true][predicted] class; the last row and column are the background."""
    found = outcomes(side)
    label, predicted = (np.where(one == NOTHING, classes, one) for one in (found.label, found.predicted))
    cells = np.bincount(label * (classes + 1) + predicted, minlength=(classes + 1) ** 2)
    return cells.reshape(classes + 1, classes + 1).astype(np.int64)


def places(side: BoxPredictions, listed: Outcomes, threshold: float | None = None) -> list[dict[str, Any]]:
    """Return for each outcome `box` of the detection and `object`, x1, y1, x2, y2 as fractions of the image, and
    `overlap`: their IoU; for a detection alone, the highest with an object of any class; for an object alone, the
    highest with a detection at its threshold; 0 if there is none. Detections are kept as float16: IoUs are off by about
    0.01 for small ones."""
    said = side.said_from(threshold)
    found = []
    columns = (listed.sample.tolist(), listed.said.tolist(), listed.truth.tolist())
    for image, detection, truth in zip(*columns, strict=True):
        box = side.boxes[image, detection].astype(np.float64) if detection != NOTHING else None
        true = side.truth_boxes[image, truth].astype(np.float64) if truth != NOTHING else None
        if box is None:
            assert true is not None  # noqa: S101 - one of the two is there
            overlap = _highest(true, side.boxes[image, said[image]].astype(np.float64))
        else:
            overlap = _highest(box, side.truth_boxes[image, side.objects[image]] if true is None else true[None])
        found.append({"box": _corners(box), "object": _corners(true), "overlap": round(overlap, DIGITS)})
    return found


def _highest(box: NDArray[np.float64], others: NDArray[np.floating[Any]]) -> float:
    """Return the highest IoU of a box (4,) with some others (n, 4)."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.maximum(high - low, 0), axis=1)
    area, areas = (np.prod(np.maximum(one[..., 2:] - one[..., :2], 0), axis=-1) for one in (box, others))
    return float((shared / np.maximum(area + areas - shared, np.finfo(np.float64).tiny)).max(initial=0.0))


def _corners(box: NDArray[np.float64] | None) -> list[float] | None:
    return None if box is None else [round(float(part), DIGITS) for part in box]
