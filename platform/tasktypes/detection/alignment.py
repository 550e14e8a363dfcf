"""Match the boxes that the members of a committee give for the same object. NumPy only.

A question is "is there an object of this class in this place?", and a member that has no such box answers no. So boxes
are matched within a class: where one member sees a stop sign and another a yield sign in the same place, the members
are divided over both.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.shapes import iou
from tasktypes.detection.answers import CLASS, SCORE, asked_scores
from tasktypes.detection.matching import LEAST_IOU

Boxes = NDArray[np.floating[Any]]
IMAGES = 512
"""The number of images aligned together: they take a few MiB of memory for each member."""


def aligned(members: Boxes) -> Boxes:
    """Sort the boxes (N, C, M, 6) of C members by question: each member has at index t its box for question t, or the
    question's box with score 0 if it has none. Questions with the highest score come first; those beyond M are left
    out.

    Greedily, as COCO matches detections with objects: the box with the highest score of all members that belongs to no
    question yet begins one, if it scores at least 0.05 or highest in its image; from each other member the box of its
    class that overlaps it most joins, if by IoU .5 or more. Boxes are sorted by score, class and corners, so that the
    order in which boxes or members are given changes no question.
    """
    return np.concatenate(
        [members[:0], *(_aligned(members[at : at + IMAGES]) for at in range(0, len(members), IMAGES))]
    )


def _aligned(members: Boxes) -> Boxes:
    count, size, room, columns = members.shape
    made = np.zeros_like(members)
    pooled, owner = _ranked(members)
    waiting = pooled[..., SCORE] > 0
    asked = asked_scores(pooled[..., SCORE])
    images = np.arange(count)
    for question in range(room):
        images = images[(waiting & asked)[images].any(axis=1)]
        if not len(images):
            break
        rows = np.arange(len(images))
        first = (waiting & asked)[images].argmax(axis=1)
        seed = pooled[images, first]
        made[images, :, question] = np.where(np.arange(columns) == SCORE, 0, seed)[:, None]
        near = np.where(waiting[images], _shared(seed, pooled[images]), 0.0)
        near[rows, first] = 1.0  # also of a box without an area
        for member in range(size):
            reach = np.where(owner[images] == member, near, 0.0)
            best = reach.argmax(axis=1)
            joins = rows[reach[rows, best] >= LEAST_IOU]
            made[images[joins], member, question] = pooled[images[joins], best[joins]]
            waiting[images[joins], best[joins]] = False
    return made


def _ranked(members: Boxes) -> tuple[Boxes, NDArray[np.intp]]:
    """Return the boxes of all members (N, C M, 6), highest score first, and the member of each (N, C M)."""
    count, size, room, columns = members.shape
    pooled = members.reshape(count, size * room, columns)
    keys = (*(pooled[..., at] for at in reversed(range(SCORE))), pooled[..., CLASS], -pooled[..., SCORE])
    order = np.lexsort(keys, axis=1)
    return np.take_along_axis(pooled, order[..., None], axis=1), order // room


def _shared(seed: Boxes, boxes: Boxes) -> NDArray[np.float64]:
    """Return (n, P) the IoU of one box of each image (n, 6) with others of the image (n, P, 6) of the same class; 0 for
    other classes."""
    count, others, _ = boxes.shape
    pairs = np.repeat(seed[:, :SCORE], others, axis=0), boxes[..., :SCORE].reshape(-1, SCORE)
    shared = iou(*(corners.astype(np.float64) for corners in pairs)).reshape(count, others)
    return np.where(boxes[..., CLASS] == seed[:, None, CLASS], shared, 0.0)
