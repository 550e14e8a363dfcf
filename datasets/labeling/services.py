"""The rules of labelling: queues, leases by the database's clock, answers that are never lost, commits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
from catalog.changes import ChangeSet, SampleChange
from catalog.labels import check_label
from catalog.models import Dataset, Label, Revision, Split
from catalog.services import CommitResult, commit
from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Now
from django.dispatch import Signal

from accounts.models import User
from core.errors import Conflict, Invalid, NotFound
from labeling.models import Answer, Queue, Task

# Sent after the commit that completed a queue, with `queue`. A receiver only wakes something up: it may be lost.
queue_completed = Signal()

MAX_TASKS = 50
MAX_SECONDS = 3600.0
State = Task.State


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One sample to label, with the model's suggestion and the reason it was picked."""

    sample_id: int
    suggestion: Mapping[str, Any] | None = None
    why: Mapping[str, Any] | None = None


@transaction.atomic
def create_queue(
    dataset: Dataset, name: str, *, items: Sequence[QueueItem], created_by: User, answers_per_task: int = 1
) -> Queue:
    """A queue of tasks in the given order. Raises Invalid without items, Conflict when the name is taken."""
    if not items:
        raise Invalid.field("items", "there is nothing to label")
    values = {"dataset": dataset, "answers_per_task": answers_per_task, "created_by": created_by}
    queue, created = Queue.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a queue {name!r} already: choose another name.", code="name_taken")
    Task.objects.bulk_create(
        [
            Task(queue=queue, sample_id=item.sample_id, position=position, suggestion=item.suggestion, why=item.why)
            for position, item in enumerate(items)
        ],
        batch_size=500,
    )
    return queue


def find_queue(reference: str) -> Queue:
    """A queue by id or name. Raises NotFound."""
    rows = Queue.objects.select_related("dataset", "committed_version")
    by_id = rows.filter(pk=int(reference)).first() if reference.isdecimal() and len(reference) < 19 else None
    queue = by_id or rows.filter(name=reference).first()
    if queue is None:
        raise NotFound(f"There is no queue {reference!r}.", code="queue_unknown")
    return queue


def find_task(pk: int) -> Task:
    """A task by id. Raises NotFound."""
    task = Task.objects.select_related("queue__dataset").filter(pk=pk).first()
    if task is None:
        raise NotFound(f"There is no task {pk}.", code="task_unknown")
    return task


def counts(queue: Queue) -> dict[str, int]:
    """`{total, todo, leased, done, skipped}`; a lease that has run out counts as todo."""
    rows = queue.tasks.aggregate(
        total=_count(Q()),
        leased=_count(Q(state=State.LEASED, lease_until__gte=Now())),
        done=_count(Q(state=State.DONE)),
        skipped=_count(Q(state=State.SKIPPED)),
    )
    return {"todo": rows["total"] - rows["leased"] - rows["done"] - rows["skipped"]} | rows


def next_tasks(queue: Queue, user: User, *, count: int) -> list[Task]:
    """Up to `count` tasks leased to the user: first those they hold already, then free ones in the queue's order.

    A task the user answered or skipped is not given to them again.
    """
    mine = list(_held_by(user).filter(queue=queue).order_by("position")[:count])
    said = Answer.objects.filter(task__queue=queue, author=user, withdrawn=False).values("task")
    free = Q(state=State.TODO) | Q(state=State.LEASED, lease_until__lt=Now())
    while len(mine) < count:
        candidates = queue.tasks.filter(free).exclude(pk__in=said).order_by("position")[: count - len(mine)]
        ids = list(candidates.values_list("pk", "token"))
        if not ids:
            break
        mine += [task for pk, token in ids if (task := _lease(pk, token, user, free)) is not None]
    return mine


def renew(task: Task, user: User) -> Task:
    """Keep the lease. Raises Conflict `lease_lost`."""
    if not _held_by(user).filter(pk=task.pk).update(lease_until=_until()):
        raise _lease_lost(task)
    task.refresh_from_db(fields=["lease_until", "token"])
    return task


def answer(
    task: Task,
    user: User,
    *,
    value: Mapping[str, Any],
    seconds: float,
    shown_suggestion: bool,
    lease_token: int | None = None,
) -> Answer:
    """Say what the sample is. Raises Invalid (value), Conflict `lease_lost`: then it is kept as a further opinion."""
    dataset = task.queue.dataset
    checked = check_label(value, task=dataset.task, classes=dataset.classes, size=_size(task))
    said = {"value": checked, "seconds": min(max(seconds, 0.0), MAX_SECONDS), "shown_suggestion": shown_suggestion}
    return _say(task, user, said, lease_token, skipped=False)


def skip(task: Task, user: User, *, reason: str, lease_token: int | None = None) -> Answer:
    """Pass on a task; it ends as skipped. Raises Conflict `lease_lost`."""
    return _say(task, user, {"value": None, "reason": reason[:200]}, lease_token, skipped=True)


def undo(task: Task, user: User) -> Task:
    """Take back the user's last word on a task and lease it to them again.

    Raises Conflict when there is nothing to take back, somebody else holds the task, or it is committed.
    """
    with transaction.atomic():
        queue = Queue.objects.select_for_update().get(pk=task.queue_id)
        if queue.state == Queue.State.COMMITTED:
            raise Conflict("This queue is committed: correct the label in the dataset.", code="queue_committed")
        last = task.answers.filter(author=user, withdrawn=False).order_by("-pk").first()
        if last is None:
            raise Conflict("You have said nothing of this task.", code="nothing_to_undo")
        held = Task.objects.filter(pk=task.pk, state=State.LEASED, lease_until__gte=Now()).exclude(holder=user)
        if not last.opinion and held.exists():
            raise Conflict("Somebody else is working on this task now.", code="lease_lost")
        Answer.objects.filter(pk=last.pk).update(withdrawn=True)
        if not last.opinion:
            Task.objects.filter(pk=task.pk).update(
                state=State.LEASED, holder=user, token=F("token") + 1, lease_until=_until()
            )
            Queue.objects.filter(pk=queue.pk).update(state=Queue.State.OPEN)
    task.refresh_from_db()
    return task


@transaction.atomic
def commit_queue(queue: Queue, *, message: str, author: User, partial: bool = False) -> CommitResult:
    """Make the answers a dataset version; samples of the pool move to train. Committing again answers the same version.

    Raises Conflict `queue_incomplete` while tasks are open, unless `partial`.
    """
    queue = Queue.objects.select_for_update(of=("self",)).select_related("dataset", "committed_version").get(pk=queue.pk)
    if queue.committed_version is not None:
        version = queue.committed_version
        figures = {name: getattr(version, name) for name in ("added", "updated", "removed", "labelled")}
        return CommitResult(version, version.parent.number if version.parent else None, **figures)
    left = queue.tasks.filter(state__in=[State.TODO, State.LEASED]).count()
    if left and not partial:
        raise Conflict(f"{left} tasks are still open: label them, or commit with partial.", code="queue_incomplete")
    result = commit(queue.dataset, ChangeSet(samples=_changes(queue), message=message), author=author)
    queue.state, queue.committed_version = Queue.State.COMMITTED, result.version
    queue.save(update_fields=["state", "committed_version"])
    return result


def _changes(queue: Queue) -> list[SampleChange]:
    """One label a task: what most said, the first of equals."""
    splits = dict(
        Revision.objects.current(queue.dataset_id)
        .filter(sample__in=queue.tasks.values("sample"))
        .values_list("sample_id", "split")
    )
    spoken: dict[int, list[Answer]] = {}
    told = Answer.objects.filter(task__queue=queue, withdrawn=False, opinion=False).exclude(value=None)
    for said in told.order_by("pk"):
        spoken.setdefault(said.task_id, []).append(said)
    return [
        _change(task, _consensus(spoken[task.pk]), splits[task.sample_id])
        for task in queue.tasks.select_related("sample").order_by("position")
        if task.pk in spoken and task.sample_id in splits
    ]


def _change(task: Task, said: Answer, split: str) -> SampleChange:
    return SampleChange(
        key=task.sample.key,
        label=said.value,
        split=Split.TRAIN if split == Split.POOL else None,
        source=Label.Source.HUMAN,
        author_id=said.author_id,
        seconds=said.seconds,
    )


def _consensus(answers: Sequence[Answer]) -> Answer:
    keys = [orjson.dumps(said.value, option=orjson.OPT_SORT_KEYS) for said in answers]
    best, _ = Counter(keys).most_common(1)[0]
    return answers[keys.index(best)]


def _say(task: Task, user: User, said: Mapping[str, Any], lease_token: int | None, *, skipped: bool) -> Answer:
    """Keep what was said; end or reopen the task when the lease still holds."""
    with transaction.atomic():
        queue = Queue.objects.select_for_update().get(pk=task.queue_id)
        held = Task.objects.filter(pk=task.pk, state=State.LEASED, holder=user)
        if lease_token is not None:
            held = held.filter(token=lease_token)
        ours = queue.state == Queue.State.OPEN and held.exists()
        made = Answer.objects.create(task=task, author=user, opinion=not ours, **said)
        if ours:
            _settle(task, queue, skipped=skipped)
    if not ours:
        raise _lease_lost(task)
    return made


def _settle(task: Task, queue: Queue, *, skipped: bool) -> None:
    answers = task.answers.filter(withdrawn=False, opinion=False).exclude(value=None).count()
    enough = State.SKIPPED if skipped else State.DONE if answers >= queue.answers_per_task else State.TODO
    Task.objects.filter(pk=task.pk).update(state=enough, holder=None, lease_until=None)
    if enough != State.TODO and not queue.tasks.filter(state__in=[State.TODO, State.LEASED]).exists():
        Queue.objects.filter(pk=queue.pk).update(state=Queue.State.COMPLETE)
        transaction.on_commit(lambda: queue_completed.send(Queue, queue=queue), robust=True)


def _lease(pk: int, token: int, user: User, free: Q) -> Task | None:
    changes = {"state": State.LEASED, "holder": user, "token": token + 1, "lease_until": _until()}
    if not Task.objects.filter(free, pk=pk, token=token).update(**changes):
        return None
    return Task.objects.get(pk=pk)


def _held_by(user: User) -> QuerySet[Task]:
    return Task.objects.filter(state=State.LEASED, holder=user, lease_until__gte=Now())


def _until() -> Any:
    return Now() + timedelta(seconds=settings.LABEL_LEASE_SECONDS)


def _lease_lost(task: Task) -> Conflict:
    return Conflict(
        f"The lease of task {task.pk} has gone to somebody else; what you said is kept as a further opinion.",
        code="lease_lost",
    )


def _size(task: Task) -> tuple[int, int] | None:
    row = Revision.objects.current(task.queue.dataset_id).filter(sample=task.sample_id).values("blob__width", "blob__height")
    facts = row.first()
    return (facts["blob__width"], facts["blob__height"]) if facts and facts["blob__width"] else None


def _count(condition: Q) -> Any:
    return Count("pk", filter=condition) if condition else Count("pk")
