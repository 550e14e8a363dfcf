"""The hard rules of a batch while it grows: which candidates may still join it, and what keeps the others out.

All rules are monotone: what may not join now may not join later either, for a batch only grows.
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
"""Pairs that are looked at together: at most these rows with these others."""
BAND = 1e-5
"""How far float32 may be off the bound before a cosine is computed again in double precision, pair by pair: the verdict
on a pair must not depend on which others it is computed with."""


class Pairwise(ABC):
    """A rule that two samples can't both be of the batch, or of batch and labelled set."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self._picked: list[int] = []

    def admit(self, row: int) -> None:
        """The row is of the batch from now on."""
        self._picked.append(row)

    def blockers(self, rows: Indices, since: int = 0) -> Indices:
        """For each of `rows` the place (0: admitted first) of the first pick it may not stand beside, or -1; picks
        before place `since` are not looked at."""
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
        """(n, m): row and other may not both be picked."""

    @abstractmethod
    def beside_labelled(self) -> Mask:
        """(N,): may not be picked because of what is labelled already."""

    @abstractmethod
    def words(self, row: int, other: int) -> str:
        """What keeps the two apart, in words."""


class TimeGap(Pairwise):
    """Two picks of one group are at least `seconds` apart."""

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
        """Same group, and less than `seconds` between them."""
        same = (self._groups[rows][:, None] == self._groups[others]) & (self._groups[rows] >= 0)[:, None]
        apart: Floats = np.abs(self._times[rows][:, None] - self._times[others])
        both: Mask = same & (apart < self.seconds)
        return both

    def beside_labelled(self) -> Mask:
        """The nearest labelled time of the same group, before or after, is too near."""
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
    """The rows of each group, those without one left out."""
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) :]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return {int(codes[part[0]]): part for part in np.split(order, starts[1:]) if len(part)}


class Apart(Pairwise):
    """Two picks are at least a cosine distance apart."""

    name = "distance"

    def __init__(self, pool: Pool, cosine: float, *, batch: bool, labelled: bool) -> None:
        super().__init__()
        if pool.embeddings is None:
            raise PoolError("embeddings: a distance needs them")
        self.cosine, self._batch, self._points = cosine, batch, pool.embeddings
        self._labelled = pool.labelled if labelled else None

    def conflicts(self, rows: Indices, others: Indices) -> Mask:
        """The cosine distance is less than the bound."""
        if not self._batch:
            return np.zeros((len(rows), len(others)), bool)
        return nearer(self._points[rows], self._points[others], self.cosine)

    def beside_labelled(self) -> Mask:
        """Nearer to some labelled sample than the bound."""
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
    """(n, m) of (n, D) and (m, D): cosine distance below `bound`, each pair judged as if it stood alone."""
    cosines = unit_rows(left.astype(np.float32)) @ unit_rows(right.astype(np.float32)).T
    verdict: Mask = cosines > 1 - bound
    rows, others = np.nonzero(np.abs(cosines - (1 - bound)) < BAND)
    for at in range(0, len(rows), ROWS):
        ours, theirs = rows[at : at + ROWS], others[at : at + ROWS]
        one, other = (unit_rows(side.astype(np.float64)) for side in (left[ours], right[theirs]))
        verdict[ours, theirs] = 1 - (one * other).sum(axis=1) < bound
    return verdict


class Quotas:
    """How many picks are, may be and must be of each class, slice and source."""

    def __init__(self, pool: Pool, quotas: Sequence[Quota], count: int) -> None:
        self.quotas = quotas
        self.members = np.array([_members(pool, quota) for quota in quotas], bool).reshape(len(quotas), len(pool))
        self.low = np.array([quota.low(count) for quota in quotas], np.intp)
        self.high = np.array([quota.high(count) for quota in quotas], np.intp)
        self.held = np.zeros(len(quotas), np.intp)

    def admit(self, row: int) -> None:
        """Count the row in every quota it lies in."""
        self.held += self.members[:, row]

    def allows(self, rows: Indices) -> Mask:
        """(n,): no quota of the row is full."""
        full = self.held >= self.high
        return ~np.asarray(self.members[full][:, rows].any(axis=0), bool)

    def wanted(self) -> Mask:
        """(N,): of a quota that has not got its least number yet."""
        return np.asarray(self.members[self.held < self.low].any(axis=0), bool)

    @property
    def missing(self) -> int:
        """How many picks the quotas still ask for, each by itself."""
        return int(np.maximum(self.low - self.held, 0).sum())

    def admitting(self, row: int) -> dict[str, Any] | None:
        """The first quota that still asks for this row, `{kind: name, min, place}`: which of its picks it would be."""
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
    """What the picks may cost together; a candidate that would pass it is left out, a cheaper one may still join."""

    def __init__(self, costs: Floats, limit: float) -> None:
        self.costs, self.limit, self.spent = costs, limit, 0.0

    def admit(self, row: int) -> None:
        """Pay for the row."""
        self.spent += float(self.costs[row])

    def allows(self, rows: Indices) -> Mask:
        """(n,): what is left pays for the row."""
        allowed: Mask = self.costs[rows] <= self.limit * (1 + ROUNDING) - self.spent
        return allowed
