"""Answers that are one of several categories, as columns of codes."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

H = TypeVar("H", bound=Hashable)
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Opinions:
    """Who gave which answer to which task: one entry for each answer, sorted by task, within a task in the order given.

    The columns hold codes from 0 up; `task_names`, `people_names` and `value_names` say what a code stands for, and
    `places` give each answer's position before sorting. A person has at most one answer to a task.
    """

    tasks: Codes
    people: Codes
    values: Codes
    places: Codes
    task_names: list[Any]
    people_names: list[Any]
    value_names: list[Any]

    @classmethod
    def of(cls, rows: Iterable[tuple[Hashable, Hashable, Hashable]], *, values: Iterable[Hashable] = ()) -> Self:
        """Build the columns from (task, person, value) in the order given; `values` are coded first, in their own
        order."""
        listed = list(rows)
        tasks, task_names = coded(row[0] for row in listed)
        people, people_names = coded(row[1] for row in listed)
        said, value_names = coded((row[2] for row in listed), known=values)
        order = np.argsort(tasks, kind="stable")
        return cls(tasks[order], people[order], said[order], order, task_names, people_names, value_names)

    def __len__(self) -> int:
        return len(self.tasks)


def coded(column: Iterable[H], *, known: Iterable[H] = ()) -> tuple[Codes, list[H]]:
    """Return a column as codes, and what the codes stand for, in order of first occurrence after `known`."""
    codes: dict[H, int] = {name: code for code, name in enumerate(dict.fromkeys(known))}
    column_codes = [codes.setdefault(name, len(codes)) for name in column]
    return np.array(column_codes, np.int64), list(codes)


def partners(tasks: Codes) -> tuple[Codes, Codes]:
    """Return the places (i, j), i < j, of every two entries of the same task. `tasks` must be sorted."""
    firsts, seconds = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for apart in range(1, len(tasks)):
        same = np.flatnonzero(tasks[apart:] == tasks[:-apart])
        if not len(same):
            break
        firsts.append(same)
        seconds.append(same + apart)
    return np.concatenate(firsts), np.concatenate(seconds)
