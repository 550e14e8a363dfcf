"""The answers of a queue as columns, and whether two of them agree. No model instances are built."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import orjson
from django.db.models import TextField
from django.db.models.functions import Cast
from numpy.typing import NDArray

from agreement.opinions import Codes, Opinions, coded, partners
from agreement.shapes import Matches
from labeling.models import Answer, AnswerQuerySet, Queue
from tasktypes import Agreement, TaskType, task_type

Value = Mapping[str, Any]
COLUMNS = ("pk", "task", "author", "seconds", "words")


@dataclass(frozen=True)
class AnswerTable:
    """Labels of one task type in the order people gave them, without skips and further opinions. Answers are identified
    by their place; `codes` say which of the `distinct` labels each one is."""

    asked: TaskType
    answers: Sequence[int]
    tasks: Sequence[int]
    authors: Sequence[int]
    seconds: Sequence[float]
    codes: Codes
    distinct: Sequence[Value]

    @classmethod
    def of(cls, rows: AnswerQuerySet, asked: TaskType) -> "AnswerTable":
        """Read the table from a query on answers of one task type. Labels are read as text, so that equal ones are
        parsed once."""
        return cls._of(_labels(rows).order_by("pk").values_list(*COLUMNS), asked)

    @classmethod
    def of_each(cls, rows: AnswerQuerySet, asked: TaskType) -> "dict[int, AnswerTable]":
        """Read the answers to several queues of one task type in one query, as a table for each, by queue id."""
        told = _labels(rows).order_by("task__queue", "pk").values_list("task__queue", *COLUMNS)
        return {
            queue: cls._of((row[1:] for row in of_queue), asked) for queue, of_queue in groupby(told, itemgetter(0))
        }

    @classmethod
    def _of(cls, told: Iterable[Any], asked: TaskType) -> "AnswerTable":
        columns: list[Any] = list(zip(*told, strict=True))
        answers, tasks, authors, seconds, words = columns or [[] for _ in COLUMNS]
        codes, texts = coded(words)
        return cls(asked, answers, tasks, authors, seconds, codes, [orjson.loads(text) for text in texts])

    @property
    def agreement(self) -> Agreement:
        """The rules by which two of its labels agree."""
        return self.asked.agreement

    @cached_property
    def values(self) -> list[Value]:
        """The label of each answer."""
        return [self.distinct[code] for code in self.codes.tolist()]

    @cached_property
    def opinions(self) -> Opinions:
        """The answers as categories, for labels that are categories."""
        names = [self.agreement.category(value) for value in self.distinct]
        return Opinions.of(zip(self.tasks, self.authors, (names[code] for code in self.codes.tolist()), strict=True))

    @cached_property
    def by_task(self) -> dict[int, list[int]]:
        """The places of each task's answers."""
        found: dict[int, list[int]] = {}
        for place, task in enumerate(self.tasks):
            found.setdefault(task, []).append(place)
        return found

    @cached_property
    def pairs(self) -> tuple[Codes, Codes]:
        """The places of every two answers to the same task."""
        tasks, _ = coded(self.tasks)
        order = np.argsort(tasks, kind="stable")
        first, second = partners(tasks[order])
        return order[first], order[second]

    @cached_property
    def compared(self) -> Matches:
        """The comparison of each of these `pairs`."""
        first, second = self.pairs
        return self.agreement.compare(self.distinct, self.codes[first], self.codes[second])

    def counts(self, places: Codes | slice) -> dict[str, int]:
        """Count by class the objects that the answers at these places name; repeated places count again."""
        found: dict[str, int] = {}
        times = np.bincount(self.codes[places], minlength=len(self.distinct)).tolist()
        for value, count in zip(self.distinct, times, strict=True):
            for name, objects in self.asked.labels.class_counts(value).items():
                found[name] = found.get(name, 0) + objects * count
        return found


def _labels(rows: AnswerQuerySet) -> AnswerQuerySet:
    return rows.filter(value__isnull=False).annotate(words=Cast("value", TextField()))


def answers_of(queue: Queue) -> AnswerTable:
    """The answers to the tasks of a queue."""
    return AnswerTable.of(Answer.objects.verdicts().filter(task__queue=queue), queue.dataset.task_type)


def tables_of(rows: AnswerQuerySet) -> Iterator[AnswerTable]:
    """Yield answers of any queues, as one table for each task type."""
    asked = rows.order_by().values_list("task__queue__dataset__task", flat=True).distinct()
    for name in asked:
        yield AnswerTable.of(rows.filter(task__queue__dataset__task=name), task_type(name))


def same(agreement: Agreement, pairs: Iterable[tuple[Value, Value]]) -> NDArray[np.bool_]:
    """Whether the two labels of each pair agree."""
    labels = [value for pair in pairs for value in pair]
    first = np.arange(0, len(labels), 2)
    return agreement.compare(labels, first, first + 1).agree
