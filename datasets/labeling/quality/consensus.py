"""What the answers of a queue come to, task by task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import Count, Max, Min
from numpy.typing import NDArray

from agreement import consensus as categories
from agreement.fusion import fuse
from agreement.opinions import Opinions, coded
from agreement.shapes import label_of, regions_of, shapes_of
from catalog.models import Task as TaskKind
from labeling.models import Answer, Gold, Queue
from labeling.quality.answer_table import AnswerTable, Value, answers_of, category, same

FEWEST_TASKS = 30  # with several answers: people's error rates are not to be had from fewer
MOST_CELLS = 4_000_000  # of all people's error tables
EVEN = 0.505  # a confidence up to here reads as one half
DAWID_SKENE, MAJORITY = "dawid_skene", "majority"
Vote = tuple[Value, float, bool]  # a label, how sure it is, and whether as much speaks for something else


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The label a task's answers come to. `confidence` is None where one answer alone is all there is; `agreement` is
    the share of answers that say it; `answer` is the place of the first of those, if there is one. `tied`: as much
    speaks for something else."""

    value: Mapping[str, Any]
    confidence: float | None
    agreement: float
    answer: int | None
    tied: bool


@dataclass(frozen=True, slots=True)
class Consensus:
    """By task. `people` are codes of `answers.opinions`; with the majority there are no error tables."""

    method: str
    outcomes: dict[int, TaskOutcome]
    model: categories.DawidSkene | None = None


def consensus(queue: Queue, answers: AnswerTable) -> Consensus:
    """Dawid and Skene's where people's error rates can be learnt, else what most people say.

    Boxes are fused (`agreement.fusion.fuse`); of several classes to an image each is voted on.
    """
    if answers.are_shapes or answers.are_sets:
        vote = _fused if answers.are_shapes else _voted
        votes = vote([[answers.values[at] for at in places] for places in answers.by_task.values()])
        return Consensus(MAJORITY, _with_shares(answers, dict(zip(answers.by_task, votes, strict=True))))
    if not answers.values:
        return Consensus(MAJORITY, {})
    model = categories.dawid_skene(answers.opinions, _known(queue, answers)) if _learnable(queue, answers) else None
    outcomes = _of_classes(answers.opinions, model or categories.majority(answers.opinions))
    return Consensus(DAWID_SKENE if model else MAJORITY, outcomes, model)


def outcomes_of(queue: Queue, tasks: Sequence[int]) -> dict[int, TaskOutcome]:
    """What the answers to a few tasks come to. Error rates are learnt from the whole queue, and kept until somebody
    says something more."""
    rows = Answer.objects.verdicts()
    if queue.dataset.task == TaskKind.DETECTION or queue.dataset.multi_label:
        return consensus(queue, AnswerTable.of(rows.filter(task__in=tasks))).outcomes
    all_of_it = rows.filter(task__queue=queue).aggregate(last=Max("created"), first=Min("created"), count=Count("pk"))
    found = _kept(queue.pk, *all_of_it.values(), Gold.objects.filter(queue=queue).count())
    return {task: found[task] for task in tasks if task in found}


@lru_cache(maxsize=8)
def _kept(queue: int, *stand: object) -> Mapping[int, TaskOutcome]:  # noqa: ARG001 - `stand` is the key: what was said
    whole = Queue.objects.select_related("dataset").get(pk=queue)
    return consensus(whole, answers_of(whole)).outcomes


def _learnable(queue: Queue, answers: AnswerTable) -> bool:
    opinions = answers.opinions
    several = int((np.bincount(opinions.tasks) > 1).sum())
    cells = len(opinions.people_names) * len(opinions.value_names) ** 2
    return queue.answers_per_task > 1 and several >= FEWEST_TASKS and cells <= MOST_CELLS


def _known(queue: Queue, answers: AnswerTable) -> dict[int, int]:
    """Gold tasks teach the error rates. A true class that nobody ever named has no code, and is left out."""
    tasks = {task: code for code, task in enumerate(answers.opinions.task_names)}
    values = {name: code for code, name in enumerate(answers.opinions.value_names)}
    known = {task: category(value) for task, value in Gold.objects.filter(queue=queue).values_list("task", "value")}
    return {tasks[task]: values[name] for task, name in known.items() if task in tasks and name in values}


def _of_classes(opinions: Opinions, found: categories.Consensus) -> dict[int, TaskOutcome]:
    yes = opinions.values == found.values[opinions.tasks]
    counts = np.bincount(opinions.tasks)
    shares = np.bincount(opinions.tasks[yes], minlength=len(counts)) / counts
    first = np.full(len(counts), -1)
    first[opinions.tasks[yes][::-1]] = opinions.places[yes][::-1]
    labels = [{"class": name} for name in opinions.value_names]
    even = (found.confidence <= EVEN) & (_leaders(opinions) > 1)
    columns = (found.values, found.confidence, counts, shares, first, even)
    return {
        task: TaskOutcome(labels[value], sure if count > 1 else None, share, place if place >= 0 else None, tied)
        for task, value, sure, count, share, place, tied in zip(
            opinions.task_names, *(column.tolist() for column in columns), strict=True
        )
    }


def _leaders(opinions: Opinions) -> NDArray[np.int64]:
    """How many values of each task have the most votes."""
    width = max(1, len(opinions.value_names))
    cells, votes = np.unique(opinions.tasks * width + opinions.values, return_counts=True)
    tasks = cells // width
    most = np.zeros(len(opinions.task_names), np.int64)
    np.maximum.at(most, tasks, votes)
    return np.bincount(tasks[votes == most[tasks]], minlength=len(most))


def _with_shares(answers: AnswerTable, found: Mapping[int, Vote]) -> dict[int, TaskOutcome]:
    """Each task's outcome with how many of its answers say so."""
    places = [(task, at) for task, all_of_it in answers.by_task.items() for at in all_of_it]
    alike = same((answers.values[at], found[task][0]) for task, at in places)
    votes: dict[int, list[int]] = {task: [] for task in found}
    for (task, at), yes in zip(places, alike.tolist(), strict=True):
        if yes:
            votes[task].append(at)
    return {
        task: TaskOutcome(
            value,
            confidence if len(answers.by_task[task]) > 1 else None,
            len(votes[task]) / len(answers.by_task[task]),
            votes[task][0] if votes[task] else None,
            tied,
        )
        for task, (value, confidence, tied) in found.items()
    }


def _fused(tasks: Sequence[Sequence[Value]]) -> list[Vote]:
    """The label of each task's answers; that of a single one is left as it is."""
    several = [values for values in tasks if len(values) > 1]
    fused = iter(fuse([[shapes_of(value) for value in values] for values in several]))
    ignored = iter(fuse([[regions_of(value) for value in values] for values in several]))
    found = []
    for values in tasks:
        if len(values) == 1:
            found.append((values[0], 1.0, False))
        else:
            kept, confidence = next(fused)
            found.append((label_of(kept, next(ignored)[0]), confidence, confidence <= EVEN))
    return found


def _voted(tasks: Sequence[Sequence[Value]]) -> list[Vote]:
    """A class is kept that more than half name; the confidence is the mean size of the majorities."""
    found: list[Vote] = []
    for values in tasks:
        codes, names = coded(name for value in values for name in value["classes"])
        shares = np.bincount(codes, minlength=len(names)) / len(values)
        kept = [name for name, share in zip(names, shares, strict=True) if share > 1 / 2]
        confidence = float(np.maximum(shares, 1 - shares).mean()) if names else 1.0
        found.append(({"classes": kept}, confidence, bool((shares == 1 / 2).any())))
    return found
