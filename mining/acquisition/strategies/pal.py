"""PAL: boxes that may be right or wrong, in images that are unlike each other (CVPR 2026)."""

import heapq
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.neighbours import unit_rows
from acquisition.odds import fitted
from acquisition.pool import Floats, Indices, Pool
from acquisition.registry import (
    SHOWN_TERMS,
    Choice,
    Reduction,
    RowParams,
    Strategy,
    Watch,
    reduced,
    register,
    unwatched,
)
from acquisition.uncertainty import entropy
from tasktypes import task_type
from worker_programs.config import STRICT

NAT = float(np.log(2))
"""The entropy of a question at even odds."""
BLOCK = 2048
"""Images to process at once."""
DIGITS = 9
"""Digits to round to: a matrix product may differ in its last bits from row to row, but equal rows must stay equal."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PalParams(RowParams):
    """How the entropies of an image's boxes are combined, and how much variety counts."""

    reduce: Reduction | None = "top"
    """The highest, the mean, the sum, or the mean of the `top` highest entropies of the boxes; `noisy_or`: the
    probability that at least one box is open."""
    diversity: Annotated[float, Field(ge=0, le=10)] = 0.5
    """Largest share by which an image's score rises for a class that few images of the pool and no picks show."""
    similarity: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Share by which an image's score falls if a labelled or picked image has the same embedding."""


@register("pal")
class Pal(Strategy):
    """Boxes that are as likely right as wrong, judged by similar boxes on labelled images; in varied images.

    After Portable Active Learning for Object Detection (CVPR 2026, arXiv 2605.10349). From the paper: two features of a
    box, its confidence and its count before suppression; for each class a logistic regression on labelled images that
    turns them into the probability p that the box is right; the binary entropy of p; and images chosen by entropy,
    diversity of classes, and similarity.

    What differs: the count is that of warm places of the heat map inside the box (`tasktypes.detection.heat`), because
    the detectors here suppress no boxes. Of the three image terms we had the paper's description and not its formulas;
    here an image scores U (1 + diversity D) (1 - similarity S). U combines the entropies of its boxes, divided by log 2
    and multiplied by the weights of their classes. D is the highest (1 - f) / (1 + n) of the classes it shows: f is the
    share of the pool's images that show the class, n how many picks do. S is the highest cosine to a labelled or picked
    image, at least 0, of embeddings minus the pool's mean (means of maps all point the same way).

    An image in which no box scores 0.05 shows no class (D = 0), and is judged by its surest place with its score for p:
    the regressions know nothing of such places.

    A score only falls as picks are added. So an earlier score is an upper bound, and the picks are those of a search
    through the whole pool (Minoux 1978), at a fraction of its cost.
    """

    needs = ("probabilities", "cells", "embeddings", "evidence")
    Params = PalParams
    params: PalParams
    asks_likeliest = False

    def select(
        self,
        pool: Pool,
        count: int,
        rng: np.random.Generator,  # noqa: ARG002 - the contract's
        *,
        watch: Watch = unwatched,
    ) -> list[Choice]:
        """Pick greedily: each pick has the highest score, given those before it."""
        count = min(count, len(pool))
        if count <= 0:
            return []
        boxes = _Boxes(pool, self.params, watch)
        batch = _Batch(pool, boxes.shown)
        ahead = [(-self._score(doubt, 1.0, 0.0), row) for row, doubt in enumerate(boxes.doubt.tolist())]
        heapq.heapify(ahead)
        known = np.full(len(pool), -1, np.intp)  # number of picks when a row was last scored
        picks: list[Choice] = []
        while len(picks) < count:
            bound, row = heapq.heappop(ahead)
            variety, likeness = batch.beside(row)
            if known[row] < len(picks):
                known[row] = len(picks)
                heapq.heappush(ahead, (-self._score(float(boxes.doubt[row]), variety, likeness), row))
                continue
            terms = {"uncertainty": float(boxes.doubt[row]), "diversity": variety, "similarity": likeness}
            picks.append(Choice(row, -bound, _reason(boxes.words(row), variety, likeness), terms))
            batch.add(row)
            watch(len(picks), count)
        return picks

    def _score(self, doubt: float, variety: float, likeness: float) -> float:
        return doubt * (1 + self.params.diversity * variety) * (1 - self.params.similarity * likeness)


def _reason(boxes: str, variety: float, likeness: float) -> str:
    return f"{boxes}; class diversity {variety:.2f}, similarity {likeness:.2f}"


class _Told(NamedTuple):
    """The T boxes of n images: scores, classes, each one's probability to be right, its entropy as a share of that at
    even odds times the weight of its class, and whether it counts, all (n, T); and which images have a box (n,)."""

    score: Floats
    classes: Indices
    right: Floats
    doubts: Floats
    asked: NDArray[np.bool_]
    answered: NDArray[np.bool_]


class _Boxes:
    """The uncertainty about the boxes of each image of a pool."""

    def __init__(self, pool: Pool, params: PalParams, watch: Watch) -> None:
        assert pool.evidence is not None  # noqa: S101 - check() has seen to it
        classes = max(1, len(pool.classes))
        self._pool, self._mining = pool, task_type(pool.task).mining
        self._odds = fitted(pool.evidence, classes)
        self._weights = np.array([params.weights.get(pool.class_name(at), 1.0) for at in range(classes)])
        self.doubt = np.empty(len(pool))
        """The combined entropies (N,)."""
        self.shown = np.zeros((len(pool), classes), np.bool_)
        """The classes (N, K) of which an image has a box."""
        for at in range(0, len(pool), BLOCK):
            watch(0, len(pool))
            rows = np.arange(at, min(at + BLOCK, len(pool)))
            told = self._told(rows)
            self.doubt[rows] = reduced(told.doubts, told.asked, params, even=1.0)
            image, box = np.nonzero(told.asked & told.answered[:, None])
            self.shown[rows[image], told.classes[image, box]] = True

    def words(self, row: int) -> str:
        """Name the most uncertain boxes, those with at least half the highest uncertainty."""
        told = self._told(np.array([row]))
        doubts = np.where(told.asked[0], told.doubts[0], -1.0)
        most = [
            at for at in np.argsort(-doubts, kind="stable")[:SHOWN_TERMS] if doubts[at] >= max(0.0, doubts.max() / 2)
        ]
        named = [f"{self._pool.class_name(int(told.classes[0, at]))} at {told.score[0, at]:.2f}" for at in most]
        if not told.answered[0]:
            return f"no box scores 0.05, its surest place is {named[0]}"
        return ", ".join(f"{name}: right with {told.right[0, at]:.2f}" for name, at in zip(named, most, strict=True))

    def _told(self, rows: Indices) -> "_Told":
        assert self._pool.probabilities is not None  # noqa: S101 - check() has seen to it
        assert self._pool.cells is not None  # noqa: S101 - as above
        said = self._pool.probabilities[rows]
        score, classes = self._mining.terms(said)[..., 0].astype(np.float64), self._mining.term_classes(said)
        answered = self._mining.answered(said)
        right = np.where(answered[:, None], self._odds.right(score, self._pool.cells[rows], classes), score)
        doubts = entropy(np.stack([right, 1 - right], axis=-1)) / NAT * self._weights[classes]
        return _Told(score, classes, right, doubts, self._mining.asked(said), answered)


class _Batch:
    """The picks so far, and how much an image differs from them and from the labelled samples."""

    def __init__(self, pool: Pool, shown: NDArray[np.bool_]) -> None:
        assert pool.embeddings is not None  # noqa: S101 - check() has seen to it
        self._shown, self._rare = shown, 1 - shown.mean(axis=0)
        self._held = np.zeros(shown.shape[1], np.intp)  # how many picks show each class
        mean = pool.embeddings.astype(np.float64).mean(axis=0)
        self._points = unit_rows(pool.embeddings.astype(np.float64) - mean)
        self._near = np.zeros(len(pool))
        if pool.labelled is not None and len(pool.labelled):
            labelled = unit_rows(pool.labelled.astype(np.float64) - mean)
            for at in range(0, len(pool), BLOCK):
                near = self._points[at : at + BLOCK] @ labelled.T
                self._near[at : at + BLOCK] = np.round(near.max(axis=1), DIGITS).clip(0, 1)
        self._picks: list[int] = []
        self._compared = np.zeros(len(pool), np.intp)  # number of picks that a row was compared with

    def add(self, row: int) -> None:
        """Add the row to the picks."""
        self._picks.append(row)
        self._held += self._shown[row]

    def beside(self, row: int) -> tuple[float, float]:
        """Return the diversity D and the similarity S of a row (see `Pal`)."""
        if fresh := self._picks[self._compared[row] :]:
            nearest = np.round((self._points[fresh] @ self._points[row]).max(), DIGITS).clip(0, 1)
            self._near[row], self._compared[row] = max(self._near[row], nearest), len(self._picks)
        worth = (self._rare / (1 + self._held))[self._shown[row]]
        return float(worth.max(initial=0.0)), float(self._near[row])
