"""Copies among candidates: of samples that show the same picture one is a candidate, so that a batch never pays twice
for one label.

Samples of the same bytes are told by `Pool.copies`, near copies by the likeness that intake computed, `Pool.hashes` and
`Pool.sketches`. Likeness is not transitive (each frame of a drive resembles the next), so candidates are not grouped:
they are visited in a random order, and one is left out where `most` of those before it, none left out themselves, are
near it. What remains is the population that strategies pick from and the control arm is drawn from, every member with
the same chance.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from acquisition.pool import Floats, Indices, Pool
from blobs.likeness import MAX_DISTANCE, Gray, Hashes, Screen, agree, near_within
from blobs.rarity import BACKGROUND, Background, copy_bounds, levels

MOST_PAIRS = 20_000_000
"""Largest number of pairs with similar hashes whose sketches are compared: some seconds."""
_AXES, _AT_ONCE, _PAIRS = 8, 8192, 1 << 14
_COMMON = 0.01  # a smaller share of common pictures in the background needs no bounds

Pairs = tuple[Indices, Indices]


def repeated(copies: Indices, rows: Indices, prefer: Floats) -> Indices:
    """Return those of `rows` whose bytes an earlier row has, where rows come with the highest of `prefer` (N,) first,
    equal ones in their order."""
    order = rows[np.argsort(-prefer[rows], kind="stable")]
    _, first = np.unique(copies[order], return_index=True)
    return np.sort(np.delete(order, first))


def near_copies(pool: Pool, rows: Indices, most: int, rng: np.random.Generator) -> tuple[Indices, int]:
    """Return those of `rows` that are left out because `most` others are near copies of them, and the number of pairs
    that were too many to compare. Without hashes in the pool none is."""
    if pool.hashes is None or pool.sketches is None or len(rows) < 2:
        return rows[:0], 0
    hashes, sketches = np.asarray(pool.hashes[rows]).astype(np.uint64), pool.sketches[rows]
    places = rng.permutation(len(rows))
    bounds = _bounds(hashes, sketches, places)
    left, right, uncompared = _pairs(hashes, sketches, bounds)
    graph = csr_array((np.ones(2 * len(left), bool), (np.r_[left, right], np.r_[right, left])), (len(rows),) * 2)
    out = np.zeros(len(rows), bool)
    before = np.zeros(len(rows), np.int64)  # how many neighbours remain among those visited
    for place in places[np.diff(graph.indptr)[places] > 0].tolist():
        if before[place] >= most:
            out[place] = True
        else:
            before[graph.indices[graph.indptr[place] : graph.indptr[place + 1]]] += 1
    return rows[out], uncompared


def _bounds(hashes: Hashes, sketches: Gray, places: Indices) -> Floats:
    """Return the largest distance (N,) at which another picture is a near copy (`blobs.rarity`)."""
    drawn = np.sort(places[:BACKGROUND])
    background = Background(hashes[drawn], sketches[drawn])
    some = copy_bounds(background.hashes, background.sketches, background, compared=len(hashes))
    if np.isfinite(some).mean() < _COMMON:
        return np.full(len(hashes), np.inf)
    return copy_bounds(hashes, sketches, background, compared=len(hashes))


def _pairs(hashes: Hashes, sketches: Gray, bounds: Floats) -> tuple[Indices, Indices, int]:
    """Return the pairs of near copies, each once, and the number of those that were too many to compare."""
    found: list[Pairs] = []
    usual = np.flatnonzero(np.isinf(bounds))
    compared, uncompared = 0, 0
    screen = Screen(sketches)
    for one, other in near_within(hashes[usual]):
        if compared > MOST_PAIRS:
            uncompared += len(one)
            continue
        compared += len(one)
        found += _confirmed((usual[one], usual[other]), hashes, sketches, bounds, screen)
    for pairs in _close(sketches, bounds):
        found += _confirmed(pairs, hashes, sketches, bounds, screen)
    left, right = (np.concatenate([np.empty(0, np.intp), *(pair[side] for pair in found)]) for side in (0, 1))
    return left, right, uncompared


def _close(sketches: Gray, bounds: Floats) -> Iterator[Pairs]:
    """Yield the pairs of a common picture and another within its bound, by a tree over the main axes of the
    sketches: a distance along some axes is never larger than the whole."""
    common = np.flatnonzero(np.isfinite(bounds))
    if not len(common):
        return
    some = sketches[common[:: max(1, len(common) // _AT_ONCE)]].astype(np.float32)
    some -= some.mean(axis=1, keepdims=True)
    axes = np.linalg.svd(some - some.mean(axis=0), full_matrices=False)[2][:_AXES].T
    points = np.concatenate([_along(sketches[at : at + _AT_ONCE], axes) for at in range(0, len(sketches), _AT_ONCE)])
    tree = cKDTree(points)
    for at in range(0, len(common), _AT_ONCE):
        block = common[at : at + _AT_ONCE]
        hits = tree.query_ball_point(points[block], bounds[block])
        counts = [len(hit) for hit in hits]
        one, other = np.repeat(block, counts), np.concatenate([np.asarray(hit, np.intp) for hit in hits])
        once = (one < other) | ((one > other) & np.isinf(bounds[other]))
        yield one[once], other[once]


def _along(sketches: Gray, axes: Floats) -> Floats:
    """Return the places (n, A) of sketches along some axes, in gray levels."""
    values = sketches.astype(np.float32)
    values -= values.mean(axis=1, keepdims=True)
    along: Floats = (values @ axes) / np.float32(np.sqrt(sketches.shape[1]))
    return along


def _confirmed(pairs: Pairs, hashes: Hashes, sketches: Gray, bounds: Floats, screen: Screen) -> Iterator[Pairs]:
    for at in range(0, len(pairs[0]), _PAIRS):
        one, other = (side[at : at + _PAIRS] for side in pairs)
        alike = np.bitwise_count(hashes[one] ^ hashes[other]) <= MAX_DISTANCE
        one, other = one[alike], other[alike]
        passed = screen.passed(one, other)
        one, other = one[passed], other[passed]
        left, right = sketches[one], sketches[other]
        same = agree(left, right) & (levels(left, right) <= np.minimum(bounds[one], bounds[other]))
        yield one[same], other[same]
