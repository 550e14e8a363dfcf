"""Labels of boxes that a model doubts: an object that has no box, a misplaced box, a box of the wrong class.

After confident learning (Northcutt, Jiang and Chuang, JAIR 2021) and ObjectLab (Tkachenko, Thyagarajan and Mueller,
2023, arXiv 2309.00832): a model's box counts as evidence if it scores at least the mean of its class's right boxes, so
that a cautious detector finds as much as a bold one. NumPy only.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.answers import CLASS, SCORE, overlaps
from tasktypes.detection.predictions import BoxPredictions
from tasktypes.detection.targets import CLASS as TRUE_CLASS
from tasktypes.detection.targets import EVERY_CLASS, KIND, OBJECT, REGION, SIZE
from tasktypes.model_parts import Doubt

Floats = NDArray[np.float32]

APART, TOGETHER = 0.1, 0.5
"""Boxes that overlap less are of different objects; from the second on they are of the same."""
MISSED, MOVED, WRONG_CLASS = "missed", "moved", "wrong class"


def bars_of(answers: Floats, targets: Floats, classes: int) -> NDArray[np.float64]:
    """Return (K,) the mean score of the boxes of each class in answers (N, M, 6) that are objects of targets (N, G, 8)
    at IoU .5; infinite for a class that is never right: none of its boxes is evidence."""
    bars = np.full(classes, np.inf)
    if not len(answers):
        return bars
    side = BoxPredictions.of(answers, targets)
    right = side.found >= 0
    for index in range(classes):
        scores = side.score[right & (side.category == index)]
        if len(scores):
            bars[index] = float(scores.mean())
    return bars


def doubts_of(answers: Floats, targets: Floats, bars: NDArray[np.float64], classes: Sequence[str]) -> list[Doubt]:
    """Return the doubts about one image, with answers (M, 6) and targets (G, 8), the sure ones first, then by score.

    `missed`: a box where no object of any class is (an overlap below .1) and no region to ignore; its score. `moved`:
    an object that a box of its class overlaps by .1 to .5, where neither has a partner (.5 or more); the highest score
    of such a box. `wrong class`: an object at whose place a box of another class scores higher than any box of its own
    class; the difference of the scores. A doubt is `sure` if the box's score reaches the bar (K,) of its class.
    """
    said, objects = answers[answers[:, SCORE] > 0], targets[targets[:, KIND] == OBJECT]
    regions = targets[targets[:, KIND] == REGION]
    left_out = (regions[None, :, TRUE_CLASS] == EVERY_CLASS) | (regions[None, :, TRUE_CLASS] == said[:, None, CLASS])
    said = said[~((_inside(said, regions) >= TOGETHER) & left_out).any(axis=1)]
    shared = overlaps(said, objects)
    found = [*_missed(said, shared), *_elsewhere(said, objects, shared), *_renamed(said, objects, shared)]
    return sorted(
        (_told(kind, score, said[box], None if row is None else objects[row], targets, bars, classes)
         for kind, score, box, row in found),
        key=lambda doubt: (-doubt.sure, -doubt.score, doubt.words),
    )  # fmt: skip


Found = tuple[str, float, int, int | None]
"""A doubt: kind, score, the row of the box, the row of the object."""


def _missed(said: Floats, shared: NDArray[np.float64]) -> Iterator[Found]:
    alone = shared.max(axis=1, initial=0.0) < APART
    for box in np.flatnonzero(alone).tolist():
        yield MISSED, float(said[box, SCORE]), box, None


def _elsewhere(said: Floats, objects: Floats, shared: NDArray[np.float64]) -> Iterator[Found]:
    same = shared * (said[:, None, CLASS] == objects[None, :, TRUE_CLASS])
    met = same >= TOGETHER
    free, waiting = ~met.any(axis=1), ~met.any(axis=0)
    near = np.where(free[:, None] & waiting[None, :] & (same >= APART), said[:, None, SCORE], 0)
    for row in np.flatnonzero(near.max(axis=0, initial=0.0) > 0).tolist():
        box = int(near[:, row].argmax())
        yield MOVED, float(said[box, SCORE]), box, row


def _renamed(said: Floats, objects: Floats, shared: NDArray[np.float64]) -> Iterator[Found]:
    own = said[:, None, CLASS] == objects[None, :, TRUE_CLASS]
    there = np.where(shared >= TOGETHER, said[:, None, SCORE], 0)
    for row in range(len(objects)):
        others = np.where(own[:, row], 0, there[:, row])
        box = int(others.argmax()) if len(others) else 0
        lead = float(others.max(initial=0.0) - (there[:, row] * own[:, row]).max(initial=0.0))
        if lead > 0:
            yield WRONG_CLASS, lead, box, row


def _told(
    kind: str,
    score: float,
    box: Floats,
    target: Floats | None,
    targets: Floats,
    bars: NDArray[np.float64],
    classes: Sequence[str],
) -> Doubt:
    name, size = classes[int(box[CLASS])], targets[0, SIZE]
    at = _place(box, size)
    words = {
        MISSED: f"no box where the model sees {name} at {box[SCORE]:.2f} ({at})",
        MOVED: f"a box of {name} lies beside the model's at {box[SCORE]:.2f} ({at})",
        WRONG_CLASS: f"labelled {'' if target is None else classes[int(target[TRUE_CLASS])]}, "
        f"the model says {name} at {box[SCORE]:.2f} ({at})",
    }[kind]
    return Doubt(kind, score, bool(box[SCORE] >= bars[int(box[CLASS])]), words)


def _place(box: Floats, size: NDArray[Any]) -> str:
    x1, y1, x2, y2 = (round(float(part) * float(side)) for part, side in zip(box[:4], (*size, *size), strict=True))
    return f"{x1}, {y1} to {x2}, {y2}"


def _inside(boxes: Floats, regions: Floats) -> NDArray[np.float64]:
    """Return (A, B), the share of each box that is inside each region."""
    low = np.maximum(boxes[:, None, :2], regions[None, :, :2])
    high = np.minimum(boxes[:, None, 2:4], regions[None, :, 2:4])
    area = np.prod(boxes[:, 2:4] - boxes[:, :2], axis=1)[:, None]
    return np.asarray(np.prod(np.maximum(high - low, 0), axis=2) / np.maximum(area, 1e-12), np.float64)
