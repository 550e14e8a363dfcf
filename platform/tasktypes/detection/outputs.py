"""Boxes with a class and a score. NumPy only; see `tasktypes.detection.answers` for the form."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.alignment import aligned
from tasktypes.detection.answers import CLASS, FLOOR, SCORE, asked_scores, mirrored, overlaps, thresholds_of
from tasktypes.detection.doubts import bars_of, doubts_of
from tasktypes.detection.heat import cells_inside
from tasktypes.detection.predictions import EVEN, BoxPredictions
from tasktypes.model_parts import BOXES, Doubt, Floats, Form, Mining, Outputs

CLEAR, SAME_PLACE = 0.05, 0.8
"""How far from 0.5 a score must be for a clear answer, and the least IoU of boxes in the same place."""


class DetectionOutputs(Outputs):
    """`maps` (N, C + 4, ..) as the network computes them (see `levels`), and of them `detections` (N, M, 6)."""

    form: ClassVar[Form] = BOXES
    names = ("maps", "embedding", "detections")
    meaning = "(batch, 100, 6): x1, y1, x2, y2 as fractions of the image, score, class; the surest first"
    operator = None
    most_half_error = 0.1  # the worst of thousands of places an image; boxes are compared besides
    limit = "It knows its own classes alone, finds at most 100 objects an image, and of alike ones in one place one."

    def probabilities(self, logits: NDArray[Any]) -> Floats:
        """Return the boxes of maps."""
        import torch

        from tasktypes.detection.decoding import decoded

        made: Floats = decoded(torch.from_numpy(np.asarray(logits, np.float32))).numpy()
        return made

    def judged(self, logits: Floats, probabilities: Floats) -> Floats:  # noqa: ARG002 - boxes say it all
        """Return the boxes."""
        return probabilities

    def tempered(self, probabilities: NDArray[Any], temperature: float) -> Floats:  # noqa: ARG002 - see the docstring
        """Return the boxes unchanged: scores have no temperature."""
        return np.asarray(probabilities, np.float32)

    def same(self, logits: Floats, others: Floats, *, tolerance: float = 0.0) -> NDArray[np.bool_]:  # noqa: ARG002
        """Mark images in which each sure box (a score of at least 0.55) of one is also in the other: in the same place
        (an overlap of at least 0.8), of the same class, with a score of at least 0.45."""
        pairs = zip(logits, others, strict=True)
        return np.array([_has_all(one, other) and _has_all(other, one) for one, other in pairs], bool)

    def certainty(self, probabilities: Floats) -> Floats:
        """Return twice the distance from 0.5 of the score nearest to it; in images without an asked box, of the highest
        score."""
        scores = probabilities[..., SCORE]
        found: Floats = (
            np.where(asked_scores(scores), 2 * np.abs(scores - EVEN), 1.0).min(axis=1, initial=1.0).astype(np.float32)
        )
        return found

    def answer(
        self,
        probabilities: Sequence[Any],
        classes: Sequence[str],
        thresholds: Mapping[str, float],
        size: tuple[int, int] | None = None,
    ) -> dict[str, Any]:
        """Return the boxes at the thresholds of their classes or above, in pixels of an image of `size`."""
        if size is None:
            raise ValueError("boxes are told in pixels: the size of the image is needed")
        rows = np.asarray(probabilities, np.float32).reshape(-1, CLASS + 1)
        bars = thresholds_of(classes, thresholds)
        kept = rows[rows[:, SCORE] >= bars[rows[:, CLASS].astype(int)]]
        return {"boxes": [told for row in kept if (told := _told(row, classes, size))]}

    def shares(self, probabilities: Sequence[Any], classes: Sequence[str]) -> dict[str, Any]:  # noqa: ARG002
        """Return an empty dict, because each box has its own score."""
        return {}

    def likeliest(self, probabilities: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the class and the score of the box with the highest score; without boxes the first class, with 0."""
        if not probabilities.shape[1]:
            return np.zeros(len(probabilities), np.intp), np.zeros(len(probabilities), np.float32)
        rows, best = np.arange(len(probabilities)), probabilities[..., SCORE].argmax(axis=1)
        return probabilities[rows, best, CLASS].astype(np.intp), probabilities[rows, best, SCORE]

    def shown(
        self,
        logits: Floats,  # noqa: ARG002 - boxes say it all
        probabilities: Floats,
        classes: Sequence[str],
        *,
        top: int,
        temperature: float | None,  # noqa: ARG002 - scores have none
        sizes: Sequence[tuple[int, int]],
    ) -> list[list[dict[str, Any]]]:
        """Return the boxes of each image that score at least 0.05, highest first; `top` limits classes, not boxes."""
        del top
        return [
            [
                {"class": told["class"], "probability": told["score"], "box": told["box"]}
                for row in rows[rows[:, SCORE] >= FLOOR]
                if (told := _told(row, classes, size))
            ]
            for rows, size in zip(probabilities, sizes, strict=True)
        ]

    def cells(self, logits: NDArray[Any], probabilities: Floats) -> NDArray[np.int32]:
        """See `heat.cells_inside`."""
        return cells_inside(logits, probabilities)

    def mirrored(self, probabilities: Floats) -> Floats:
        """Swap left and right; see `answers.mirrored`."""
        return mirrored(probabilities)

    def chosen(self, probabilities: Floats, wanted: Sequence[int] | None) -> tuple[NDArray[np.bool_], Floats]:
        """Mark images with a box of a wanted class that scores above 0.5, and return the highest score of such
        boxes."""
        scores = probabilities[..., SCORE]
        if wanted is not None:
            scores = np.where(np.isin(probabilities[..., CLASS], wanted), scores, 0)
        best: Floats = scores.max(axis=1, initial=0.0).astype(np.float32)
        return np.ones(len(best), bool) if wanted is None else best >= EVEN, best


class DetectionMining(Mining):
    """Mining in which each box is a separate yes-no question: is there an object."""

    one_distribution = False
    axes = 3
    places = True

    def terms(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Return (N, .., M, 2): the score and 1 - the score."""
        scores = probabilities[..., SCORE]
        return np.stack([scores, 1 - scores], axis=-1)

    def aligned(self, members: NDArray[Any]) -> NDArray[Any]:
        """Return boxes (N, C, M, 6) in one order for all members; see `alignment.aligned`."""
        return aligned(members)

    def evidence(self, probabilities: NDArray[Any], cells: NDArray[np.int32], targets: NDArray[Any]) -> Floats:
        """The boxes that score at least 0.05, matched with the objects at IoU .5; those in a region to ignore are no
        evidence. N >= 1. Raises EvaluationError where the numbers do not fit."""
        side = BoxPredictions.of(probabilities, targets)
        ranked = np.argsort(-probabilities[..., SCORE], axis=1, kind="stable")[:, : side.score.shape[1]]
        kept = side.counts & (side.score >= FLOOR)
        columns = (side.category, side.score, np.take_along_axis(cells, ranked, axis=1), side.at("matched"))
        return np.stack([column[kept] for column in columns], axis=1).astype(np.float32)

    def doubts(
        self, probabilities: NDArray[Any], targets: NDArray[Any], classes: Sequence[str]
    ) -> Iterator[Sequence[Doubt]]:
        """See `doubts.doubts_of`."""
        bars = bars_of(probabilities, targets, len(classes))
        for said, label in zip(probabilities, targets, strict=True):
            yield doubts_of(np.asarray(said, np.float32), label, bars, classes)

    def asked(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark the boxes that score at least 0.05; in an image without one, the highest. Of members, the highest score
        counts."""
        return asked_scores(_surest(probabilities[..., SCORE]))

    def answered(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark the images with a box that scores at least 0.05."""
        return np.asarray(probabilities[..., SCORE].max(axis=1, initial=0.0) >= FLOOR, np.bool_)

    def term_classes(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """Return the class of each box, the same for all aligned members."""
        classes = np.asarray(probabilities[..., CLASS], np.intp)
        return classes if classes.ndim < self.axes else classes[:, 0]

    def regions(self, probabilities: NDArray[Any]) -> Floats:
        """Return the corners of the boxes (N, M, 4)."""
        return np.asarray(probabilities[..., :SCORE], np.float32)

    def outside(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark the rows with a score below 0 or above 1."""
        scores = probabilities[..., SCORE].reshape(len(probabilities), -1)
        return np.asarray(((scores < 0) | (scores > 1)).any(axis=1), bool)


def _surest(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores (N, M); of members' scores (N, C, M), the highest."""
    return scores if scores.ndim < DetectionMining.axes else scores.max(axis=1)


def _has_all(one: Floats, other: Floats) -> bool:
    sure, there = one[one[:, SCORE] >= EVEN + CLEAR], other[other[:, SCORE] >= EVEN - CLEAR]
    alike = (overlaps(sure, there) >= SAME_PLACE) & (sure[:, None, CLASS] == there[None, :, CLASS])
    return bool(alike.any(axis=1).all())


def _told(row: Floats, classes: Sequence[str], size: tuple[int, int]) -> dict[str, Any] | None:
    """Convert one box to pixels; None if it has no area there."""
    width, height = size
    x1, y1, x2, y2 = (round(float(part) * side, 1) for part, side in zip(row[:SCORE], (width, height) * 2, strict=True))
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        return None
    return {"class": classes[int(row[CLASS])], "box": [x1, y1, x2, y2], "score": round(float(row[SCORE]), 4)}
