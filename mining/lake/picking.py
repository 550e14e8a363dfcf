"""Pick a batch from many groups in two stages: what each group keeps, and the exact choice among what all have kept.

Each group keeps its `count` best by score and, for the control arm, the frames with the lowest random numbers, drawn by
the seed. The best of all are among the best of their groups, and the lowest numbers of all among the lowest of theirs,
so the choice is that over all frames at once. The lowest c of N independent uniform numbers are a random sample of c
without replacement (bottom-k sampling: Cohen and Kaplan 2007): each frame is in it with chance c / N.

Frames of the same bytes count as one: a group keeps the first of them, their random numbers are drawn from their bytes,
so that they are the same in every group, and the choice takes one of them.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition.registry import highest

CANDIDATES = 2_000_000
"""Most candidates that all groups together may keep."""
CONTROL, UNIFORM = 0, 1
"""Streams of random numbers: for the control arm, and for a strategy that is itself random."""
_MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
Floats = NDArray[np.floating[Any]]
Rows = NDArray[np.integer[Any]]
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Kept:
    """What one group keeps: `rows` with their `scores`, in the order of their keys, rows of the control arm with their
    `numbers`, the words for the bytes of both (`contents`, `drawn`), and the number of `eligible` frames with different
    bytes that they were chosen from."""

    rows: Rows
    scores: Floats
    control: Rows
    numbers: Floats
    contents: Words
    drawn: Words
    eligible: int

    def to_bytes(self) -> bytes:
        """Serialize for the database: 20 bytes a frame."""
        stream = io.BytesIO()
        np.savez(
            stream,
            rows=self.rows.astype(np.uint32),
            scores=self.scores.astype(np.float64),
            control=self.control.astype(np.uint32),
            numbers=self.numbers.astype(np.float64),
            contents=self.contents,
            drawn=self.drawn,
            eligible=np.array(self.eligible),
        )
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Kept":
        """Read what `to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as columns:
            named = {name: columns[name] for name in ("rows", "scores", "control", "numbers", "contents", "drawn")}
            return cls(**named, eligible=int(columns["eligible"]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The strategy's picks, the best first: `places` (n, 2) of group and row, `scores` (n,); the `control` arm (c, 2),
    of `eligible` frames in all. `same_bytes` frames were kept by other groups for bytes that are chosen here: they are
    not counted as eligible."""

    places: Rows
    scores: Floats
    control: Rows
    eligible: int
    same_bytes: int


def words_of(md5: Sequence[bytes]) -> Words:
    """Return a word (N,) for each digest: frames of the same bytes have the same."""
    return np.frombuffer(b"".join(md5), "<u8")[::2].astype(np.uint64)


def first_of_each(contents: Words) -> Rows:
    """Return the places of the first frame of each content, in order."""
    return np.sort(np.unique(contents, return_index=True)[1])


def priorities(seed: int, stream: int, contents: Words) -> Floats:
    """Return uniform random numbers (N,) of contents: the same in every process, and in whatever group a frame is."""
    key = np.random.default_rng([seed, stream]).integers(0, 2**64, dtype=np.uint64)
    mixed = contents ^ key
    for shift, factor in _MIXING:  # splitmix64 (Steele, Lea and Flood 2014)
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    numbers: Floats = ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)) / np.float64(1 << 53)
    return numbers


def keep(scores: Floats, numbers: Floats, rows: Rows, contents: Words, *, count: int, control: int) -> Kept:
    """Return what a group keeps of its eligible `rows` (n,), of different bytes, given their scores (n,), numbers (n,)
    and contents (n,): all of the `count` picks, and all of the control arm, may come from this group."""
    best = np.sort(highest(scores, count))
    drawn = np.sort(highest(-numbers, control))
    return Kept(rows[best], scores[best], rows[drawn], numbers[drawn], contents[best], contents[drawn], len(rows))


def merged(kept: Sequence[Kept], *, count: int, share: float) -> Chosen:
    """Choose among what the groups, given in the order of their keys, have kept. A `share` of the picks is the control
    arm, in the order in which it was drawn; its bytes are not picked again. Equal scores go to the lower key."""
    drawn, numbers, contents = _places(kept, "control"), _joined(kept, "numbers"), _contents(kept, "drawn")
    places, scores, others = _places(kept, "rows"), _joined(kept, "scores"), _contents(kept, "contents")
    known = np.unique(np.concatenate([_word(drawn), _word(places)]))
    repeated = len(known) - len(np.unique(np.concatenate([contents, others])))
    eligible = sum(one.eligible for one in kept) - repeated
    size = min(count, eligible)
    first = first_of_each(contents)
    arm = first[highest(-numbers[first], round(size * share))]
    free = np.flatnonzero(~np.isin(others, contents[arm]))
    free = free[first_of_each(others[free])]
    best = free[highest(scores[free], size - len(arm))]
    return Chosen(places[best], scores[best], drawn[arm], eligible, repeated)


def _contents(kept: Sequence[Kept], name: str) -> Words:
    return np.concatenate([np.empty(0, np.uint64), *(getattr(one, name) for one in kept)])


def _places(kept: Sequence[Kept], name: str) -> Rows:
    parts = [
        np.stack([np.full(len(rows), at, np.int64), rows.astype(np.int64)], axis=1)
        for at, one in enumerate(kept)
        for rows in (getattr(one, name),)
    ]
    return np.concatenate([np.empty((0, 2), np.int64), *parts])


def _joined(kept: Sequence[Kept], name: str) -> Floats:
    return np.concatenate([np.empty(0), *(getattr(one, name) for one in kept)])


def _word(places: Rows) -> NDArray[np.int64]:
    found: NDArray[np.int64] = (places[:, 0] << 32) | places[:, 1]
    return found
