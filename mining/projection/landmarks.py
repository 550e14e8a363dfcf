"""A layout that keeps neighbours together: t-SNE of some vectors, the landmarks, with all others placed among them.

Barnes-Hut t-SNE (van der Maaten 2014) of 100,000 vectors takes the better part of an hour on two cores; of a few
thousand it takes seconds, and a random sample of them shows the clusters as well. A vector that is no landmark comes to
lie between its nearest ones, the nearer the more, as t-SNE weighs neighbours: by a Gaussian of its own width.
"""

import contextlib
import io
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import TSNE

Floats = NDArray[np.float32]
Watch = Callable[[int, int], None]
PERPLEXITY, FEWEST = 30.0, 8
ITERATIONS = 1_000
NEIGHBOURS = 5
PRODUCTS = 1 << 24
"""Number of distances in memory at a time."""


def chosen(size: int, count: int, seed: int) -> NDArray[np.intp]:
    """Choose the rows of the landmarks, ascending."""
    if size <= count:
        return np.arange(size)
    return np.sort(np.random.default_rng(seed).choice(size, count, replace=False))


class _Iterations(io.TextIOBase):
    """Turns scikit-learn's output into progress: it has no callback, but prints every 50 iterations."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def write(self, text: str) -> int:
        if found := re.search(r"Iteration (\d+)", text):
            self._watch(int(found[1]), ITERATIONS)
        return len(text)


def embedded(vectors: Floats, seed: int, watch: Watch) -> Floats:
    """Place the landmarks (M, 2) by t-SNE, starting from their first two components; fewer than 8 keep that start."""
    start = vectors[:, :2] / max(float(vectors[:, :1].std()), 1e-12) * 1e-4
    if vectors.shape[1] < 2:
        start = np.pad(start, ((0, 0), (0, 2 - vectors.shape[1])))
    if len(vectors) < FEWEST:
        return np.asarray(start, np.float32)
    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    begin = start.astype(np.float32)
    tsne = TSNE(perplexity=perplexity, init=begin, max_iter=ITERATIONS, random_state=seed, n_jobs=1, verbose=2)
    with contextlib.redirect_stdout(_Iterations(watch)):
        return np.asarray(tsne.fit_transform(vectors), np.float32)


def placed(vectors: Floats, landmarks: Floats, points: Floats, watch: Watch) -> Floats:
    """Place vectors (N, D) as points (N, 2) between their nearest landmarks."""
    made = np.empty((len(vectors), 2), np.float32)
    lengths = np.einsum("ij,ij->i", landmarks, landmarks)
    count = min(NEIGHBOURS, len(landmarks))
    step = max(1, PRODUCTS // len(landmarks))
    for at in range(0, len(vectors), step):
        block = vectors[at : at + step]
        distances = lengths - 2 * (block @ landmarks.T)
        near = np.argpartition(distances, count - 1, axis=1)[:, :count]
        away = np.take_along_axis(distances, near, axis=1)
        away -= away.min(axis=1, keepdims=True)
        width = np.maximum(away.mean(axis=1, keepdims=True), 1e-12)
        weights = np.exp(-away / width)
        weights /= weights.sum(axis=1, keepdims=True)
        made[at : at + step] = np.einsum("nk,nkd->nd", weights, points[near])
        watch(min(at + step, len(vectors)), len(vectors))
    return made
