"""The rules of labelling: queues, leases and answers. Every decision about time is the database's.

The row of the queue is locked before the row of a task, always in this order, by all that may end or reopen a queue:
two people who give the last two answers at once must not each believe that the other's task is still open.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, Min, Q
from django.db.models.functions import Now
from django.dispatch import Signal

from accounts.models import User
from blobs.services import chunks
from catalog import services as catalog
from catalog.models import NAME, Dataset, Revision, Version
from catalog.services import CommitResult
from core.errors import Conflict, Invalid, NotFound
from core.references import by_id_or_name
from labeling.models import Answer, Queue, Task, TaskQuerySet
from labeling.quality.committing import change_set
from labeling.values import checked

# Sent after the commit that ended a queue's last task, with `queue`. A receiver may miss it: it only wakes something.
queue_completed = Signal()

MOST_TASKS = 50
BATCH = 1000


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One sample to label, with what the model suggests and why it was picked (both kept and shown as they are)."""

    sample_id: int
    suggestion: Mapping[str, Any] | None = None
    why: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What became of an answer or a skip: its task and row, the queue's counts and state after it."""

    task: Task
    answer: Answer
    counts: dict[str, int]
    queue_state: str


@dataclass(frozen=True, slots=True)
class HeldByOthers:
    """Live leases of other people on tasks this person could have, and in how many seconds the first one ends."""

    count: int
    next_frees: float


@transaction.atomic
def create_queue(
    dataset: Dataset, name: str, *, items: Sequence[QueueItem], answers_per_task: int = 1, created_by: User
) -> Queue:
    """A queue over samples of the dataset, in the order of `items`; the one of this name if it is there already.

    A queue without items is complete from the start. Raises Invalid (name, items, answers_per_task), or Conflict
    (`name_taken`) when the name belongs to another dataset's queue.
    """
    try:
        NAME(name)
    except ValidationError as error:
        raise Invalid.field("name", error.messages[0]) from error
    if answers_per_task < 1:
        raise Invalid.field("answers_per_task", "must be at least 1")
    state = Queue.State.OPEN if items else Queue.State.COMPLETE
    values = {"dataset": dataset, "answers_per_task": answers_per_task, "created_by": created_by, "state": state}
    queue, created = Queue.objects.get_or_create(name=name, defaults=values)
    if queue.dataset_id != dataset.pk:
        raise Conflict(f"There is a queue {name!r} of another dataset already: choose another name.", code="name_taken")
    if not created:
        return queue
    _check_samples(dataset, [item.sample_id for item in items])
    rows = [
        Task(queue=queue, position=position, sample_id=item.sample_id, suggestion=item.suggestion, why=item.why)
        for position, item in enumerate(items)
    ]
    Task.objects.bulk_create(rows, batch_size=BATCH)
    if not items:
        _announce(queue)
    return queue


def find_queue(reference: str) -> Queue:
    """A queue by id or name, with its dataset. Raises NotFound."""
    rows = Queue.objects.select_related("dataset", "committed_version")
    queue = by_id_or_name(rows, reference)
    if queue is None:
        raise NotFound(f"There is no queue {reference!r}.", code="queue_unknown")
    return queue


def find_task(pk: int) -> Task:
    """A task by id, with its queue and dataset. Raises NotFound."""
    task = Task.objects.select_related("queue__dataset").filter(pk=pk).first()
    if task is None:
        raise NotFound(f"There is no task {pk}.", code="task_unknown")
    return task


def counts(queue: Queue) -> dict[str, int]:
    """`{total, todo, leased, done, skipped}`; a task whose lease has run out counts as todo."""
    return counts_of([queue.pk])[queue.pk]


def counts_of(queue_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """The same for many queues, by queue id, in one query."""
    live = Q(state=Task.State.LEASED, lease_until__gt=Now())
    sums = {
        "leased": Count("pk", filter=live),
        "done": Count("pk", filter=Q(state=Task.State.DONE)),
        "skipped": Count("pk", filter=Q(state=Task.State.SKIPPED)),
    }
    found = {pk: {"total": 0, "todo": 0, "leased": 0, "done": 0, "skipped": 0} for pk in queue_ids}
    for row in Task.objects.filter(queue__in=queue_ids).values("queue").annotate(total=Count("pk"), **sums):
        row["todo"] = row["total"] - row["leased"] - row["done"] - row["skipped"]
        found[row.pop("queue")].update(row)
    return found


def next_tasks(queue: Queue, user: User, *, count: int) -> list[Task]:
    """Lease up to `count` tasks (at most 50): the user's own live leases first, renewed, then free tasks in order.

    Never one this user has answered or skipped. Each new lease raises its task's `token`.
    """
    count = min(count, MOST_TASKS)
    with transaction.atomic():
        own = _lock_some(queue.tasks.live().filter(holder=user, queue__state=Queue.State.OPEN), count)
        if own:
            Task.objects.filter(pk__in=own).update(lease_until=_lease())
        new = _lock_some(queue.tasks.free().new_to(user.pk), count - len(own))
        if new:
            _lease_out(new, user)
        order = {pk: place for place, pk in enumerate([*own, *new])}
        leased = Task.objects.filter(pk__in=order, holder=user).select_related("sample") if order else []
        return sorted(leased, key=lambda task: order[task.pk])


def held_by_others(queue: Queue, user: User) -> HeldByOthers | None:
    """Why an open queue has nothing for this user just now, or None when nobody else holds anything for them."""
    others = queue.tasks.live().filter(queue__state=Queue.State.OPEN).exclude(holder=user).new_to(user.pk)
    found = others.annotate(left=F("lease_until") - Now()).aggregate(count=Count("pk"), first=Min("left"))
    return HeldByOthers(found["count"], max(0.0, found["first"].total_seconds())) if found["count"] else None


def renew(task: Task, user: User, *, lease_token: int | None = None) -> Task:
    """Keep the lease; one that has run out lives again if nobody took the task. Raises Conflict (`lease_lost`)."""
    mine = Task.objects.filter(pk=task.pk, state=Task.State.LEASED, holder=user, queue__state=Queue.State.OPEN)
    if lease_token is not None:
        mine = mine.filter(token=lease_token)
    if not mine.update(lease_until=_lease()):
        task.refresh_from_db()
        raise Conflict(_lost(task, user), code="lease_lost")
    task.refresh_from_db(fields=["lease_until", "token", "state", "holder"])
    return task


def answer(
    task: Task, user: User, *, value: Any, seconds: float, shown_suggestion: bool, lease_token: int | None = None
) -> Said:
    """Take a label for a task this user holds.

    Giving the same answer twice is the same answer. Raises Invalid (`value`), or Conflict (`lease_lost`) when the
    lease went to somebody else: then the answer is kept as a further opinion.
    """
    words = Answer(task=task, author=user, value=checked(task, value), seconds=seconds)
    words.shown_suggestion = shown_suggestion
    return _say(words, lease_token)


def skip(task: Task, user: User, *, reason: str = "", seconds: float = 0.0, lease_token: int | None = None) -> Said:
    """Say that this user can't label the task. Raises Conflict (`lease_lost`) as `answer` does."""
    return _say(Answer(task=task, author=user, value=None, reason=reason[:200], seconds=seconds), lease_token)


def undo(task: Task, user: User) -> Task:
    """Take back my answer to, or skip of, the task, and lease it to me again.

    Raises Conflict: `queue_committed`, `nothing_to_undo`, or `task_leased` when somebody else is at it.
    """
    with transaction.atomic():
        queue, task = _locked(task)
        if queue.state == Queue.State.COMMITTED:
            raise Conflict("The queue has been committed: correct the label in the dataset.", code="queue_committed")
        mine = task.answers.verdicts().filter(author=user).last()
        live = Task.objects.live().filter(pk=task.pk).first()
        if live is not None and live.holder_id != user.pk:
            raise Conflict(f"{_holder(live)} is labelling this task just now.", code="task_leased")
        if mine is not None:
            mine.withdrawn = True
            mine.save(update_fields=["withdrawn"])
            _lease_out([task.pk], user)
            settle_queue(queue)
        elif live is None:
            raise Conflict("You have no answer to this task that could be taken back.", code="nothing_to_undo")
    task.refresh_from_db()
    return task


@transaction.atomic
def commit_queue(queue: Queue, *, message: str, author: User, partial: bool = False) -> CommitResult:
    """Commit the labels of the done tasks on the dataset's head; samples of the pool move to train.

    Once: a second call answers the version that the first one made. Raises Conflict (`queue_incomplete`) while tasks
    are open, unless `partial`: then the open ones are called back and stay unlabelled.
    """
    queue = Queue.objects.select_for_update(no_key=True, of=("self",)).select_related("dataset").get(pk=queue.pk)
    if queue.state == Queue.State.COMMITTED:
        return _recall(queue.committed_version)
    if queue.state != Queue.State.COMPLETE and not partial:
        tally = counts(queue)
        still = tally["todo"] + tally["leased"]
        detail = f"{still} of {tally['total']} tasks are open: finish them, or send `partial`: true to leave them out."
        raise Conflict(detail, code="queue_incomplete", extra={"counts": tally})
    changes = change_set(queue, message=message or f"Labels of queue {queue.name}")
    result = catalog.commit(queue.dataset, changes, author=author)
    queue.tasks.filter(state=Task.State.LEASED).update(state=Task.State.TODO, holder=None, lease_until=None)
    queue.state = Queue.State.COMMITTED
    queue.committed_version = result.version
    queue.save(update_fields=["state", "committed_version"])
    return result


def _say(words: Answer, token: int | None) -> Said:
    with transaction.atomic():
        queue, task = _locked(words.task)
        said = list(task.answers.filter(withdrawn=False).order_by("pk"))
        words.opinion = not _holds(task, queue, words.author_id, token)
        before = next((old for old in said if _repeats(old, words)), None)
        if before is None:
            words.save()
            _settle_task(task, queue, [*said, words])
        tally = settle_queue(queue)
        outcome = Said(task, before or words, tally, queue.state)
    if outcome.answer.opinion:
        kept = {"id": outcome.answer.pk, "value": outcome.answer.value, "opinion": True}
        detail = f"{_lost(task, words.author)} Your answer is kept as a further opinion."
        raise Conflict(detail, code="lease_lost", extra={"answer": kept})
    return outcome


def _repeats(old: Answer, new: Answer) -> bool:
    """A lost reply makes a client say the same once more; without the lease it can be nothing else."""
    return new.opinion and (old.author_id, old.value) == (new.author_id, new.value)


def _holds(task: Task, queue: Queue, user_id: int, token: int | None) -> bool:
    """The user holds the task. A lease that ran out is still theirs while nobody else has taken the task."""
    held = (task.state, task.holder_id) == (Task.State.LEASED, user_id) and token in {None, task.token}
    return held and queue.state == Queue.State.OPEN


def _settle_task(task: Task, queue: Queue, said: Sequence[Answer]) -> None:
    """End the task when as many people have spoken as the queue asks for, or put it back for the next one.

    A skip counts as having spoken, or a queue could wait for ever; a task that so ends short of labels is skipped.
    """
    if said[-1].opinion:
        return
    verdicts = [item for item in said if not item.opinion]
    labels = {item.author_id for item in verdicts if item.value is not None}
    people = {item.author_id for item in verdicts}
    if len(labels) >= queue.answers_per_task:
        task.state = Task.State.DONE
    else:
        task.state = Task.State.SKIPPED if len(people) >= queue.answers_per_task else Task.State.TODO
    task.holder = None
    task.lease_until = None
    task.save(update_fields=["state", "holder", "lease_until"])


def settle_queue(queue: Queue) -> dict[str, int]:
    """Bring the state of a locked queue in line with its tasks, unless it is committed. Returns its counts."""
    tally = counts(queue)
    state = Queue.State.OPEN if tally["todo"] + tally["leased"] else Queue.State.COMPLETE
    if queue.state not in {state, Queue.State.COMMITTED}:
        queue.state = state
        queue.save(update_fields=["state"])
        if state == Queue.State.COMPLETE:
            _announce(queue)
    return tally


def _announce(queue: Queue) -> None:
    transaction.on_commit(lambda: queue_completed.send(Queue, queue=queue), robust=True)


def _locked(task: Task) -> tuple[Queue, Task]:
    """The rows of a task and its queue, as they are now, locked until the transaction ends."""
    queue = Queue.objects.select_for_update(no_key=True).get(pk=task.queue_id)
    return queue, Task.objects.select_for_update(no_key=True).get(pk=task.pk)


def _lock_some(tasks: TaskQuerySet, count: int) -> list[int]:
    """Ids of the first tasks nobody else is claiming. Where rows can't be skipped, one writer at a time has them."""
    rows = tasks.select_for_update(skip_locked=True, of=("self",)).order_by("position")
    return list(rows.values_list("pk", flat=True)[:count])


def _lease_out(tasks: Sequence[int], user: User) -> None:
    """Lease locked tasks, each under a new token."""
    changes = {"state": Task.State.LEASED, "holder": user, "token": F("token") + 1, "lease_until": _lease()}
    Task.objects.filter(pk__in=tasks).update(**changes)


def _lease() -> Any:
    return Now() + timedelta(seconds=settings.LABEL_LEASE_SECONDS)


def _lost(task: Task, user: User) -> str:
    if task.holder_id not in {None, user.pk}:
        return f"The lease of this task went to {_holder(task)}."
    if task.holder_id == user.pk:
        return "This is an older lease of yours: the task has been leased to you anew."
    return "You don't hold this task: its lease ran out, or it has been finished."


def _holder(task: Task) -> str:
    return task.holder.username if task.holder else "somebody"


def _check_samples(dataset: Dataset, ids: Sequence[int]) -> None:
    ever = Revision.objects.ever(dataset)
    known = {pk for chunk in chunks(ids) for pk in ever.filter(sample__in=chunk).values_list("sample_id", flat=True)}
    if len(known) != len(ids):
        raise Invalid.field("items", f"must be different samples of the dataset {dataset.name!r}")


def _recall(version: Version | None) -> CommitResult:
    """The result of a commit that was made before."""
    if version is None:
        return CommitResult(None, None)
    parent = version.parent.number if version.parent else None
    done = {name: getattr(version, name) for name in ("added", "updated", "removed", "labelled")}
    return CommitResult(version, parent, **done)
