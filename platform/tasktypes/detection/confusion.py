"""Which class is taken for which, object by object, with the background as one more class. NumPy only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.predictions import BoxPredictions

BACKGROUND = -1
"""Instead of a class: of what is no object, or was not found."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Each object and each detection at its threshold, the two as one where they are at one place: columns (P,)."""

    image: NDArray[np.intp]
    label: NDArray[np.int64]
    """Index of the true class, or BACKGROUND."""
    predicted: NDArray[np.int64]
    score: NDArray[np.float32]
    """0 of an object that was not found."""


def outcomes(side: BoxPredictions) -> Outcomes:
    """First what is right at IoU .5; then each other detection, surest first, is paired with the object that it
    overlaps most, if by IoU .5 or more and if that is still unpaired. What is left is background."""
    counts = side.said & side.counts
    hits = counts & side.at("matched")
    taken = np.zeros(side.truth_class.shape, np.bool_)
    right_image, right = np.nonzero(hits)
    taken[right_image, side.found[right_image, right]] = True
    wrong_image, wrong = np.nonzero(counts & ~hits)
    labels = []
    for row, nearest in zip(wrong_image.tolist(), side.nearest[wrong_image, wrong].tolist(), strict=True):
        paired = nearest >= 0 and not taken[row, nearest]
        labels.append(int(side.truth_class[row, nearest]) if paired else BACKGROUND)
        if paired:
            taken[row, nearest] = True
    missed_image, missed = np.nonzero(side.objects & ~taken)
    nothing = len(missed)
    said_right, said_wrong = side.category[right_image, right], side.category[wrong_image, wrong]
    return Outcomes(
        np.concatenate([right_image, wrong_image, missed_image]),
        np.concatenate([said_right, np.array(labels, np.int64), side.truth_class[missed_image, missed]]),
        np.concatenate([said_right, said_wrong, np.full(nothing, BACKGROUND, np.int64)]),
        np.concatenate([side.score[right_image, right], side.score[wrong_image, wrong], np.zeros(nothing, np.float32)]),
    )


def matrix(side: BoxPredictions, classes: int) -> NDArray[np.int64]:
    """Objects (K + 1, K + 1) by [true][predicted] class; the last row and column are the background."""
    found = outcomes(side)
    label, predicted = (np.where(one == BACKGROUND, classes, one) for one in (found.label, found.predicted))
    cells = np.bincount(label * (classes + 1) + predicted, minlength=(classes + 1) ** 2)
    return cells.reshape(classes + 1, classes + 1).astype(np.int64)


def cell(side: BoxPredictions, label: int, predicted: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """The images in a cell of it and the score of the surest such object in each; BACKGROUND is -1."""
    found = outcomes(side)
    chosen = (found.label == label) & (found.predicted == predicted)
    surest = np.full(len(side), -1, np.float32)
    np.maximum.at(surest, found.image[chosen], found.score[chosen])
    rows = np.flatnonzero(surest >= 0)
    return rows, surest[rows]
