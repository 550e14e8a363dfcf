"""The formulae that several strategies share, over the last axis of probabilities. Natural logarithms: nats.

A sure model's largest probability is 1 up to rounding, so what tells its samples apart is in the small ones.
Uncertainty is computed from these, in double precision, and never as a difference from 1.
"""

import numpy as np

from acquisition.pool import Floats

TINY = 1e-37
"""Added under a logarithm so that 0 log 0 = 0; far too small to change any probability that single precision can hold
beside others of its row. It is a normal number in single precision, because others are slow."""
SURE = 0.01
"""Entropy below which the largest probability's own term is computed from the others."""


def entropy(p: Floats) -> Floats:
    """Return the entropy (...,) from (..., K), at least two axes: -sum p log p (Shannon 1948), between 0 and log K."""
    p = p.astype(np.float64, copy=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        # The natural logarithm: NumPy has a vectorised one also for processors without AVX-512, to base 2 it has not.
        nats = -np.vecdot(p, np.log(p))
    # Rows with zeros got NaN from 0 log 0, and near 1 rounding outweighs the result: compute these again. Doing so for
    # every row would cost a third more.
    again = ~(nats > SURE)
    if again.any():
        nats[again] = _entropy_of_sure(p[again])
    found: Floats = np.maximum(nats, 0.0)
    return found


def _entropy_of_sure(p: Floats) -> Floats:
    """Return the entropy (n,) of rows (n, K), with log p(1) = log1p(-(the sum of the others))."""
    rest, first = split(p)
    smallest = np.finfo(np.float64).smallest_subnormal
    nats: Floats = -np.vecdot(rest, np.log(np.maximum(rest, smallest)))
    nats -= first * np.where(first > 0.5, np.log1p(-np.minimum(rest.sum(axis=1), 0.5)), np.log(first))
    return nats


def split(p: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities (N, K) in double precision with the largest of each row (of equals the first) set to 0,
    and those largest (N,)."""
    rows = np.arange(len(p))
    rest = p.astype(np.float64)
    best = rest.argmax(axis=1)
    first = rest[rows, best]
    rest[rows, best] = 0.0
    return rest, first


def least_confidence(p: Floats) -> Floats:
    """Return 1 - p(1), (N,) from (N, K), as the sum of the others by the sum of all: rows need not sum to 1 exactly."""
    rest, first = split(p)
    others = rest.sum(axis=1)
    found: Floats = others / (others + first)
    return found


def margin(p: Floats) -> Floats:
    """Return 1 - (p(1) - p(2)), (N,) from (N, K), as twice p(2) and the others by the sum of all. With a single class
    there is nothing to confuse: 0."""
    rest, first = split(p)
    others = rest.sum(axis=1)
    found: Floats = (others + rest.max(axis=1)) / (others + first)
    return found


def log(p: Floats) -> Floats:
    """Return log p; a large negative number where p is 0."""
    logs: Floats = np.add(p, p.dtype.type(TINY))
    return np.log(logs, out=logs)


def disagreement(members: Floats) -> Floats:
    """Return (N,) from (N, M, K): H[mean_m p_m] - mean_m H[p_m], the information of a label about which member is right
    (Houlsby et al. 2011, BALD); between 0 and log M."""
    found: Floats = np.maximum(entropy(members.mean(axis=1, dtype=np.float64)) - entropy(members).mean(axis=1), 0.0)
    return found
