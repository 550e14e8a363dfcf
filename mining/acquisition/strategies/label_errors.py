"""Label errors by confident learning (Northcutt, Jiang and Chuang, JAIR 2021)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from acquisition.blocks import by_blocks
from acquisition.pool import Floats, Indices, Pool, PoolError
from acquisition.registry import SHOWN_TERMS, ScoreStrategy, Watch, register, unwatched
from tasktypes import task_type
from tasktypes.model_parts import Doubt, Mining

BLOCK = 1024
"""Samples between two checks for a cancel."""


@register("label_errors")
class LabelErrors(ScoreStrategy):
    """Labelled samples whose label is most likely wrong: the model is confident of another class.

    For boxes also: of an object without a box, or with a box that is misplaced. The probabilities should come from a
    model that was not trained on these labels (cross-validation), or few errors show.
    """

    needs = ("probabilities", "labels")

    def __init__(self, params: Any) -> None:
        super().__init__(params)
        self._found: tuple[Pool, Sequence[Sequence[Doubt]]] | None = None

    def fits(self, mining: Mining) -> bool:
        """Whether it can compare labels with predictions: of an image's class, or of its places."""
        return mining.one_distribution or mining.places

    def check(self, pool: Pool) -> None:
        """Check the pool as every strategy does, and that labels are classes of the model."""
        super().check(pool)
        if task_type(pool.task).mining.places:
            return
        assert pool.labels is not None  # noqa: S101 - super() has seen to it
        assert pool.probabilities is not None  # noqa: S101 - super() has seen to it
        classes = pool.probabilities.shape[1]
        if len(pool) and not (pool.labels.min() >= 0 and pool.labels.max() < classes):
            raise PoolError(
                f"labels: must be class indices from 0 to {classes - 1}, one for each column of probabilities"
            )

    def scored(self, pool: Pool, *, watch: Watch = unwatched) -> Floats:
        """Score 1 if off the diagonal of the confident joint, plus (1 + max_other p - p_label) / 2: all suspects come
        before all others, each part by its normalised margin. For boxes, 1 where a doubt is sure, plus the score of the
        gravest one."""
        if task_type(pool.task).mining.places:
            return np.array([found[0].sure + found[0].score if found else 0.0 for found in self._doubts(pool, watch)])
        assert pool.labels is not None  # noqa: S101 - check() has seen to it
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        bars = thresholds(pool.probabilities, pool.labels)

        def score(p: Floats, labels: Indices) -> Floats:
            rows = np.arange(len(p))
            others = p.copy()
            others[rows, labels] = -np.inf
            rival = others.max(axis=1) if p.shape[1] > 1 else np.zeros(len(p))
            found: Floats = suspects(p, labels, bars) + (1.0 + rival - p[rows, labels]) / 2
            return found

        return by_blocks(score, pool.probabilities, pool.labels, between=lambda: watch(0, len(pool)))

    def reason(self, pool: Pool, row: int) -> str:
        if task_type(pool.task).mining.places:
            found = self._doubts(pool)[row]
            told = [doubt.words for doubt in found if doubt.sure][:SHOWN_TERMS] or [doubt.words for doubt in found[:1]]
            return "; ".join(told) or "the model agrees with the label"
        assert pool.labels is not None  # noqa: S101 - check() has seen to it
        assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
        p, label = pool.probabilities[row], int(pool.labels[row])
        best = int(p.argmax())
        labelled = f"labelled {pool.class_name(label)}, which the model holds for {p[label]:.2f} likely"
        return labelled if best == label else f"{labelled}; {pool.class_name(best)} for {p[best]:.2f}"

    def _doubts(self, pool: Pool, watch: Watch = unwatched) -> Sequence[Sequence[Doubt]]:
        """Return the doubts about each row; computed once for a pool, because each depends on all rows."""
        if self._found is None or self._found[0] is not pool:
            assert pool.labels is not None  # noqa: S101 - check() has seen to it
            assert pool.probabilities is not None  # noqa: S101 - check() has seen to it
            doubts = []
            for of_row in task_type(pool.task).mining.doubts(pool.probabilities, pool.labels, pool.classes):
                doubts.append(of_row)
                if len(doubts) % BLOCK == 0:
                    watch(0, len(pool))
            self._found = (pool, doubts)
        return self._found[1]


def thresholds(p: Floats, labels: Indices) -> Floats:
    """Return the thresholds t_j (K,): the mean probability of class j over the samples labelled j; infinite for a class
    without any."""
    counts = np.bincount(labels, minlength=p.shape[1])
    own = p[np.arange(len(p)), labels].astype(np.float64)
    sums = np.bincount(labels, weights=own, minlength=p.shape[1])
    bars: Floats = np.divide(sums, counts, where=counts > 0, out=np.full(p.shape[1], np.inf))
    return bars


def suspects(p: Floats, labels: Indices, bars: Floats) -> Floats:
    """Return (n,) 1 where the most likely of the classes with p_j >= t_j differs from the label, else 0."""
    confident = np.where(p >= bars, p, -np.inf)
    off: Floats = ((confident.argmax(axis=1) != labels) & (confident.max(axis=1) > -np.inf)).astype(np.float64)
    return off
