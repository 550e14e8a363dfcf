"""The hard rules of a growing batch: which candidates may still join it, and what keeps the others out.

All rules are monotone: a candidate that may not join now may not join later either, because a batch only grows.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from acquisition.composition import ROUNDING, Quota
from acquisition.neighbours import unit_rows
from acquisition.pool import Floats, Indices, Pool, PoolError
from tasktypes import task_type

Mask = NDArray[np.bool_]
ROWS, OTHERS = 2048, 4096
"""Sizes of a block of pairs: at most these rows with these others."""
BAND = 1e-5
"""Distance to the bound within which a float32 cosine is computed again in double precision, pair by pair: the verdict
on a pair must not depend on the other pairs of its block."""


class Pairwise(ABC):
    """A rule that forbids two samples to be both in the batch, or one in the batch and one labelled."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self._picked: list[int] = []

    def admit(self, row: int) -> None:
        """Record that the row is in the batch."""
        self._picked.append(row)

    def blockers(self, rows: Indices, since: int = 0) -> Indices:
        """Return, for each of `rows`, the place (0: admitted first) of the first pick that it conflicts with, or -1;
        picks before place `since` are ignored."""
        found = np.full(len(rows), -1, np.intp)
        picked = np.array(self._picked[since:], np.intp)
        for at in range(0, len(rows), ROWS):
            block = slice(at, at + ROWS)
            for start in range(0, len(picked), OTHERS):
                against = self.conflicts(rows[block], picked[start : start + OTHERS])
                hit = against.any(axis=1) & (found[block] < 0)
                found[block] = np.where(hit, against.argmax(axis=1) + since + start, found[block])
        return found

    @abstractmethod
    def conflicts(self, rows: Indices, others: Indices) -> Mask:
        """Return which pairs (n, m) of row and other may not both be picked."""

    @abstractmethod
    def beside_labelled(self) -> Mask:
        """Return which rows (N,) may not be picked because of a labelled sample."""

    @abstractmethod
    def words(self, row: int, other: int) -> str:
        """Return why the two conflict, in words."""


class TimeGap(Pairwise):
    """Keeps two picks of one group at least `seconds` apart."""

    name = "gap"

    def __init__(self, pool: Pool, seconds: float, *, labelled: bool) -> None:
        super().__init__()
        if pool.groups is None or pool.times is None:
            raise PoolError("groups, times: a gap in time needs both")
        self.seconds, self._times, self._labelled = seconds, pool.times, pool.labelled_times if labelled else None
        known = pool.labelled_groups if labelled and pool.labelled_groups is not None else pool.groups[:0]
        names, codes = np.unique(np.concatenate([pool.groups, known]), return_inverse=True)
        codes = np.where(names[codes] == "", -1, codes)
        self._groups, self._labelled_groups = codes[: len(pool)], codes[len(pool) :]

    def conflicts(self, rows: Indices, others: Indices) -> Mask:
        """Return the pairs in the same group that are less than `seconds` apart."""
        same = (self._groups[rows][:, None] == self._groups[others]) & (self._groups[rows] >= 0)[:, None]
        apart: Floats = np.abs(self._times[rows][:, None] - self._times[others])
        both: Mask = same & (apart < self.seconds)
        return both

    def beside_labelled(self) -> Mask:
        """Return the rows that are too near in time to a labelled sample of the same group, before or after."""
        blocked = np.zeros(len(self._groups), bool)
        if self._labelled is None:
            return blocked
        rows_of, known_of = _by_group(self._groups), _by_group(self._labelled_groups)
        for group in rows_of.keys() & known_of.keys():
            rows, known = rows_of[group], np.sort(self._labelled[known_of[group]])
            after = np.searchsorted(known, self._times[rows])
            for place in (np.maximum(after - 1, 0), np.minimum(after, len(known) - 1)):
                blocked[rows] |= np.abs(self._times[rows] - known[place]) < self.seconds
        return blocked

    def words(self, row: int, other: int) -> str:
        apart = abs(float(self._times[row] - self._times[other]))
        return f"{apart:g} s from it in the same drive; at least {self.seconds:g} s are wanted"


def _by_group(codes: Indices) -> dict[int, Indices]:
    """Map each group to its rows, leaving out rows without a group."""
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) :]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return {int(codes[part[0]]): part for part in np.split(order, starts[1:]) if len(part)}


class Apart(Pairwise):
    """Keeps two picks at least a cosine distance apart."""

    name = "distance"

    def __init__(self, pool: Pool, cosine: float, *, batch: bool, labelled: bool) -> None:
        super().__init__()
        if pool.embeddings is None:
            raise PoolError("embeddings: a distance needs them")
        self.cosine, self._batch, self._points = cosine, batch, pool.embeddings
        self._labelled = pool.labelled if labelled else None

    def conflicts(self, rows: Indices, others: Indices) -> Mask:
        """Return the pairs whose cosine distance is less than the bound."""
        if not self._batch:
            return np.zeros((len(rows), len(others)), bool)
        return nearer(self._points[rows], self._points[others], self.cosine)

    def beside_labelled(self) -> Mask:
        """Return the rows that are nearer to a labelled sample than the bound."""
        blocked = np.zeros(len(self._points), bool)
        if self._labelled is None:
            return blocked
        for at in range(0, len(blocked), ROWS):
            for start in range(0, len(self._labelled), OTHERS):
                near = nearer(self._points[at : at + ROWS], self._labelled[start : start + OTHERS], self.cosine)
                blocked[at : at + ROWS] |= near.any(axis=1)
        return blocked

    def words(self, row: int, other: int) -> str:
        left, right = (unit_rows(self._points[[place]].astype(np.float64))[0] for place in (row, other))
        return f"at cosine distance {1 - float(left @ right):.3f} of it; at least {self.cosine:g} is wanted"


def nearer(left: Floats, right: Floats, bound: float) -> Mask:
    """Return which pairs (n, m) of (n, D) and (m, D) have a cosine distance below `bound`, each judged independently of
    the others."""
    cosines = unit_rows(left.astype(np.float32)) @ unit_rows(right.astype(np.float32)).T
    verdict: Mask = cosines > 1 - bound
    rows, others = np.nonzero(np.abs(cosines - (1 - bound)) < BAND)
    for at in range(0, len(rows), ROWS):
        ours, theirs = rows[at : at + ROWS], others[at : at + ROWS]
        one, other = (unit_rows(side.astype(np.float64)) for side in (left[ours], right[theirs]))
        verdict[ours, theirs] = 1 - (one * other).sum(axis=1) < bound
    return verdict


class Quotas:
    """The minimum, maximum and current number of picks of each class, slice and source."""

    def __init__(self, pool: Pool, quotas: Sequence[Quota], count: int) -> None:
        self.quotas = quotas
        self.members = np.array([_members(pool, quota) for quota in quotas], bool).reshape(len(quotas), len(pool))
        self.low = np.array([quota.low(count) for quota in quotas], np.intp)
        self.high = np.array([quota.high(count) for quota in quotas], np.intp)
        self.held = np.zeros(len(quotas), np.intp)

    def admit(self, row: int) -> None:
        """Count the row in every quota that it belongs to."""
        self.held += self.members[:, row]

    def allows(self, rows: Indices) -> Mask:
        """Return which rows (n,) belong to no full quota."""
        full = self.held >= self.high
        return ~np.asarray(self.members[full][:, rows].any(axis=0), bool)

    def wanted(self) -> Mask:
        """Return which candidates (N,) belong to a quota that has not reached its minimum yet."""
        return np.asarray(self.members[self.held < self.low].any(axis=0), bool)

    @property
    def missing(self) -> int:
        """The number of picks that the quotas still need, each counted by itself."""
        return int(np.maximum(self.low - self.held, 0).sum())

    def admitting(self, row: int) -> dict[str, Any] | None:
        """Return the first quota that still needs this row, `{kind: name, min, place}`, with the place that it would
        take in the quota."""
        short = np.flatnonzero(self.members[:, row] & (self.held < self.low))
        if not len(short):
            return None
        quota = self.quotas[short[0]]
        return {quota.kind: quota.name, "min": int(self.low[short[0]]), "place": int(self.held[short[0]]) + 1}


def _members(pool: Pool, quota: Quota) -> Mask:
    if quota.kind == "slice":
        if quota.name not in pool.slices:
            raise PoolError(f"slices.{quota.name}: a quota asks for it")
        return pool.slices[quota.name]
    if quota.kind == "source":
        if pool.sources is None:
            raise PoolError("sources: a quota asks for them")
        return np.asarray(pool.sources == quota.name, bool)
    if pool.probabilities is None:
        raise PoolError("probabilities: a quota of a class needs them")
    if quota.name not in pool.classes:
        raise PoolError(f"classes: a quota asks for the unknown class {quota.name!r}")
    wanted = [list(pool.classes).index(quota.name)]
    return task_type(pool.task).outputs.chosen(np.asarray(pool.probabilities), wanted)[0]


class Budget:
    """The most that the picks may cost together; a candidate that would exceed it is left out, a cheaper one may still
    join."""

    def __init__(self, costs: Floats, limit: float) -> None:
        self.costs, self.limit, self.spent = costs, limit, 0.0

    def admit(self, row: int) -> None:
        """Add the cost of the row."""
        self.spent += float(self.costs[row])

    def allows(self, rows: Indices) -> Mask:
        """Return which rows (n,) the rest of the budget pays for."""
        allowed: Mask = self.costs[rows] <= self.limit * (1 + ROUNDING) - self.spent
        return allowed
