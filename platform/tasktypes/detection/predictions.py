"""A model's predictions of objects in images. NumPy only."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.matching import (
    MAX_DETECTIONS,
    ImageMatches,
    image_matches,
    pixel_corners,
)
from tasktypes.detection.targets import CLASS, COLUMNS, KIND, OBJECT, REGION, SIZE
from tasktypes.predictions import DIGEST, EvaluationError, Predictions, check_numbers

EVEN = 0.5
"""The threshold of a class for which none was chosen."""
MISSED = 0.01
"""The score with which a missed object counts in the loss, and the lowest with which a found one counts."""
SURE = 1e-12
ANSWER_COLUMNS = 6
NOTHING = {"category": -1, "found": -1, "nearest": -1, "truth_class": -1, "bars": EVEN}
"""The padding value of each column; 0 for columns that are not listed."""

Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxPredictions(Predictions):
    """N images with up to M detections, highest score first, and up to G rows of truth; columns are padded."""

    score: NDArray[np.float32]
    """The score of each detection (N, M), 0 for padding."""
    category: NDArray[np.int16]
    """The class of each detection (N, M), -1 for padding."""
    boxes: NDArray[np.float16]
    """The box of each detection (N, M, 4): x1, y1, x2, y2 as fractions of the image; for lists of crops."""
    matched: NDArray[np.uint16]
    """(N, M, 4): at which IoU thresholds the detection is an object or in a region to ignore, a bit each, by
    `matching.AREAS`."""
    ignored: NDArray[np.uint16]
    """(N, M, 4): at which IoU thresholds the detection counts neither as right nor as wrong."""
    found: NDArray[np.int16]
    """The row of truth that each detection matches at IoU .5 (N, M), -1 for none."""
    nearest: NDArray[np.int16]
    """The row of the object of any class that each detection overlaps most, by IoU .5 or more (N, M), -1 for none."""
    truth_class: NDArray[np.int16]
    """The class of each row of truth (N, G); -1 for padding, and for a region to ignore for all classes."""
    crowd: NDArray[np.bool_]
    """Which rows of truth are regions to ignore (N, G)."""
    truth_ignored: NDArray[np.uint8]
    """(N, G): bit a is set for rows of truth that do not count in `matching.AREAS[a]`."""
    truth_boxes: NDArray[np.float32]
    """The box of each row of truth (N, G, 4), as `boxes`."""
    bars: NDArray[np.float32]
    """The thresholds of the first classes, the same in each row (N, K or fewer); 0.5 of the others."""
    digest: NDArray[np.uint8]
    """A digest of the truth of each image (N, 16)."""

    @classmethod
    def of(
        cls, answers: NDArray[np.float32], targets: NDArray[np.float32], bars: NDArray[np.float32] | None = None
    ) -> "BoxPredictions":
        """Make predictions from answers (N, M, 6) and targets (N, G, 8), N >= 1, M <= 100, G >= 1, and the thresholds
        of classes.

        A row of answers: x1, y1, x2, y2 as fractions of the upright image, score, class; one of score 0 is padding. A
        row of targets: x1, y1, x2, y2, class, kind (1 object, 2 region to ignore, 0 padding), width and height of the
        image in pixels. Raises EvaluationError where they do not fit.
        """
        _check(answers, targets)
        order = np.argsort(-answers[..., 4], axis=1, kind="stable")
        width = max(1, int((answers[..., 4] > 0).sum(axis=1).max(initial=0)))
        ranked = _widened(np.take_along_axis(answers, order[..., None], axis=1)[:, :width], width, 0)
        score, said = ranked[..., 4].astype(np.float32), ranked[..., 4] > 0
        category = np.where(said, np.rint(ranked[..., 5]), -1).astype(np.int16)
        kinds, truth_class = targets[..., KIND].astype(np.int64), np.rint(targets[..., CLASS]).astype(np.int64)
        found = _matched(ranked, category, targets, truth_class, kinds)
        columns: dict[str, Any] = {
            name: _stacked([getattr(one, name) for one in found], width, fill)
            for name, fill in (("matched", 0), ("ignored", 0), ("found", -1), ("nearest", -1))
        }
        thresholds = np.zeros(0, np.float32) if bars is None else bars
        return cls(
            score=score,
            category=category,
            boxes=ranked[..., :4].astype(np.float16),
            **columns,
            truth_class=np.where(kinds > 0, truth_class, -1).astype(np.int16),
            crowd=kinds == REGION,
            truth_ignored=np.stack([one.truth_ignored for one in found]),
            truth_boxes=targets[..., :4].astype(np.float32),
            bars=np.tile(thresholds.astype(np.float32), (len(answers), 1)),
            digest=_questions(targets, truth_class, kinds),
            md5=np.zeros(len(answers), DIGEST),
        )

    @property
    def asked(self) -> NDArray[Any]:
        """A digest of the truth of each image (N, 16)."""
        return self.digest

    @property
    def answered(self) -> NDArray[Any]:
        """A digest of how many objects of each class the model finds, wherever they are (N, 16)."""
        said = (np.sort(row[marks]) for row, marks in zip(self.category, self.said, strict=True))
        return _digests([row.tobytes() for row in said])

    @property
    def objects(self) -> Marks:
        """Which rows of truth are objects (N, G)."""
        return (self.truth_class >= 0) & ~self.crowd

    @property
    def said(self) -> Marks:
        """Which detections are at the threshold of their class or above (N, M)."""
        return self.said_from(None)

    def said_from(self, threshold: float | None) -> Marks:
        """Which detections score at least `threshold`, None: that of their class (N, M)."""
        if threshold is not None:
            return (self.category >= 0) & (self.score >= np.float32(threshold))
        known = self.bars.shape[1]
        bars = np.concatenate([self.bars, np.full((len(self), 1), EVEN, np.float32)], axis=1)
        bar = np.take_along_axis(bars, np.where(self.category < known, self.category, known).astype(np.intp), axis=1)
        return (self.category >= 0) & (self.score >= bar)

    @property
    def counts(self) -> Marks:
        """Which detections, at any score, count as right or wrong at IoU .5, and are not ignored (N, M)."""
        return (self.category >= 0) & ~self.at("ignored")

    @property
    def right(self) -> Marks:
        """Images in which every object and nothing else is found at IoU .5 (N,)."""
        said = self.said & self.counts
        hits, objects = (said & self.at("matched")).sum(axis=1), self.objects.sum(axis=1)
        return np.asarray((hits == objects) & (hits == said.sum(axis=1)), np.bool_)

    @property
    def losses(self) -> NDArray[np.float64]:
        """Binary cross-entropies of the scores against being an object at IoU .5, summed over an image's detections and
        the objects that are missed (which count as scored 0.01), divided by its objects, by 1 without any (N,)."""
        counts, hits = self.counts, self.counts & self.at("matched")
        score, objects = self.score.astype(np.float64), self.objects.sum(axis=1)
        likelihood = np.where(hits, np.maximum(score, MISSED), np.maximum(1 - score, SURE))
        summed = (-np.log(likelihood) * counts).sum(axis=1) - np.log(MISSED) * (objects - hits.sum(axis=1))
        return np.asarray(summed / np.maximum(objects, 1), np.float64)

    def at(self, column: str, iou: int = 0, area: int = 0) -> Marks:
        """Return `matched` or `ignored` at one IoU threshold and in one range of areas (N, M)."""
        bits: NDArray[np.uint16] = getattr(self, column)
        return (bits[:, :, area] >> iou & 1).astype(np.bool_)

    def threshold(self, index: int) -> float:
        """Return the threshold of a class."""
        return float(self.bars[0, index]) if index < self.bars.shape[1] else EVEN

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate predictions, without slices; each column is as wide as the widest."""
        columns: dict[str, Any] = {}
        for column in (one.name for one in fields(cls) if one.name != "slices"):
            arrays = [getattr(part, column) for part in parts]
            if arrays[0].ndim > 1:
                widest = max(array.shape[1] for array in arrays)
                arrays = [_widened(array, widest, NOTHING.get(column, 0)) for array in arrays]
            columns[column] = np.concatenate(arrays)
        return cls(**columns)


def _check(answers: NDArray[np.float32], targets: NDArray[np.float32]) -> None:
    fits = answers.ndim == targets.ndim == 3 and 0 < len(answers) == len(targets) and targets.shape[1] > 0
    if not fits or answers.shape[1] > MAX_DETECTIONS or (answers.shape[2], targets.shape[2]) != (
        ANSWER_COLUMNS, COLUMNS
    ):  # fmt: skip
        raise EvaluationError(f"targets of shape {targets.shape} and answers of shape {answers.shape} do not fit")
    check_numbers(answers.reshape(len(answers), -1))


def _matched(
    ranked: NDArray[np.float32], category: NDArray[np.int16], targets: NDArray[np.float32],
    truth_class: NDArray[np.int64], kinds: NDArray[np.int64],
) -> list[ImageMatches]:  # fmt: skip
    """Match image by image, without padding."""
    corners, scale = pixel_corners(targets), np.tile(targets[:, :1, SIZE].astype(np.float64), 2)
    boxes = ranked[..., :4] * scale
    found = []
    for row, said in enumerate((category >= 0).sum(axis=1)):
        one = (boxes[row, :said], ranked[row, :said, 4], category[row, :said].astype(np.int64))
        found.append(image_matches(*one, corners[row], truth_class[row], kinds[row]))
    return found


def _questions(
    targets: NDArray[np.float32], truth_class: NDArray[np.int64], kinds: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Return digests of the rows of truth, independent of their order."""
    places = np.rint(pixel_corners(targets) * 256).astype(np.int64)
    rows = np.concatenate([kinds[..., None], truth_class[..., None], places], axis=2)
    told = (sorted(tuple(one) for one in image if one[0] in {OBJECT, REGION}) for image in rows.tolist())
    sizes = targets[:, 0, SIZE].astype(np.int64).tolist()
    return _digests([repr((size, image)).encode() for size, image in zip(sizes, told, strict=True)])


def _digests(texts: list[bytes]) -> NDArray[np.uint8]:
    made = b"".join(hashlib.blake2b(text, digest_size=DIGEST.itemsize).digest() for text in texts)
    return np.frombuffer(made, np.uint8).reshape(len(texts), DIGEST.itemsize)


def _widened(array: NDArray[Any], width: int, fill: float) -> NDArray[Any]:
    missing = [(0, 0)] * array.ndim
    missing[1] = (0, width - array.shape[1])
    return np.pad(array, missing, constant_values=fill)


def _stacked(rows: list[NDArray[Any]], width: int, fill: int) -> NDArray[Any]:
    """Stack rows that are no longer than `width` into (N, width, ..)."""
    return np.concatenate([_widened(row[None], width, fill) for row in rows])
