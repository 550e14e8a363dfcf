"""The consensus of a queue's answers, task by task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import Count, Max, Min

from agreement import consensus as categories
from labeling.models import Answer, Gold, Queue
from labeling.quality.answer_table import AnswerTable, Value
from tasktypes import TaskType
from tasktypes.label_parts import Fused

FEWEST_TASKS = 30  # tasks with several answers: fewer are too few to estimate people's error rates
MOST_CELLS = 4_000_000  # in the error tables of all people
MOST_READ = 200_000  # answers that are read together, unless one queue has more
Said = tuple[datetime, datetime, int]
"""When the last and the first answer to a queue came, and how many there are."""
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
    if not _learnable(queue, answers):
        return Consensus(MAJORITY, _fused(answers))
    return _estimated(answers, dict(Gold.objects.filter(queue=queue).values_list("task", "value")))


def outcomes_of(tasks: Mapping[Queue, Sequence[int]]) -> dict[int, TaskOutcome]:
    """Return the consensus of a few tasks of each queue, by task id. Error rates are estimated from a whole queue, and
    cached until there is another answer. For each task type the number of queries does not depend on the number of
    queues, except that answers of large queues are read a part at a time."""
    by_type: dict[TaskType, list[Queue]] = {}
    for queue in tasks:
        by_type.setdefault(queue.dataset.task_type, []).append(queue)
    found: dict[int, TaskOutcome] = {}
    for asked, queues in by_type.items():
        said = _said([queue.pk for queue in queues if _may_learn(queue)])
        few = [task for queue in queues if queue.pk not in said for task in tasks[queue]]
        if few:
            found |= _fused(AnswerTable.of(Answer.objects.verdicts().filter(task__in=few), asked))
        if said:
            whole = [queue for queue in queues if queue.pk in said]
            outcomes = _whole(whole, asked, said)
            found |= {at: outcomes[q.pk][at] for q in whole for at in tasks[q] if at in outcomes[q.pk]}
    return found


def _said(queues: Sequence[int]) -> dict[int, Said]:
    """Return what differs whenever the answers to queues do, of those that have enough to estimate error rates."""
    rows = Answer.objects.verdicts().filter(task__queue__in=queues).order_by().values_list("task__queue")
    told = rows.annotate(Max("created"), Min("created"), n=Count("pk")).filter(n__gte=2 * FEWEST_TASKS)
    return {pk: (last, first, count) for pk, last, first, count in told}


def _whole(queues: Sequence[Queue], asked: TaskType, said: Mapping[int, Said]) -> dict[int, dict[int, TaskOutcome]]:
    """Return the outcomes of all tasks of queues, by queue id."""
    ids = [queue.pk for queue in queues]
    known = dict(Gold.objects.filter(queue__in=ids).order_by().values_list("queue").annotate(Count("pk")))
    found = {pk: _kept(pk, *said[pk], known.get(pk, 0)) for pk in ids}
    absent = {queue.pk: queue for queue in queues if not found[queue.pk]}
    for part in _parts({pk: said[pk][-1] for pk in absent}):
        gold: dict[int, dict[int, Value]] = {pk: {} for pk in part}
        for pk, task, value in Gold.objects.filter(queue__in=part).values_list("queue", "task", "value"):
            gold[pk][task] = value
        answers = AnswerTable.of_each(Answer.objects.verdicts().filter(task__queue__in=part), asked)
        for pk, table in answers.items():
            told = _estimated(table, gold[pk]).outcomes if _learnable(absent[pk], table) else _fused(table)
            found[pk].update(told)
    return found


@lru_cache(maxsize=8)
def _kept(queue: int, *stand: object) -> dict[int, TaskOutcome]:  # noqa: ARG001 - the key: a queue, and what was said
    """Return the cached outcomes of a queue, to be filled by the caller where they are empty."""
    return {}


def _parts(answers: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield the ids of queues in parts that are read together, given how many answers each has."""
    part, total = list[int](), 0
    for pk, count in answers.items():
        if part and total + count > MOST_READ:
            yield part
            part, total = [], 0
        part.append(pk)
        total += count
    if part:
        yield part


def _fused(answers: AnswerTable) -> dict[int, TaskOutcome]:
    """Return the task type's own fusion of the answers to each task."""
    if not answers.answers:
        return {}
    found = answers.agreement.fuse([[answers.values[at] for at in places] for places in answers.by_task.values()])
    return _with_shares(answers, dict(zip(answers.by_task, found, strict=True)))


def _estimated(answers: AnswerTable, gold: Mapping[int, Value]) -> Consensus:
    model = categories.dawid_skene(answers.opinions, _known(answers, gold))
    return Consensus(DAWID_SKENE, _with_shares(answers, _likeliest(answers, model)), model)


def _may_learn(queue: Queue) -> bool:
    """Whether people's error rates may be estimated from the answers of the queue, once there are enough."""
    return queue.answers_per_task > 1 and queue.dataset.task_type.agreement.exclusive


def _learnable(queue: Queue, answers: AnswerTable) -> bool:
    if not answers.answers or not _may_learn(queue):
        return False
    opinions = answers.opinions
    several = int((np.bincount(opinions.tasks) > 1).sum())
    cells = len(opinions.people_names) * len(opinions.value_names) ** 2
    return several >= FEWEST_TASKS and cells <= MOST_CELLS


def _known(answers: AnswerTable, gold: Mapping[int, Value]) -> dict[int, int]:
    """Return the true values of gold tasks as codes, for estimating error rates. True classes that nobody named have no
    code and are left out."""
    tasks = {task: code for code, task in enumerate(answers.opinions.task_names)}
    values = {name: code for code, name in enumerate(answers.opinions.value_names)}
    known = {task: answers.agreement.category(value) for task, value in gold.items()}
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
