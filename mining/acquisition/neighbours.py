"""The nearest labelled samples of some picks, for explanations."""

import numpy as np

from acquisition.pool import Floats, Indices


def nearest(queries: Floats, labelled: Floats, count: int = 3) -> tuple[Indices, Floats]:
    """Return the rows of `labelled` (M, D) nearest to each of `queries` (Q, D), and their Euclidean distances: two (Q,
    count)."""
    count = min(count, len(labelled))
    if not count or not len(queries):
        return np.empty((len(queries), 0), dtype=np.intp), np.empty((len(queries), 0))
    squared = squared_distances(queries.astype(np.float32), labelled.astype(np.float32))
    rows = np.argsort(squared, axis=1, kind="stable")[:, :count]
    return rows, np.sqrt(np.take_along_axis(squared, rows, axis=1))


def squared_distances(left: Floats, right: Floats) -> Floats:
    """Return the squared Euclidean distances (N, M) of (N, D) and (M, D), by one matrix product; never negative."""
    squares = (left * left).sum(axis=1)[:, None] + (right * right).sum(axis=1)[None, :]
    distances: Floats = np.maximum(squares - 2.0 * (left @ right.T), 0.0)
    return distances


def unit_rows(vectors: Floats) -> Floats:
    """Scale rows (N, D) to length 1, in their own precision; rows of length 0 stay 0."""
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    unit: Floats = vectors / np.where(lengths > 0, lengths, 1)
    return unit
