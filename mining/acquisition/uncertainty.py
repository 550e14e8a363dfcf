"""The formulae that several strategies share, over the last axis of probabilities. Natural logarithms: nats."""

import numpy as np

from acquisition.pool import Floats

TINY = 1e-37
"""Added under a logarithm: 0 log 0 = 0, and far too small to change any probability that single precision can hold
beside others of its row. A normal number in single precision, or it would be slow."""


def entropy(p: Floats) -> Floats:
    """(...,) from (..., K): -sum p log p (Shannon 1948), between 0 and log K."""
    found: Floats = np.maximum(-np.vecdot(p, logarithms(p)), 0.0)
    return found


def logarithms(p: Floats) -> Floats:
    """log p; a large negative number where p is 0. By log2, which NumPy has the faster."""
    logs: Floats = np.add(p, p.dtype.type(TINY))
    np.log2(logs, out=logs)
    logs *= p.dtype.type(np.log(2))
    return logs


def two_largest(p: Floats) -> tuple[Floats, Floats]:
    """p(1) and p(2), each (N,) from (N, K), K at least 2. By two scans: a partition moves far more memory."""
    rows = np.arange(len(p))
    best = p.argmax(axis=1)
    rest = p.copy()
    rest[rows, best] = -np.inf
    return p[rows, best], rest.max(axis=1)


def disagreement(members: Floats) -> Floats:
    """(N,) from (N, M, K): H[mean_m p_m] - mean_m H[p_m], what a label would tell of which member is right (Houlsby et
    al. 2011, BALD); between 0 and log M."""
    found: Floats = np.maximum(entropy(members.mean(axis=1)) - entropy(members).mean(axis=1), 0.0)
    return found
