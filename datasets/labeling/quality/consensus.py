"""The consensus of a queue's answers, task by task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import Count, Max, Min

from agreement import consensus as categories
from labeling.models import Answer, Gold, Queue
from labeling.quality.answer_table import AnswerTable, answers_of
from tasktypes.label_parts import Fused

FEWEST_TASKS = 30  # tasks with several answers: fewer are too few to estimate people's error rates
MOST_CELLS = 4_000_000  # in the error tables of all people
DAWID_SKENE, MAJORITY = "dawid_skene", "majority"


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The consensus label of a task. `confidence` is None if there is only one answer; `agreement` is the share of
    answers that agree with the label; `answer` is the place of the first of those, if any. `tied`: another label has as
    much support."""

    value: Mapping[str, Any]
    confidence: float | None
    agreement: float
    answer: int | None
    tied: bool


@dataclass(frozen=True, slots=True)
class Consensus:
    """The outcome of each task, by task id. `model` has the error tables of Dawid and Skene, None with the majority."""

    method: str
    outcomes: dict[int, TaskOutcome]
    model: categories.DawidSkene | None = None


def consensus(queue: Queue, answers: AnswerTable) -> Consensus:
    """Return Dawid and Skene's consensus if people's error rates can be estimated, else the task type's own fusion of
    answers."""
    if not answers.answers:
        return Consensus(MAJORITY, {})
    if not _learnable(queue, answers):
        found = answers.agreement.fuse([[answers.values[at] for at in places] for places in answers.by_task.values()])
        return Consensus(MAJORITY, _with_shares(answers, dict(zip(answers.by_task, found, strict=True))))
    model = categories.dawid_skene(answers.opinions, _known(queue, answers))
    return Consensus(DAWID_SKENE, _with_shares(answers, _likeliest(answers, model)), model)


def outcomes_of(queue: Queue, tasks: Sequence[int]) -> dict[int, TaskOutcome]:
    """Return the consensus of a few tasks. Error rates are estimated from the whole queue, and cached until there is
    another answer."""
    rows = Answer.objects.verdicts()
    asked = queue.dataset.task_type
    if not asked.agreement.exclusive:
        return consensus(queue, AnswerTable.of(rows.filter(task__in=tasks), asked)).outcomes
    all_of_it = rows.filter(task__queue=queue).aggregate(last=Max("created"), first=Min("created"), count=Count("pk"))
    found = _kept(queue.pk, *all_of_it.values(), Gold.objects.filter(queue=queue).count())
    return {task: found[task] for task in tasks if task in found}


@lru_cache(maxsize=8)
def _kept(queue: int, *stand: object) -> Mapping[int, TaskOutcome]:  # noqa: ARG001 - `stand` is the key: what was said
    whole = Queue.objects.select_related("dataset").get(pk=queue)
    return consensus(whole, answers_of(whole)).outcomes


def _learnable(queue: Queue, answers: AnswerTable) -> bool:
    if not answers.agreement.exclusive:
        return False
    opinions = answers.opinions
    several = int((np.bincount(opinions.tasks) > 1).sum())
    cells = len(opinions.people_names) * len(opinions.value_names) ** 2
    return queue.answers_per_task > 1 and several >= FEWEST_TASKS and cells <= MOST_CELLS


def _known(queue: Queue, answers: AnswerTable) -> dict[int, int]:
    """Return the true values of gold tasks as codes, for estimating error rates. True classes that nobody named have no
    code and are left out."""
    tasks = {task: code for code, task in enumerate(answers.opinions.task_names)}
    values = {name: code for code, name in enumerate(answers.opinions.value_names)}
    gold = Gold.objects.filter(queue=queue).values_list("task", "value")
    known = {task: answers.agreement.category(value) for task, value in gold}
    return {tasks[task]: values[name] for task, name in known.items() if task in tasks and name in values}


def _likeliest(answers: AnswerTable, model: categories.DawidSkene) -> dict[int, Fused]:
    """Return the most likely label of each task, given people's error rates."""
    opinions = answers.opinions
    labels = {answers.agreement.category(value): value for value in answers.distinct}
    columns = (model.values, model.confidence, categories.ties(opinions, model))
    return {
        task: Fused(labels[opinions.value_names[value]], sure, tied)
        for task, value, sure, tied in zip(opinions.task_names, *(column.tolist() for column in columns), strict=True)
    }


def _with_shares(answers: AnswerTable, found: Mapping[int, Fused]) -> dict[int, TaskOutcome]:
    """Return each task's outcome with the share of its answers that agree."""
    codes = {task: code for code, task in enumerate(found, len(answers.distinct))}
    labels = [*answers.distinct, *(one.label for one in found.values())]
    alike = answers.agreement.compare(labels, answers.codes, np.array([codes[task] for task in answers.tasks]))
    votes: dict[int, list[int]] = {task: [] for task in found}
    for at in np.flatnonzero(alike.agree).tolist():
        votes[answers.tasks[at]].append(at)
    return {
        task: TaskOutcome(
            one.label,
            one.confidence if len(answers.by_task[task]) > 1 else None,
            len(votes[task]) / len(answers.by_task[task]),
            votes[task][0] if votes[task] else None,
            one.tied,
        )
        for task, one in found.items()
    }
