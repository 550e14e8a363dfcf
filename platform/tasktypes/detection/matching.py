"""Match detections with objects: pycocotools' own matching, one image at a time, as bits in arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.targets import EVERY_CLASS, OBJECT, REGION, SIZE

Ints = NDArray[np.int64]

MAX_DETECTIONS = 100
"""The largest number of detections of an image."""
AREAS = ("all", "small", "medium", "large")
"""pycocotools' ranges of an object's area, in their order: small up to 32², medium up to 96² pixels."""
IOUS = 10
"""IoU thresholds: .5, .55, .., .95. Bit t of a mask is threshold t."""
BITS = 1 << np.arange(IOUS)
LEAST_IOU = 0.5
SNAP = 256
"""Corners of objects are rounded to 1/256 of a pixel: their error as float32 fractions is smaller."""


@dataclass(frozen=True, slots=True)
class ImageMatches:
    """One image with M detections and G rows of truth."""

    matched: NDArray[np.uint16]
    """(M, 4): at which IoU thresholds a detection is an object or in a region to ignore, by AREAS."""
    ignored: NDArray[np.uint16]
    """(M, 4): at which IoU thresholds a detection counts neither as right nor as wrong, by AREAS."""
    truth_ignored: NDArray[np.uint8]
    """(G,): bit a is set if an object is not in AREAS[a]; all bits are set for a region to ignore."""
    found: NDArray[np.int16]
    """(M,): the row of the object matched by the detection at IoU .5, -1 for none."""
    nearest: NDArray[np.int16]
    """(M,): the row of the object of any class that the detection overlaps most, by IoU .5 or more, -1 for none."""


def pixel_corners(targets: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the corners (N, G, 4) of targets (N, G, 8) in pixels."""
    scale = np.tile(targets[..., SIZE].astype(np.float64), 2)
    return np.round(targets[..., :4] * scale * SNAP) / SNAP


def image_matches(
    boxes: NDArray[np.float64],
    scores: NDArray[np.float32],
    classes: Ints,
    truth: NDArray[np.float64],
    truth_classes: Ints,
    kinds: Ints,
) -> ImageMatches:
    """Match boxes (M, 4) in pixels, M <= 100, with scores and classes (M,); truth (G, 4) with classes and kinds
    (G,)."""
    count, rows = len(boxes), len(truth)
    shapes, true_shapes = _shapes(boxes), _shapes(truth)
    matched, ignored = np.zeros((2, count, len(AREAS)), np.uint16)
    truth_ignored = np.where(kinds == REGION, (1 << len(AREAS)) - 1, 0).astype(np.uint8)
    found = np.full(count, -1, np.int16)
    if not count and not (kinds == OBJECT).any():
        return ImageMatches(matched, ignored, truth_ignored, found, found.copy())
    names = sorted({*classes.tolist(), *truth_classes[kinds == OBJECT].tolist()})
    owners: list[int] = []  # the row of each annotation
    truths = []
    for row in range(rows):
        own = int(truth_classes[row])
        for name in names if kinds[row] == REGION and own == EVERY_CLASS else [own]:
            if kinds[row] and name in names:
                truths.append(_annotation(len(owners), name, true_shapes[row], crowd=bool(kinds[row] == REGION)))
                owners.append(row)
    said = [_annotation(n, int(classes[n]), shapes[n], crowd=False) | {"score": float(scores[n])} for n in range(count)]
    rows_of = np.array(owners, np.int16)
    judge = _judge(truths, said, names)
    for name in names:
        for area, bounds in enumerate(judge.params.areaRng):
            one = judge.evaluateImg(0, name, bounds, MAX_DETECTIONS)
            if one is None:
                continue
            columns = np.array(one["dtIds"], np.intp) - 1
            matched[columns, area] = BITS @ (one["dtMatches"] > 0)
            ignored[columns, area] = BITS @ one["dtIgnore"].astype(np.int64)
            left_out = rows_of[np.array(one["gtIds"], np.intp) - 1][np.asarray(one["gtIgnore"], np.bool_)]
            truth_ignored[left_out] |= 1 << area
            if area == 0 and len(owners):
                first = one["dtMatches"][0].astype(np.intp)
                counts = (first > 0) & ~one["dtIgnore"][0]
                found[columns[counts]] = rows_of[first[counts] - 1]
    return ImageMatches(matched, ignored, truth_ignored, found, _nearest(shapes, true_shapes, kinds))


def _shapes(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Convert corners to x, y, width and height."""
    return np.concatenate([corners[:, :2], np.maximum(corners[:, 2:] - corners[:, :2], 0)], axis=1)


def _annotation(number: int, name: int, shape: NDArray[np.float64], *, crowd: bool) -> dict[str, Any]:
    """Build a COCO annotation; ids begin at 1, because a match is shown by an id that is not 0."""
    x, y, width, height = shape.tolist()
    return {
        "id": number + 1, "image_id": 0, "category_id": name, "bbox": [x, y, width, height], "area": width * height,
        "iscrowd": int(crowd),
    }  # fmt: skip


def _judge(truths: list[dict[str, Any]], said: list[dict[str, Any]], names: list[int]) -> Any:
    """Build a COCOeval of one image that is ready for `evaluateImg`. Its `evaluate` and COCO's `createIndex` do this
    too, but write to standard output, which worker programs use for events."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    sides = []
    for annotations in (truths, said):
        side = COCO()
        side.imgs, side.dataset = {0: {"id": 0}}, {"categories": [{"id": name} for name in names]}
        side.anns = {one["id"]: one for one in annotations}
        side.imgToAnns[0] = annotations
        sides.append(side)
    judge = COCOeval(*sides, "bbox")
    judge._prepare()  # noqa: SLF001 - see above
    judge.ious = {(0, name): judge.computeIoU(0, name) for name in names}
    return judge


def _nearest(shapes: NDArray[np.float64], truth: NDArray[np.float64], kinds: Ints) -> NDArray[np.int16]:
    from pycocotools import mask

    objects = np.flatnonzero(kinds == OBJECT)
    if not len(objects) or not len(shapes):
        return np.full(len(shapes), -1, np.int16)
    shared = np.asarray(mask.iou(shapes, truth[objects], [0] * len(objects)))
    return np.where(shared.max(axis=1) >= LEAST_IOU, objects[shared.argmax(axis=1)], -1).astype(np.int16)
