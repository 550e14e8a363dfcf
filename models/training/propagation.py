"""Pseudo-labels for images without a label: label propagation on graphs of features or pixels.

Zhou et al., Learning with Local and Global Consistency (2004): labels spread over a graph of nearest neighbours,
F = (1 - a) (I - a S)^-1 Y, here by a fixed number of steps. Graphs of several sizes vote, and a head that was solved
for the features: an image gets a pseudo-label where all agree, the surest first, of each class as many as the graphs
expect. NumPy and SciPy; equal arguments give equal bits.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from training.auto import PER_LABEL
from training.ridge import Doubles, Fit, weighted

NEIGHBOURS = (5, 10, 20)
SPREAD, STEPS = 0.9, 40
"""The share that comes from neighbours in each step, and the number of steps: 0.9 ** 40 is 1.5 %."""
WORTH = 0.5
"""What all pseudo-labels together count, as a share of what all labels count."""

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pseudo:
    """Images without a label that got one: `rows` of the pool, sorted, and the class of each."""

    rows: NDArray[np.intp]
    labels: Labels

    def shares(self, classes: int) -> Doubles:
        """The share of each class in the pseudo-labels, (K,)."""
        counts: Doubles = np.bincount(self.labels, minlength=classes) / max(1, len(self.labels))
        return counts


class Graph:
    """Cosine similarities of labelled points (N, D) and of a pool (M, D), computed once for all folds."""

    def __init__(self, points: Doubles, pool: Doubles) -> None:
        everything = np.concatenate([points, pool])
        centred = everything - everything.mean(axis=0)
        lengths = np.linalg.norm(centred, axis=1, keepdims=True)
        unit = (centred / np.maximum(lengths, np.finfo(np.float64).tiny)).astype(np.float32)
        self._similar = unit @ unit.T
        np.fill_diagonal(self._similar, -np.inf)
        self._pool = np.arange(len(points), len(everything))

    @property
    def pool(self) -> int:
        """The number of points in the pool."""
        return len(self._pool)

    def nearest(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Doubles]:
        """The nearest neighbours of some labelled points and of the whole pool among these, and their similarities,
        the nearest first."""
        among = np.concatenate([rows, self._pool])
        similar = self._similar[np.ix_(among, among)]
        count = min(max(NEIGHBOURS), len(among) - 1)
        close = np.argpartition(-similar, count - 1, axis=1)[:, :count]
        values = np.take_along_axis(similar, close, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        return np.take_along_axis(close, order, axis=1), np.take_along_axis(values, order, axis=1).astype(np.float64)


def pseudo_labels(
    graph: Graph, rows: NDArray[np.intp], labels: Labels, classes: int, *, answers: Doubles | None = None
) -> Pseudo:
    """Label some of the graph's pool by its labelled points in `rows`, of which `labels` are the classes, and by the
    `answers` (M, K) for the pool of a head that learned from these, if there is one."""
    asked = np.zeros((len(rows) + graph.pool, classes))
    asked[np.arange(len(labels)), labels] = 1 / np.bincount(labels, minlength=classes)[labels]
    nearest = graph.nearest(rows)
    said = [_propagated(nearest, count, asked)[len(rows) :] for count in NEIGHBOURS]
    mean = np.mean(said, axis=0)
    chosen = mean.argmax(axis=1)
    votes = said if answers is None else [*said, answers]
    agreed = np.all([one.argmax(axis=1) == chosen for one in votes], axis=0)
    sureness = mean.max(axis=1) * (1.0 if answers is None else answers.max(axis=1))
    quota = PER_LABEL * len(labels) * mean.mean(axis=0)
    kept = []
    for name in range(classes):
        able = np.flatnonzero(agreed & (chosen == name))
        best = able[np.lexsort((able, -sureness[able]))]
        kept.append(best[: int(quota[name])])
    found = np.sort(np.concatenate(kept))
    return Pseudo(found, chosen[found].astype(np.int64))


def fit_with(points: Doubles, labels: Labels, pool: Doubles, head: Fit, pseudo: Pseudo) -> Fit:
    """Solve the head anew on labels and pseudo-labels, with the penalty and the temperature of `head`."""
    if not len(pseudo.rows):
        return head
    weights = np.ones(len(labels) + len(pseudo.rows))
    weights[len(labels) :] = WORTH * len(labels) / len(pseudo.rows)
    everything = np.concatenate([points, pool[pseudo.rows]]), np.concatenate([labels, pseudo.labels])
    solution, offset = weighted(*everything, len(head.offset), weights=weights, penalty=head.penalty)
    return Fit(solution, offset, head.temperature, head.penalty)


def _propagated(nearest: tuple[NDArray[np.intp], Doubles], count: int, asked: Doubles) -> Doubles:
    """Spread labels (N, K) over the graph of `count` neighbours, and return the share of each class (N, K)."""
    rows, values = (part[:, :count] for part in nearest)
    size = len(asked)
    weights = np.maximum(values, 0.0).ravel()
    graph = sparse.csr_array((weights, (np.repeat(np.arange(size), rows.shape[1]), rows.ravel())), shape=(size, size))
    graph = graph + graph.T
    degree = 1 / np.sqrt(np.maximum(graph.sum(axis=1), np.finfo(np.float64).eps))
    step = sparse.diags_array(degree) @ graph @ sparse.diags_array(degree)
    spread = asked
    for _ in range(STEPS):
        spread = SPREAD * (step @ spread) + (1 - SPREAD) * asked
    total = spread.sum(axis=1, keepdims=True)
    classes = asked.shape[1]
    shares: Doubles = np.where(total > 0, spread / np.where(total > 0, total, 1.0), 1 / classes)
    return shares
