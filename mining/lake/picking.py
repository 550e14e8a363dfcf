"""Pick a batch from many groups in two stages: what each group keeps, and the exact choice among what all have kept.

Each group keeps its `count` best by score and, for the control arm, the frames with the lowest random numbers, drawn by
the seed. The best of all are among the best of their groups, and the lowest numbers of all among the lowest of theirs,
so the choice is that over all frames at once. The lowest c of N independent uniform numbers are a random sample of c
without replacement (bottom-k sampling: Cohen and Kaplan 2007): each frame is in it with chance c / N.
"""

import hashlib
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
Floats = NDArray[np.floating[Any]]
Rows = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Kept:
    """What one group keeps: `rows` with their `scores`, in the order of their keys, rows of the control arm with their
    `numbers`, and the number of `eligible` frames they were chosen from."""

    rows: Rows
    scores: Floats
    control: Rows
    numbers: Floats
    eligible: int

    def to_bytes(self) -> bytes:
        """Serialize for the database: 12 bytes a frame."""
        stream = io.BytesIO()
        np.savez(
            stream,
            rows=self.rows.astype(np.uint32),
            scores=self.scores.astype(np.float64),
            control=self.control.astype(np.uint32),
            numbers=self.numbers.astype(np.float64),
            eligible=np.array(self.eligible),
        )
        return stream.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Kept":
        """Read what `to_bytes` wrote."""
        with np.load(io.BytesIO(data), allow_pickle=False) as columns:
            named = {name: columns[name] for name in ("rows", "scores", "control", "numbers")}
            return cls(**named, eligible=int(columns["eligible"]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The strategy's picks, the best first: `places` (n, 2) of group and row, `scores` (n,); the `control` arm (c, 2),
    of `eligible` frames in all."""

    places: Rows
    scores: Floats
    control: Rows
    eligible: int


def priorities(seed: int, stream: int, first: str, rows: int) -> Floats:
    """Return uniform random numbers (N,) of the rows of the group whose first key is `first`: the same in every
    process, and whatever other groups there are."""
    named = np.frombuffer(hashlib.sha256(first.encode()).digest(), np.uint32)
    numbers: Floats = np.random.default_rng([seed, stream, *named.tolist()]).random(rows)
    return numbers


def keep(scores: Floats, numbers: Floats, rows: Rows, *, count: int, control: int) -> Kept:
    """Return what a group keeps of its eligible `rows` (n,), given their scores (n,) and numbers (n,): all of the
    `count` picks, and all of the control arm, may come from this group."""
    best = np.sort(highest(scores, count))
    drawn = np.sort(highest(-numbers, control))
    return Kept(rows[best], scores[best], rows[drawn], numbers[drawn], len(rows))


def merged(kept: Sequence[Kept], *, count: int, share: float) -> Chosen:
    """Choose among what the groups, given in the order of their keys, have kept. A `share` of the picks is the control
    arm; its frames are not picked again. Equal scores go to the lower key."""
    eligible = sum(one.eligible for one in kept)
    size = min(count, eligible)
    drawn = _places(kept, "control")
    drawn = drawn[np.sort(highest(-_joined(kept, "numbers"), round(size * share)))]
    places, scores = _places(kept, "rows"), _joined(kept, "scores")
    free = ~np.isin(_word(places), _word(drawn))
    places, scores = places[free], scores[free]
    best = highest(scores, size - len(drawn))
    return Chosen(places[best], scores[best], drawn, eligible)


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
