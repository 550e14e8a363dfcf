"""Many answers at once: a page of a grid, or what a browser kept while it was offline."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.models import User
from core.errors import Invalid, MotherlodeError, NotFound
from labeling.models import Answer, Queue, Task
from labeling.quality import routing
from labeling.services import Locked, Said, close, lease_lost, lock_queue, lock_tasks, seen, take, words_of
from labeling.values import Sizes, checked

MOST_ANSWERS = 200
SAVED, LOST, REFUSED = "saved", "lease_lost", "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one answer of many: `said`, or the `problem` that it met (both when an opinion was kept)."""

    task: int
    status: str
    said: Said | None = None
    problem: MotherlodeError | None = None


@transaction.atomic
def answer_many(queue: Queue, user: User, answers: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Take answers and skips (`value` None) to tasks of one queue, in one transaction and each by the rules of a single
    one: what is wrong with one of them leaves the others be."""
    locked = lock_queue(queue.pk)
    locked.queue.dataset = queue.dataset
    tasks = {task.pk: (task, live) for task, live in lock_tasks(_ids(queue, answers))}
    sizes = Sizes(queue.dataset, [task.sample_id for task, _ in tasks.values()])
    said = _said_before(list(tasks))
    taken: list[Answer | Outcome] = []
    new: list[Answer] = []
    for one in answers:
        words = _words(one, tasks, locked, user, sizes)
        if isinstance(words, Answer):
            task, live = tasks[words.task_id]
            kept = take(words, locked, task, said[task.pk], token=one["lease_token"], live=live)
            tasks[task.pk] = (task, live and task.state == Task.State.LEASED)
            taken.append(kept)
            if kept is words:
                new.append(kept)
        else:
            taken.append(words)
    _save(locked, new, said)
    return [_outcome(kept, tasks, locked, user) if isinstance(kept, Answer) else kept for kept in taken]


def _ids(queue: Queue, answers: Sequence[Mapping[str, Any]]) -> list[int]:
    return list(queue.tasks.filter(pk__in={one["task"] for one in answers}).values_list("pk", flat=True))


def _said_before(tasks: Sequence[int]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = defaultdict(list)
    for said in Answer.objects.filter(task__in=tasks, withdrawn=False).order_by("pk"):
        found[said.task_id].append(said)
    return found


def _words(
    one: Mapping[str, Any], tasks: Mapping[int, tuple[Task, bool]], locked: Locked, user: User, sizes: Sizes
) -> Answer | Outcome:
    """The answer as words about its task, or why it can't be."""
    if one["task"] not in tasks:
        missing = NotFound(f"There is no task {one['task']} in this queue.", code="task_unknown")
        return Outcome(one["task"], REFUSED, problem=missing)
    task, _ = tasks[one["task"]]
    task.queue = locked.queue
    try:
        value = None if one["value"] is None else checked(task, one["value"], sizes=sizes)
    except Invalid as problem:
        return Outcome(task.pk, REFUSED, problem=problem)
    words = words_of(task, user, value=value, seconds=one["seconds"], reason=one["reason"] if value is None else "")
    return seen(words, shown=one["shown_suggestion"], changed=one["changed"])


def _outcome(kept: Answer, tasks: Mapping[int, tuple[Task, bool]], locked: Locked, user: User) -> Outcome:
    task, _ = tasks[kept.task_id]
    said = Said(task, kept, locked.counts, locked.queue.state)
    if kept.opinion:
        return Outcome(task.pk, LOST, said, lease_lost(said, user))
    return Outcome(task.pk, SAVED, said)


def _save(locked: Locked, new: Sequence[Answer], said: Mapping[int, Sequence[Answer]]) -> None:
    Answer.objects.bulk_create(new)
    ended = defaultdict(list)
    for words in new:
        if not words.opinion and words.task.state != Task.State.LEASED:
            ended[words.task.state].append(words.task_id)
    for state, ids in ended.items():
        Task.objects.filter(pk__in=ids).update(state=state, holder=None, lease_until=None)
    if any(not words.opinion for words in new):
        tasks = {words.task_id: words.task for words in new if not words.opinion}
        routing.settled(locked.queue, [(task, said[pk]) for pk, task in tasks.items()])
        close(locked)
