"""The formulae that several strategies share, over the last axis of probabilities. Natural logarithms: nats."""

import numpy as np

from acquisition.pool import Floats

TINY = 1e-37
"""Added under a logarithm so that 0 log 0 = 0; far too small to change any probability that single precision can hold
beside others of its row. It is a normal number in single precision, because others are slow."""


def entropy(p: Floats) -> Floats:
    """Return the entropy (...,) from (..., K), at least two axes: -sum p log p (Shannon 1948), between 0 and log K."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # The natural logarithm: NumPy has a vectorised one also for processors without AVX-512, to base 2 it has not.
        nats = -np.vecdot(p, np.log(p))
    # Rows with zeros got NaN from 0 log 0: compute these again. Doing so for every row would cost a third more.
    holes = np.isnan(nats)
    if holes.any():
        nats[holes] = -np.vecdot(p[holes], log(p[holes]))
    found: Floats = np.maximum(nats, 0.0)
    return found


def log(p: Floats) -> Floats:
    """Return log p; a large negative number where p is 0."""
    logs: Floats = np.add(p, p.dtype.type(TINY))
    return np.log(logs, out=logs)


def two_largest(p: Floats) -> tuple[Floats, Floats]:
    """Return p(1) and p(2), each (N,) from (N, K), K at least 2. Uses two scans: a partition moves far more memory."""
    rows = np.arange(len(p))
    rest = p.copy()
    best = rest.argmax(axis=1)
    first = rest[rows, best]
    rest[rows, best] = -np.inf
    return first, rest.max(axis=1)


def disagreement(members: Floats) -> Floats:
    """Return (N,) from (N, M, K): H[mean_m p_m] - mean_m H[p_m], the information of a label about which member is right
    (Houlsby et al. 2011, BALD); between 0 and log M."""
    found: Floats = np.maximum(entropy(members.mean(axis=1)) - entropy(members).mean(axis=1), 0.0)
    return found
