"""The answers of a queue as columns, and what it means that two of them say the same. No rows become objects."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.opinions import Codes, Opinions, coded, partners
from agreement.shapes import Columns, match, shapes_of
from labeling.models import Answer, AnswerQuerySet, Queue

Value = Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """Labels people gave, skips and further opinions left out, in the order they were given."""

    answers: Sequence[int]
    tasks: Sequence[int]
    authors: Sequence[int]
    values: Sequence[Value]
    seconds: Sequence[float]

    @classmethod
    def of(cls, rows: AnswerQuerySet) -> "Given":
        """From a query on answers."""
        told = rows.filter(value__isnull=False).order_by("pk")
        columns = list(zip(*told.values_list("pk", "task", "author", "value", "seconds"), strict=True))
        return cls(*(columns or [[], [], [], [], []]))  # type: ignore[arg-type]  # columns of mixed types

    @cached_property
    def are_shapes(self) -> bool:
        """Boxes and polygons rather than classes."""
        return any("boxes" in value for value in self.values)

    @cached_property
    def are_sets(self) -> bool:
        """Several classes to an image."""
        return any("classes" in value for value in self.values)

    @cached_property
    def opinions(self) -> Opinions:
        """By category, for labels that are classes."""
        categories = (category(value) for value in self.values)
        return Opinions.of(zip(self.tasks, self.authors, categories, strict=True))

    @cached_property
    def by_task(self) -> dict[int, list[int]]:
        """The places of each task's answers."""
        found: dict[int, list[int]] = {}
        for place, task in enumerate(self.tasks):
            found.setdefault(task, []).append(place)
        return found


def two_by_two(said: Given) -> tuple[Codes, Codes]:
    """The places of every two answers to the same task."""
    tasks, _ = coded(said.tasks)
    order = np.argsort(tasks, kind="stable")
    first, second = partners(tasks[order])
    return order[first], order[second]


def given(queue: Queue) -> Given:
    """What was said of the tasks of a queue."""
    return Given.of(Answer.objects.verdicts().filter(task__queue=queue))


def category(value: Value) -> str:
    """What a label that is a class, or a set of them, counts as."""
    return value["class"] if "class" in value else " + ".join(value["classes"]) or "none"


def same(pairs: Iterable[tuple[Value, Value]]) -> NDArray[np.bool_]:
    """Whether two labels say the same: one category, or shapes that match one by one."""
    listed = list(pairs)
    if any("boxes" in value for pair in listed for value in pair):
        columns = Columns.of([shapes_of(value) for pair in listed for value in pair])
        first = np.arange(0, 2 * len(listed), 2)
        return match(columns, first, first + 1).agree
    return np.array([category(one) == category(other) for one, other in listed], np.bool_)
