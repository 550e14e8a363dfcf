"""The same strategies one pick at a time in NumPy, as one writes them first."""

import numpy as np

from bench.mining.corpus import Array


def k_center(points: Array, count: int) -> list[int]:
    """k-center from the farthest point from the mean on: one matrix-vector product a pick."""
    squares = np.einsum("ij,ij->i", points, points)
    mean = points.mean(axis=0, dtype=np.float64).astype(np.float32)
    nearest = squares - 2 * (points @ mean) + mean @ mean
    picks: list[int] = []
    while len(picks) < count:
        picks.append(int(nearest.argmax()))
        distances = points @ points[picks[-1]]
        distances *= -2
        distances += squares
        distances += squares[picks[-1]]
        if len(picks) == 1:
            nearest = distances
        np.minimum(nearest, distances, out=nearest)
        nearest[picks] = -np.inf
    return picks


def badge(probabilities: Array, points: Array, count: int) -> list[int]:
    """k-means++ over factorised gradient embeddings, all distances brought up to date at every draw."""
    rng = np.random.default_rng(0)
    q = probabilities.copy()
    q[np.arange(len(q)), q.argmax(axis=1)] -= 1
    squares = np.einsum("ij,ij->i", q, q) * np.einsum("ij,ij->i", points, points)
    picks = [int(squares.argmax())]
    nearest = np.full(len(points), np.inf, np.float32)
    while len(picks) < count:
        distances = (q @ q[picks[-1]]) * (points @ points[picks[-1]])
        distances *= -2
        distances += squares
        distances += squares[picks[-1]]
        np.minimum(nearest, np.maximum(distances, 0), out=nearest)
        nearest[picks] = 0
        totals = np.cumsum(nearest, dtype=np.float64)
        picks.append(int(np.searchsorted(totals, rng.random() * totals[-1], side="right")))
    return picks
