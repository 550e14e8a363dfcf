"""Objectives: factors, one per candidate, by which the strategy's score is multiplied.

- `class_weight`: sum_k p_k w_k;
- `slice_weight`: product of the weights of the slices it lies in;
- `uncertainty`: entropy / log K (Shannon 1948), between 0 and 1; of several questions an image, their mean;
- `novelty`: cosine distance to the nearest labelled sample, at most 1; 1 where nothing is labelled;
- `typicality`: 1 / (1 + mean distance to the 20 nearest of the pool), after TypiClust (Hacohen et al. 2022) on unit
  vectors. In a pool of more than 10,000 they are searched in an even sample of at most 10,000 ids.
"""

from collections.abc import Callable

import numpy as np

from acquisition.composition import ClassWeight, Objective, SliceWeight
from acquisition.neighbours import squared_distances, unit_rows
from acquisition.pool import Floats, Pool, PoolError
from tasktypes import task_type

ROWS = 2048
NEAREST = 20
REFERENCE = 10_000


def factor(pool: Pool, objective: Objective) -> Floats:
    """Return the non-negative values (N,) of one objective, before its strength. Raises PoolError naming the missing
    field."""
    if isinstance(objective, ClassWeight):
        weights = np.array([objective.weights.get(name, 1.0) for name in pool.classes])
        classes: Floats = _probabilities(pool) @ weights
        return classes
    if isinstance(objective, SliceWeight):
        return _slice_weight(pool, objective)
    return QUALITIES[objective.name](pool)


def _slice_weight(pool: Pool, objective: SliceWeight) -> Floats:
    found = np.ones(len(pool))
    for name, weight in objective.weights.items():
        if name not in pool.slices:
            raise PoolError(f"slices.{name}: the weights of slices ask for it")
        found[pool.slices[name]] *= weight
    return found


def _uncertainty(pool: Pool) -> Floats:
    p, mining = _probabilities(pool), task_type(pool.task).mining
    found = np.zeros(len(p))
    for at in range(0, len(p), ROWS):
        rows = p[at : at + ROWS].astype(np.float64)
        block, asked = mining.terms(rows), mining.asked(rows)
        if block.shape[-1] == 1:
            return found
        logs = np.log(block, where=block > 0, out=np.zeros_like(block))
        open_ = -(block * logs).sum(axis=-1) / np.log(block.shape[-1])
        found[at : at + ROWS] = open_.mean(axis=1, where=asked[:, : open_.shape[1]])
    return np.clip(found, 0.0, 1.0)


def _novelty(pool: Pool) -> Floats:
    if pool.labelled is None or not len(pool.labelled):
        return np.ones(len(pool))
    labelled = unit_rows(pool.labelled.astype(np.float32))
    return np.clip(_by_block(pool, lambda block: 1.0 - (block @ labelled.T).max(axis=1)), 0.0, 1.0)


def _typicality(pool: Pool) -> Floats:
    step = -(-len(pool) // REFERENCE) or 1
    reference = unit_rows(_embeddings(pool)[::step].astype(np.float32))
    near = min(NEAREST + 1, len(reference))

    def mean_distance(block: Floats) -> Floats:
        squared = np.partition(squared_distances(block, reference), near - 1, axis=1)[:, :near]
        mean: Floats = np.sqrt(squared).mean(axis=1)
        return mean

    return 1.0 / (1.0 + _by_block(pool, mean_distance))


def _by_block(pool: Pool, measure: Callable[[Floats], Floats]) -> Floats:
    """Compute a measure (N,) of unit embeddings, in blocks of rows."""
    points, found = _embeddings(pool), np.empty(len(pool))
    for at in range(0, len(points), ROWS):
        found[at : at + ROWS] = measure(unit_rows(points[at : at + ROWS].astype(np.float32)))
    return found


QUALITIES: dict[str, Callable[[Pool], Floats]] = {
    "uncertainty": _uncertainty,
    "novelty": _novelty,
    "typicality": _typicality,
}


def _probabilities(pool: Pool) -> Floats:
    if pool.probabilities is None:
        raise PoolError("probabilities: an objective needs them")
    return pool.probabilities


def _embeddings(pool: Pool) -> Floats:
    if pool.embeddings is None:
        raise PoolError("embeddings: an objective needs them")
    return pool.embeddings
