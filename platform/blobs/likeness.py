"""Candidates for near-duplicates: a perceptual hash finds them, a small gray sketch rules most of them out.

The hash is the sign of the 64 lowest cosine frequencies of the picture, 32 x 32 and gray, against their median (pHash).
It tolerates recompression, scaling and changes of light, but it also takes two different handwritten digits for alike.
So a pair is a candidate only if the two 16 x 16 sketches correlate as well; drawings on a plain ground, where chance
alone correlates highly, must correlate almost perfectly. `blobs.second_look` decides whether a candidate counts. Turned
and mirrored pictures are not found. No Django here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

GRAY_SIDE = 32
SKETCH_SIDE = 16
SKETCH_BYTES = SKETCH_SIDE * SKETCH_SIDE
MAX_DISTANCE = 6
"""The largest number of the 64 bits that may differ. The search is exact up to 7: see `_probed`."""
CORRELATION = 0.93
PLAIN_CORRELATION = 0.995
_PLAIN_SHARE = 0.45
_PLAIN_LEVELS = 4
_ROUNDING_LEVELS = 2.0  # recompressing alone moves a faint picture by as much
_FLAT_LEVELS = 8  # a sketch that varies less than this shows nothing to recognise
_LOW = 8
_BANDS, _BAND_BITS = 4, 16
_BRUTE_PAIRS = 1 << 24
_BLOCK_PAIRS = 1 << 22
_SCREENED = 1 << 14
_SLACK, _SLACK_LEVELS = 1e-3, 500  # far beyond what float32 rounds: of a correlation, and gray levels for each of it
_COMPARED_PAIRS = 1 << 16  # half a megabyte of differences: they stay in the processor's cache

Gray = NDArray[np.uint8]
Hashes = NDArray[np.uint64]
Rows = NDArray[np.intp]

_COSINES = np.cos(np.pi * np.arange(_LOW)[:, None] * (2 * np.arange(GRAY_SIDE) + 1) / (2 * GRAY_SIDE))
_HALVES = np.kron(np.eye(SKETCH_SIDE), np.full(GRAY_SIDE // SKETCH_SIDE, SKETCH_SIDE / GRAY_SIDE))
_BOTH = np.vstack([_COSINES, _HALVES]).astype(np.float32)  # one product gives frequencies and sketch: a call costs 5 us
_NEAR = np.array([0, *(1 << bit for bit in range(_BAND_BITS))], np.int64)  # a band as it is, and with one bit turned


@dataclass(frozen=True, slots=True)
class Likeness:
    """What is stored of a picture: a signed 64-bit hash, as databases store integers, and 256 bytes of gray by rows."""

    phash: int
    sketch: bytes


def likeness(gray: bytes) -> Likeness | None:
    """Return the likeness of a picture shrunk to 32 x 32 gray (1,024 bytes, see `blobs.pixels.gray`); None for one that
    shows nothing."""
    return likenesses([gray])[0]


def likenesses(grays: Sequence[bytes]) -> list[Likeness | None]:
    """Return the likenesses of many pictures at once, at a tenth of the cost per picture."""
    pixels = np.frombuffer(b"".join(grays), np.uint8).astype(np.float32).reshape(-1, GRAY_SIDE, GRAY_SIDE)
    product = _BOTH @ pixels @ _BOTH.T
    sketch, low = product[:, _LOW:, _LOW:].reshape(-1, SKETCH_BYTES), product[:, :_LOW, :_LOW].reshape(-1, _LOW * _LOW)
    middle = _LOW * _LOW // 2 - 1
    bits = np.packbits(low > np.partition(low, middle, axis=1)[:, middle : middle + 1], axis=1)
    phashes = bits.view(">i8").ravel().tolist()
    kept = np.ascontiguousarray((sketch + 0.5).astype(np.uint8)).tobytes()
    shows = (sketch.max(axis=1) - sketch.min(axis=1) >= _FLAT_LEVELS).tolist()
    cuts = (kept[at : at + SKETCH_BYTES] for at in range(0, len(kept), SKETCH_BYTES))
    return [Likeness(*one) if shown else None for *one, shown in zip(phashes, cuts, shows, strict=True)]


def hashes(values: Any) -> Hashes:
    """Return signed hashes, as databases store them, as (N,) uint64."""
    return np.asarray(values, np.int64).astype(np.uint64)


def near(left: Hashes, right: Hashes, *, most: int = MAX_DISTANCE) -> Iterator[tuple[Rows, Rows, NDArray[np.uint8]]]:
    """Yield blocks of (rows of `left`, rows of `right`, bits that differ) for every pair that differs in at most `most`
    <= 7.

    Exact. Memory is bounded whatever the sizes; time is that of the M x N comparisons for small sets and about a
    hundredth of it for large ones whose hashes are spread.
    """
    if not 0 <= most < 2 * _BANDS:
        raise ValueError(f"most must be 0 to {2 * _BANDS - 1}, not {most}")
    found = _compared if len(left) * len(right) <= _BRUTE_PAIRS else _banded
    yield from found(left, right, most)


def near_within(values: Hashes, *, most: int = MAX_DISTANCE) -> Iterator[tuple[Rows, Rows]]:
    """Yield blocks of (rows, later rows) of `values` for every pair within them that differs in at most `most` <= 7
    bits, each pair once, in half the time of `near`."""
    if len(values) ** 2 <= _BRUTE_PAIRS:
        blocks = ((one, other) for one, other, _ in near(values, values, most=most))
    else:
        blocks = (pair[:2] for pair in _banded(values, values, most, within=True))
    for one, other in blocks:
        once = one < other
        yield one[once], other[once]


class Screen:
    """Rules out most pairs of N sketches (N, 256) that don't agree, at a tenth of the cost of `agree`: what depends on
    one sketch alone is computed once."""

    def __init__(self, sketches: Gray) -> None:
        self._sketches = sketches
        blocks = [_screened(sketches[at : at + _SCREENED]) for at in range(0, len(sketches), _SCREENED)]
        self._means, self._lengths, self._plain = (
            np.concatenate([np.empty(0, np.float32), *(block[part] for block in blocks)]) for part in range(3)
        )

    def passed(self, one: Rows, other: Rows) -> NDArray[np.bool_]:
        """Return for pairs of rows whether they may agree; those that agree always pass."""
        left, right = self._sketches[one].astype(np.float32), self._sketches[other].astype(np.float32)
        left -= self._means[one, None]
        products = np.einsum("ij,ij->i", left, right)  # one side is centred, so the mean of the other counts nothing
        lengths = self._lengths[one], self._lengths[other]
        plain = np.maximum(self._plain[one], self._plain[other]) >= _PLAIN_SHARE
        return _close(products, *lengths, plain, slack=_SLACK) > 0


def _screened(block: Gray) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    values = block.astype(np.float32)
    return values.mean(axis=1), np.linalg.norm(centred(values), axis=1), _plain(values)


def agree(left: Gray, right: Gray) -> NDArray[np.bool_]:
    """Return, for N pairs of sketches, two (N, 256) uint8, whether each may show the same picture."""
    return closeness(left, right) > 0


def closeness(left: Gray, right: Gray) -> NDArray[np.float32]:
    """Return the correlation of each of N pairs of sketches; 0 for pairs that don't agree."""
    one, other = left.astype(np.float32), right.astype(np.float32)
    plain = np.maximum(_plain(one), _plain(other)) >= _PLAIN_SHARE
    one, other = centred(one), centred(other)
    lengths = np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)
    return _close((one * other).sum(axis=1), *lengths, plain)


def closeness_to_all(left: Gray, right: Gray) -> NDArray[np.float32]:
    """Return the `closeness` (N, M) of each of N sketches to each of M others, by one matrix product."""
    one, other = left.astype(np.float32), right.astype(np.float32)
    plain = np.maximum(_plain(one)[:, None], _plain(other)) >= _PLAIN_SHARE
    one, other = centred(one), centred(other)
    lengths = np.linalg.norm(one, axis=1)[:, None], np.linalg.norm(other, axis=1)[None]
    return _close(one @ other.T, *lengths, plain)


def centred(sketch: NDArray[Any]) -> NDArray[np.float32]:
    """Return sketches (N, 256) without their mean brightness."""
    values = sketch.astype(np.float32)
    apart: NDArray[np.float32] = values - values.mean(axis=1, keepdims=True)
    return apart


def _close(
    products: NDArray[np.float32],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    plain: NDArray[np.bool_],
    *,
    slack: float = 0.0,
) -> NDArray[np.float32]:
    """Return the correlation of pairs that agree, 0 for others, from products and lengths of centred sketches. With
    `slack` those that miss it by so much agree too."""
    correlation = np.clip(products / np.maximum(left * right, 1e-6), 0, 1)
    # The gray levels that light does not explain.
    rest = np.minimum(left, right) * np.sqrt(1 - correlation**2) / SKETCH_SIDE
    agreed = (correlation >= np.where(plain, PLAIN_CORRELATION, CORRELATION) - slack) | (
        (rest <= _ROUNDING_LEVELS + _SLACK_LEVELS * slack) & (correlation >= CORRELATION - slack)
    )
    found: NDArray[np.float32] = np.where(agreed, correlation, 0).astype(np.float32)
    return found


def sketches(kept: list[bytes]) -> Gray:
    """Return sketches as one (N, 256) array."""
    return np.frombuffer(b"".join(kept), np.uint8).reshape(len(kept), SKETCH_BYTES)


def _plain(sketch: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each sketch's share of plain ground: the pixels within a few levels of its median."""
    ground = np.abs(sketch - np.median(sketch, axis=1, keepdims=True)) <= _PLAIN_LEVELS
    share: NDArray[np.float32] = ground.mean(axis=1, dtype=np.float32)
    return share


def _compared(left: Hashes, right: Hashes, most: int) -> Iterator[tuple[Rows, Rows, NDArray[np.uint8]]]:
    """Compare all hashes with all."""
    step = max(1, _COMPARED_PAIRS // max(len(right), 1))
    for start in range(0, len(left) if len(right) else 0, step):
        distance = np.bitwise_count(left[start : start + step, None] ^ right)
        rows, others = np.nonzero(distance <= most)
        if len(rows):
            yield rows + start, others, distance[rows, others]


def _banded(
    left: Hashes, right: Hashes, most: int, *, within: bool = False
) -> Iterator[tuple[Rows, Rows, NDArray[np.uint8]]]:
    """Compare the hashes that agree in a band; with `within`, where both are the same, each with the later ones.

    By the pigeonhole principle: of up to 7 bits that differ, one of four bands has at most one. A pair is yielded only
    for the first such band.
    """
    for band in range(_BANDS):
        for one, other in _probed(_band(left, band), _band(right, band), within=within):
            difference = left[one] ^ right[other]
            distance = np.bitwise_count(difference)
            kept = np.flatnonzero(distance <= most)
            kept = kept[_first_seen(difference[kept], band)]
            if len(kept):
                yield one[kept], other[kept], distance[kept]


def _probed(ours: NDArray[np.int64], theirs: NDArray[np.int64], *, within: bool) -> Iterator[tuple[Rows, Rows]]:
    """Yield blocks of pairs whose values of a band differ in one bit or none."""
    order = np.argsort(theirs, kind="stable")
    starts = np.searchsorted(theirs[order], np.arange((1 << _BAND_BITS) + 1))
    # In a band's order the rows of one value ascend, so value and row find the place of the first later row.
    places = theirs[order] * len(theirs) + order if within else None
    for flip in _NEAR:
        wanted = ours ^ flip
        first = starts[wanted]
        if places is not None:
            first = np.searchsorted(places, wanted * len(theirs) + np.arange(len(ours)), side="right")
        count = starts[wanted + 1] - first
        for rows in _blocks(count):
            ends = np.cumsum(count[rows])
            steps = np.arange(ends[-1]) - np.repeat(ends - count[rows] - first[rows], count[rows])
            yield np.repeat(rows, count[rows]), order[steps]


def _band(values: Hashes, band: int) -> NDArray[np.int64]:
    return ((values >> np.uint64(band * _BAND_BITS)) & np.uint64((1 << _BAND_BITS) - 1)).astype(np.int64)


def _first_seen(difference: Hashes, band: int) -> Rows:
    """Return rows whose earlier bands all differ by more than one bit: the others were yielded for an earlier band."""
    fresh = np.ones(len(difference), bool)
    for earlier in range(band):
        fresh &= np.bitwise_count(_band(difference, earlier)) > 1
    return np.flatnonzero(fresh)


def _blocks(count: NDArray[np.int64]) -> Iterator[Rows]:
    """Yield rows that have candidates, split so that no block holds too many pairs."""
    rows = np.flatnonzero(count)
    if not len(rows):
        return
    total = np.cumsum(count[rows])
    yield from np.split(rows, np.flatnonzero(np.diff(total // _BLOCK_PAIRS)) + 1)
