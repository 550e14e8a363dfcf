"""PPAL: uncertain images whose objects look unlike each other (Yang et al., CVPR 2024)."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field
from pydantic.dataclasses import dataclass

from acquisition.neighbours import unit_rows
from acquisition.pool import Floats, Indices, Pool
from acquisition.registry import Choice, Reduction, RowParams, Strategy, Watch, highest, register, unwatched
from acquisition.strategies.entropy import Entropy
from worker_programs.config import STRICT

MOST = 10_000
"""Most images whose objects are embedded, unless more are picked: every pick is compared with all of them."""
DIGITS = 6
"""Digits to round to: a matrix product may differ in its last bits from row to row, but equal rows must stay equal."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PpalParams(RowParams):
    """How many images have their objects compared: those with the highest combined entropies."""

    reduce: Reduction | None = "sum"
    """The highest, the mean, the sum, or the mean of the `top` highest entropies of the boxes; `noisy_or`: the
    probability that at least one box is open."""
    candidates: Annotated[int, Field(ge=1, le=100)] = 4
    """Number of images whose objects are compared, those with the highest entropies, as a multiple of the batch."""
    objects: Annotated[int, Field(ge=1, le=50)] = 5
    """Number of an image's surest boxes to compare, each cropped and embedded by the model."""


@register("ppal")
class Ppal(Strategy):
    """Uncertain images whose objects look unlike those of the other picks: crops of the surest boxes are compared.

    After Plug and Play Active Learning for Object Detection (CVPR 2024, arXiv 2211.11612), its two stages: images with
    the highest sum of entropies are candidates, and of those a varied batch is chosen by the category conditioned
    matching similarity. For images a and b, s(a, b) is the mean over the objects of a, weighted by their scores, of the
    highest cosine to an object of b of the same class (at least 0; 0 where b has none); both ways, halved and added.

    What differs: the paper weights entropies by how difficult a class was in training, which a model file does not
    contain (`weights` sets it by hand). Its objects are described by a layer of the detector; here by the embedding of
    the crop by the shipped file, minus the mean of all crops (means of maps all point the same way). It clusters by
    k-means++; here the first pick is the image with the highest entropy, and each further one has the lowest maximum
    similarity to the picks (farthest first), which depends on no draw.

    Candidates without compared objects (none scores 0.05, or they are not on the shortlist) come last, by their
    entropies.
    """

    needs = ("probabilities", "objects")
    Params = PpalParams
    params: PpalParams
    asks_likeliest = False

    def shortlist(self, pool: Pool, count: int) -> Indices:
        """Return the rows with the highest entropies."""
        return highest(self._entropies(pool), max(count, min(self.params.candidates * count, MOST)))

    def select(
        self,
        pool: Pool,
        count: int,
        rng: np.random.Generator,  # noqa: ARG002 - the contract's
        *,
        watch: Watch = unwatched,
    ) -> list[Choice]:
        """Pick farthest first among the images whose objects were embedded, then the others."""
        count = min(count, len(pool))
        if count <= 0:
            return []
        entropies = self._entropies(pool)
        looks, places = _Looks(pool), _rows_of(pool)
        closely = np.flatnonzero(looks.seen[places])
        closely = closely[np.argsort(-entropies[closely], kind="stable")]
        picks = self._varied(closely, places[closely], entropies, looks, count, watch)
        taken = np.zeros(len(pool), np.bool_)
        taken[[pick.row for pick in picks]] = True
        rest = np.flatnonzero(~taken)
        for row in rest[highest(entropies[rest], count - len(picks))].tolist():
            why = f"entropy {entropies[row]:.2f}; its objects were not compared"
            picks.append(Choice(row, 0.0, why, {"entropy": float(entropies[row])}))
        watch(len(picks), count)
        return picks

    def _varied(
        self, rows: Indices, looked: Indices, entropies: Floats, looks: "_Looks", count: int, watch: Watch
    ) -> list[Choice]:
        """Pick farthest first among `rows` of the pool, the most uncertain first; `looked` is the row of each in
        `looks`."""
        nearest = np.zeros(len(rows))
        for place in looks.picked:
            nearest = np.maximum(nearest, looks.similarity(place, looked))
        picks: list[Choice] = []
        free = np.ones(len(rows), np.bool_)
        while len(picks) < min(count, len(rows)):
            watch(len(picks), count)
            at = int(np.argmin(np.where(free, nearest, np.inf)))
            terms = {"entropy": float(entropies[rows[at]]), "similarity": float(nearest[at])}
            why = f"entropy {terms['entropy']:.2f}; its objects are like those of the picks before by {nearest[at]:.2f}"
            picks.append(Choice(int(rows[at]), 1.0 - float(nearest[at]), why, terms))
            free[at] = False
            nearest = np.maximum(nearest, looks.similarity(int(looked[at]), looked))
        return picks

    def _entropies(self, pool: Pool) -> Floats:
        return Entropy(self.params).scored(pool)


def _rows_of(pool: Pool) -> Indices:
    """Return the row (N,) of each candidate among the embedded ones, -1 where its objects were not embedded."""
    ids: Any = pool.object_ids
    order = np.argsort(ids, kind="stable")
    if not len(order):
        return np.full(len(pool), -1, np.intp)
    found = order[np.minimum(np.searchsorted(ids, pool.ids, sorter=order), len(order) - 1)]
    return np.where(ids[found] == pool.ids, found, -1)


class _Looks:
    """The embedded objects of some candidates, ready to be compared."""

    def __init__(self, pool: Pool) -> None:
        assert pool.objects is not None  # noqa: S101 - check() has seen to it
        assert pool.object_facts is not None  # noqa: S101 - they are written together
        self._classes = pool.object_facts[..., 0].astype(np.intp)
        scores = pool.object_facts[..., 1].astype(np.float64)
        self._there = scores > 0
        sums = scores.sum(axis=1, keepdims=True)
        self._weights = np.where(sums > 0, scores / np.where(sums > 0, sums, 1), 0.0)
        self.seen = np.append(self._there.any(axis=1), False)
        """Which candidates (S + 1,) have an object at all; the last entry stands for those whose objects were not
        embedded."""
        points = pool.objects.astype(np.float64)
        mean = points[self._there].mean(axis=0) if self._there.any() else np.zeros(points.shape[2])
        self._points = unit_rows((points - mean).reshape(-1, max(1, points.shape[2]))).reshape(points.shape)
        picked = () if pool.picked_ids is None else pool.picked_ids
        assert pool.object_ids is not None  # noqa: S101 - as above
        known = {one: at for at, one in enumerate(pool.object_ids.tolist())}
        self.picked = [known[one] for one in np.asarray(picked).tolist() if one in known]
        """Rows of the candidates that are in the batch already."""

    def similarity(self, one: int, others: Indices) -> Floats:
        """Return the similarity (n,), in 0..1, of one candidate to others: see `Ppal`."""
        cosines = np.einsum("td,nud->ntu", self._points[one], self._points[others], optimize=True)
        alike = (self._classes[one][None, :, None] == self._classes[others][:, None, :]) & (
            self._there[one][None, :, None] & self._there[others][:, None, :]
        )
        matched = np.where(alike, np.maximum(cosines, 0.0), 0.0)
        there = (matched.max(axis=2) * self._weights[one]).sum(axis=1)
        back = (matched.max(axis=1) * self._weights[others]).sum(axis=1)
        found: Floats = np.round((there + back) / 2, DIGITS)
        return found
