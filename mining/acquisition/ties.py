"""The order of samples that a strategy ranks alike: drawn by the seed, never that of ids, which follow keys."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWN = "drawn"
"""How ties were broken, as a selection's figures say; those of earlier releases don't say it: by the id."""
Indices = NDArray[np.intp]
Words = NDArray[np.uint64]


def draws(ids: NDArray[Any], seed: int) -> Words:
    """Return a pseudo-random number (N,) of each id: the same for an id whatever other ids there are, so that the order
    of two samples can be told long after the pool is gone. Lower numbers go first.

    Whole numbers are mixed by SplitMix64's finaliser (Steele, Lea and Flood 2014), which maps no two to the same;
    other ids count by their place.
    """
    if ids.dtype.kind not in "iu":
        ids = np.argsort(np.argsort(ids, kind="stable"), kind="stable")
    start = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    with np.errstate(over="ignore"):
        words = ids.astype(np.uint64) + start
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: Words = words ^ (words >> np.uint64(31))
    return mixed


def drawn_order(ids: NDArray[Any], seed: int) -> Indices:
    """Return the rows of ids (N,) in the order of their draws."""
    order: Indices = np.argsort(draws(ids, seed), kind="stable")
    return order
