"""Strategies over the members of a committee: an ensemble, versions of a model, or dropout with fixed masks."""

import numpy as np

from acquisition.pool import Floats, Indices, Pool, PoolError
from acquisition.registry import RowStrategy


class CommitteeStrategy(RowStrategy):
    """A strategy whose score is computed from the members' probabilities (n, M, K)."""

    needs = ("members",)

    def check(self, pool: Pool) -> None:
        """Check the pool as every strategy does, and that the committee has members."""
        super().check(pool)
        check_members(pool)

    def reason(self, pool: Pool, row: int) -> str:
        return opinions(pool, row)


def check_members(pool: Pool) -> None:
    """Raise PoolError for a committee without members."""
    if pool.members is not None and not pool.members.shape[1]:
        raise PoolError("members: the committee is empty; give at least one member")


def votes(members: Floats) -> Indices:
    """Return (N, M) from (N, M, K): the class that each member thinks most likely, of equal ones the first."""
    best: Indices = members.argmax(axis=2)
    return best


def company(members: Floats) -> Indices:
    """Return (N, M) from (N, M, K): for each member, how many vote as it does, itself included; ascending in each row.

    Sorted, so that rows with the same numbers of votes get the same score to the last bit, whichever classes they are
    for.
    """
    cast = votes(members)
    together: Indices = np.sort((cast[:, :, None] == cast[:, None, :]).sum(axis=2), axis=1)
    return together


def opinions(pool: Pool, row: int) -> str:
    """Describe how the members vote on a row: "6 of 10 members say car, 4 truck"."""
    assert pool.members is not None  # noqa: S101 - check() has seen to it
    cast = votes(pool.members[row][None])[0]
    classes, counts = np.unique(cast, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:3]
    said = [f"{counts[at]} {pool.class_name(int(classes[at]))}" for at in order]
    first = f"{counts[order[0]]} of {len(cast)} members say {pool.class_name(int(classes[order[0]]))}"
    return ", ".join([first, *said[1:]])
