"""Many answers at once: a page of a grid, or answers that a browser stored while it was offline."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.models import User
from core.errors import Invalid, MotherlodeError, NotAllowed, NotFound
from labeling.assigning import check_answers
from labeling.models import Answer, Queue, Task
from labeling.quality import routing
from labeling.services import (
    AnswerReceipt,
    LockedQueue,
    apply_answer,
    close,
    lease_lost,
    lock_queue,
    lock_tasks,
    new_answer,
    note_suggestion,
)
from labeling.values import Sizes, checked
from labeling.verifying import note_verification

MOST_ANSWERS = 200
SAVED, LOST, REFUSED = "saved", "lease_lost", "refused"


@dataclass(frozen=True, slots=True)
class AnswerOutcome:
    """The outcome of one answer of a batch: its `receipt`, or the `problem` it met (both for a late answer)."""

    task: int
    status: str
    receipt: AnswerReceipt | None = None
    problem: MotherlodeError | None = None


@transaction.atomic
def answer_many(queue: Queue, user: User, answers: Sequence[Mapping[str, Any]]) -> list[AnswerOutcome]:
    """Record answers and skips (`value` None) to tasks of one queue in one transaction, each by the rules for a single
    answer: an error in one does not affect the others."""
    locked = lock_queue(queue.pk)
    locked.queue.dataset = queue.dataset
    tasks = {task.pk: (task, live) for task, live in lock_tasks(_ids(queue, answers))}
    sizes = Sizes(queue.dataset, [task.sample_id for task, _ in tasks.values()])
    earlier = _earlier_answers(list(tasks))
    results: list[Answer | AnswerOutcome] = []
    new: list[Answer] = []
    for one in answers:
        given = _build(one, tasks, locked, user, sizes)
        if isinstance(given, Answer):
            task, live = tasks[given.task_id]
            stored = apply_answer(given, locked, task, earlier[task.pk], token=one["lease_token"], live=live)
            tasks[task.pk] = (task, live and task.state == Task.State.LEASED)
            results.append(stored)
            if stored is given:
                new.append(stored)
        else:
            results.append(given)
    _save(locked, new, earlier)
    return [_outcome(stored, tasks, locked, user) if isinstance(stored, Answer) else stored for stored in results]


def _ids(queue: Queue, answers: Sequence[Mapping[str, Any]]) -> list[int]:
    return list(queue.tasks.filter(pk__in={one["task"] for one in answers}).values_list("pk", flat=True))


def _earlier_answers(tasks: Sequence[int]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = defaultdict(list)
    for answer in Answer.objects.filter(task__in=tasks, withdrawn=False).order_by("pk"):
        found[answer.task_id].append(answer)
    return found


def _build(
    one: Mapping[str, Any], tasks: Mapping[int, tuple[Task, bool]], locked: LockedQueue, user: User, sizes: Sizes
) -> Answer | AnswerOutcome:
    """Return the unsaved answer, or the outcome that says why it is refused."""
    if one["task"] not in tasks:
        missing = NotFound(f"There is no task {one['task']} in this queue.", code="task_unknown")
        return AnswerOutcome(one["task"], REFUSED, problem=missing)
    task, _ = tasks[one["task"]]
    task.queue = locked.queue
    try:
        check_answers(task, locked.queue, user)
        value = None if one["value"] is None else checked(task, one["value"], sizes=sizes)
        reason = one["reason"] if value is None else ""
        given = new_answer(task, user, value=value, seconds=one["seconds"], reason=reason)
        note_suggestion(given, shown=one["shown_suggestion"], changed=one["changed"])
        return note_verification(given, one["verification"])
    except (Invalid, NotAllowed) as problem:
        return AnswerOutcome(task.pk, REFUSED, problem=problem)


def _outcome(stored: Answer, tasks: Mapping[int, tuple[Task, bool]], locked: LockedQueue, user: User) -> AnswerOutcome:
    task, _ = tasks[stored.task_id]
    receipt = AnswerReceipt(task, stored, locked.counts, locked.queue.state)
    if stored.opinion:
        return AnswerOutcome(task.pk, LOST, receipt, lease_lost(receipt, user))
    return AnswerOutcome(task.pk, SAVED, receipt)


def _save(locked: LockedQueue, new: Sequence[Answer], earlier: Mapping[int, Sequence[Answer]]) -> None:
    Answer.objects.bulk_create(new)
    ended = defaultdict(list)
    for given in new:
        if not given.opinion and given.task.state != Task.State.LEASED:
            ended[given.task.state].append(given.task_id)
    for state, ids in ended.items():
        Task.objects.filter(pk__in=ids).update(state=state, holder=None, lease_until=None)
    if any(not given.opinion for given in new):
        tasks = {given.task_id: given.task for given in new if not given.opinion}
        routing.open_reviews_for(locked.queue, [(task, earlier[pk]) for pk, task in tasks.items()])
        close(locked)
