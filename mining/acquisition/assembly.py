"""A batch under construction: every candidate is open, picked, or kept out by a rule, which is recorded."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from acquisition.composition import Composition
from acquisition.copies import near_copies, repeated
from acquisition.pool import Floats, Indices, Pool, PoolError
from acquisition.rules import Apart, Budget, Mask, Pairwise, Quotas, TimeGap
from worker_programs.wording import plural

OPEN, PICKED = 0, 1
BLOCK = 512
KEPT_OUT = (
    "", "",
    "too near in time to what is labelled", "too like what is labelled", "of a quota that takes none",
    "dearer than the whole budget", "of a quota that is full", "dearer than what is left of the budget",
    "too near in time to another pick", "too like another pick",
    "of the same bytes as another candidate", "near copies of another candidate",
)  # fmt: skip
"""The reason for each state beyond OPEN and PICKED."""
BESIDE_LABELLED = {"gap": 2, "distance": 3}
BESIDE_PICKS = {"gap": 8, "distance": 9}
QUOTA_OF_NONE, TOO_DEAR, QUOTA_FULL, BUDGET_SPENT = 4, 5, 6, 7
SAME_BYTES, NEAR_COPY = 10, 11


class Assembly:
    """The candidates of `pool`, sorted by id, each with its state. `count` is the number of picks wanted."""

    def __init__(self, pool: Pool, made: Composition, count: int) -> None:
        self.pool, self.count = pool, count
        self.quotas = Quotas(pool, made.quotas, count)
        self.budget = None if made.budget is None else Budget(_costs(pool, made), made.budget)
        self.pairs = _pairwise(pool, made)
        self.state = np.zeros(len(pool), np.int8)
        self.picked: list[int] = []
        self.beaten: dict[int, list[tuple[int, Pairwise]]] = {}
        """Maps the place of a pick to the candidates that it kept out of the batch, each with the rule."""
        self._wanted: Mask | None = None
        self._rule_out_alone()

    def rule_out_copies(self, most: int | None, prefer: Floats, rng: np.random.Generator) -> int:
        """Leave one candidate of each content, and `most` of near copies (None: all). Of equal bytes the one that more
        quotas need goes first, then the one with the highest of `prefer` (N,). Returns the number of pairs of possible
        near copies that were too many to compare."""
        if self.pool.copies is not None:
            rows = self.open_rows()
            needed = self.quotas.members[self.quotas.low > 0].sum(axis=0)
            places = np.lexsort((prefer, needed))
            ranks = np.empty(len(places))
            ranks[places] = _dense(needed[places], prefer[places])
            self.state[repeated(self.pool.copies, rows, ranks)] = SAME_BYTES
        if most is None:
            return 0
        near, uncompared = near_copies(self.pool, self.open_rows(), most, rng)
        self.state[near] = NEAR_COPY
        return uncompared

    @property
    def room(self) -> int:
        """The number of picks still wanted."""
        return self.count - len(self.picked)

    def open_rows(self) -> Indices:
        """Return the candidates that may still join, by id."""
        return np.flatnonzero(self.state == OPEN)

    def wanted(self) -> Mask:
        """Return which candidates (N,) belong to a quota that has not reached its minimum yet."""
        if self._wanted is None:
            self._wanted = self.quotas.wanted()
        return self._wanted

    def admit(self, row: int) -> None:
        """Add the row to the batch."""
        short = self.quotas.held < self.quotas.low
        self.quotas.admit(row)
        if ((self.quotas.held < self.quotas.low) != short).any():
            self._wanted = None
        if self.budget is not None:
            self.budget.admit(row)
        for pair in self.pairs:
            pair.admit(row)
        self.state[row] = PICKED
        self.picked.append(row)

    def settle(self, rows: Indices, *, since: int = 0, ranked: bool = False) -> None:
        """Keep out those open candidates of `rows` that may no longer join, given the picks from place `since` on.

        `ranked` says that rows come best first: then it records the best candidate that each pick kept out.
        """
        rows = rows[self.state[rows] == OPEN]
        rows = self._keep_out(rows, ~self.quotas.allows(rows), QUOTA_FULL)
        if self.budget is not None:
            rows = self._keep_out(rows, ~self.budget.allows(rows), BUDGET_SPENT)
        for pair in self.pairs:
            places = pair.blockers(rows, since)
            if ranked:
                self._remember(rows, places, pair)
            rows = self._keep_out(rows, places >= 0, BESIDE_PICKS[pair.name])

    def walk(self, rows: Indices, *, quotas_first: bool, joined: Callable[[int], None]) -> None:
        """Go through candidates, best first, and admit those that may join until the batch is full; with
        `quotas_first`, only those that a quota still needs, until none does. `joined` is called with each row just
        before it is admitted."""
        for at in range(0, len(rows), BLOCK):
            block = rows[at : at + BLOCK]
            self.settle(block, ranked=True)
            for place, row in enumerate(block.tolist(), start=1):
                if not self.room or (quotas_first and not self.quotas.missing):
                    return
                if self.state[row] != OPEN or (quotas_first and not self.wanted()[row]):
                    continue
                joined(row)
                self.admit(row)
                self.settle(block[place:], since=len(self.picked) - 1, ranked=True)

    def unmet(self) -> list[dict[str, Any]]:
        """Return the quotas below their minimum: `{quota: {kind: name}, min, picked, reason}`."""
        found = []
        for at in np.flatnonzero(self.quotas.held < self.quotas.low).tolist():
            quota = self.quotas.quotas[at]
            found.append(
                {
                    "quota": {quota.kind: quota.name},
                    "min": int(self.quotas.low[at]),
                    "picked": int(self.quotas.held[at]),
                    "reason": self._why_unmet(self.quotas.members[at]),
                }
            )
        return found

    def kept_out(self, among: Mask | None = None) -> dict[str, int]:
        """Count the candidates that each rule kept out, by the rule's words."""
        states = self.state if among is None else self.state[among]
        counts = Counter(states[states > PICKED].tolist())
        return {KEPT_OUT[code]: number for code, number in sorted(counts.items())}

    def _why_unmet(self, members: Mask) -> str:
        inside = int(members.sum())
        if (self.state[members] == OPEN).any():
            return f"all {plural(self.count, 'pick')} asked for went to other quotas and the control arm"
        out = ", ".join(f"{number} {words}" for words, number in self.kept_out(members).items())
        return f"it holds only {plural(inside, 'candidate')}" + (f"; kept out: {out}" if out else "")

    def _rule_out_alone(self) -> None:
        rows = np.arange(len(self.pool))
        for pair in self.pairs:
            rows = self._keep_out(rows, pair.beside_labelled()[rows], BESIDE_LABELLED[pair.name])
        rows = self._keep_out(rows, ~self.quotas.allows(rows), QUOTA_OF_NONE)
        if self.budget is not None:
            self._keep_out(rows, ~self.budget.allows(rows), TOO_DEAR)

    def _keep_out(self, rows: Indices, blocked: Mask, code: int) -> Indices:
        self.state[rows[blocked]] = code
        return rows[~blocked]

    def _remember(self, rows: Indices, places: Indices, pair: Pairwise) -> None:
        _, first = np.unique(places, return_index=True)
        for at in first:
            if places[at] >= 0:
                self.beaten.setdefault(int(places[at]), []).append((int(rows[at]), pair))


def _dense(*columns: Any) -> Any:
    """Return the ranks of rows that are sorted by some columns, the same for equal rows."""
    changes = np.zeros(len(columns[0]), bool)
    for values in columns:
        changes[1:] |= values[1:] != values[:-1]
    return np.cumsum(changes)


def _costs(pool: Pool, made: Composition) -> Any:
    if pool.costs is not None:
        return pool.costs
    if made.cost is not None and made.cost.meta is not None:
        raise PoolError("costs: the budget is counted in them")
    return np.full(len(pool), 1.0 if made.cost is None else made.cost.default)


def _pairwise(pool: Pool, made: Composition) -> list[Pairwise]:
    """Return the rules between two samples. Where labelled samples are mined, labelled ones do not keep candidates
    out."""
    found: list[Pairwise] = []
    bar = pool.labels is None
    if made.gap is not None:
        found.append(TimeGap(pool, made.gap.seconds, labelled=bar))
    if made.distance is not None:
        sides = made.distance.to
        found.append(Apart(pool, made.distance.cosine, batch="batch" in sides, labelled=bar and "labelled" in sides))
    return found
