"""The answers of a queue as columns, and what it means that two of them say the same. No rows become objects."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import orjson
from django.db.models import TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from agreement.opinions import Codes, Opinions, coded, partners
from agreement.shapes import Columns, match, shapes_of
from labeling.models import Answer, AnswerQuerySet, Queue

Value = Mapping[str, Any]


@dataclass(frozen=True)
class AnswerTable:
    """Labels people gave, skips and further opinions left out, in the order they were given. An answer is known by its
    place; `codes` say which of the `distinct` labels each of them is."""

    answers: Sequence[int]
    tasks: Sequence[int]
    authors: Sequence[int]
    seconds: Sequence[float]
    codes: Codes
    distinct: Sequence[Value]

    @classmethod
    def of(cls, rows: AnswerQuerySet) -> "AnswerTable":
        """From a query on answers. Labels come as text: the same words are read once."""
        told = rows.filter(value__isnull=False).annotate(words=Cast("value", TextField())).order_by("pk")
        columns: list[Any] = list(zip(*told.values_list("pk", "task", "author", "seconds", "words"), strict=True))
        answers, tasks, authors, seconds, words = columns or [[], [], [], [], []]
        codes, texts = coded(words)
        return cls(answers, tasks, authors, seconds, codes, [orjson.loads(text) for text in texts])

    @cached_property
    def values(self) -> list[Value]:
        """The label of each answer."""
        return [self.distinct[code] for code in self.codes.tolist()]

    @cached_property
    def are_shapes(self) -> bool:
        """Boxes and polygons rather than classes."""
        return any("boxes" in value for value in self.distinct)

    @cached_property
    def are_sets(self) -> bool:
        """Several classes to an image."""
        return any("classes" in value for value in self.distinct)

    @cached_property
    def opinions(self) -> Opinions:
        """By category, for labels that are classes."""
        names = [category(value) for value in self.distinct]
        return Opinions.of(zip(self.tasks, self.authors, (names[code] for code in self.codes.tolist()), strict=True))

    @cached_property
    def by_task(self) -> dict[int, list[int]]:
        """The places of each task's answers."""
        found: dict[int, list[int]] = {}
        for place, task in enumerate(self.tasks):
            found.setdefault(task, []).append(place)
        return found

    @cached_property
    def columns(self) -> Columns:
        """The shapes of each answer; a class has none."""
        return Columns.of([shapes_of(value) for value in self.values])

    @cached_property
    def pairs(self) -> tuple[Codes, Codes]:
        """The places of every two answers to the same task."""
        tasks, _ = coded(self.tasks)
        order = np.argsort(tasks, kind="stable")
        first, second = partners(tasks[order])
        return order[first], order[second]

    @cached_property
    def pairs_agree(self) -> NDArray[np.bool_]:
        """Whether those two say the same."""
        first, second = self.pairs
        categories, _ = coded(None if "boxes" in value else category(value) for value in self.distinct)
        alike: NDArray[np.bool_] = categories[self.codes[first]] == categories[self.codes[second]]
        if self.are_shapes:
            shaped = np.array(["boxes" in value for value in self.distinct])[self.codes[first]]
            alike[shaped] = match(self.columns, first[shaped], second[shaped]).agree
        return alike


def answers_of(queue: Queue) -> AnswerTable:
    """The answers to the tasks of a queue."""
    return AnswerTable.of(Answer.objects.verdicts().filter(task__queue=queue))


def category(value: Value) -> str:
    """What a label that is a class, or a set of them, counts as."""
    return value["class"] if "class" in value else " + ".join(value["classes"]) or "none"


def same(pairs: Iterable[tuple[Value, Value]]) -> NDArray[np.bool_]:
    """Whether two labels say the same: one category, or shapes that match one by one."""
    listed = list(pairs)
    shaped = np.array(["boxes" in one for one, _ in listed], np.bool_)
    alike = np.array([not by_shape and category(one) == category(other)
                      for by_shape, (one, other) in zip(shaped, listed, strict=True)], np.bool_)  # fmt: skip
    drawn = [shapes_of(value) for by_shape, pair in zip(shaped, listed, strict=True) if by_shape for value in pair]
    first = np.arange(0, len(drawn), 2)
    alike[shaped] = match(Columns.of(drawn), first, first + 1).agree
    return alike
