"""Leases: who holds a task, and for how long. Every decision about time uses the database's clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from accounts.models import User
from core.errors import Conflict
from core.flushing import commit_lazily
from core.prepared import Update, prepared, prepared_update
from labeling.assigning import check_answers
from labeling.models import Comment, Flag, Queue, Task, TaskQuerySet, waiting

MOST_TASKS = 200


@dataclass(frozen=True, slots=True)
class HeldByOthers:
    """The number of tasks open to this person that other people hold, and in how many seconds the first lease ends."""

    count: int
    next_frees: float


def next_tasks(queue: Queue, user: User, *, count: int, cluster: str | None = None) -> list[Task]:
    """Lease up to `count` tasks (at most 200): the user's own live leases first, renewed, then free tasks in order.

    Never leases a task this user has answered or skipped. Each new lease raises its task's `token`. With a `cluster`,
    only tasks whose shown suggestion names that class (empty: tasks that show no suggestion).
    """
    count = min(count, MOST_TASKS)
    with transaction.atomic():
        these = {"queue": queue.pk, "user": user.pk} | ({} if cluster is None else {"cluster": cluster})
        own, run_out = _lock_leased(these, count)
        new = _lock_free(these, run_out, count - len(own))
        if own:
            Task.objects.filter(pk__in=own).update(lease_until=_lease())
            commit_lazily()  # clients ask again for a lease that a power cut loses
        if new:
            lease_out(new, user, flushed=False)
        # Read under the lock: else a task answered meanwhile would be missing from the result without a replacement.
        order = {pk: place for place, pk in enumerate([*own, *new])}
        leased = [task for task in shown_tasks(list(order), user) if task.holder_id == user.pk]
        return sorted(leased, key=lambda task: order[task.pk])


def shown_tasks(ids: Sequence[int], user: User) -> list[Task]:
    """Return tasks with their samples, annotated with the note of this user's flag (`own_flag`) and whether there are
    comments (`commented`)."""
    if len(ids) == 1:
        return _shown(pk=ids[0], user=user.pk)
    return list(_with_remarks(user.pk).filter(pk__in=ids)) if ids else []


@prepared("pk", "user")
def _shown(pk: int, user: int) -> QuerySet[Task]:
    return _with_remarks(user).filter(pk=pk)


def _with_remarks(user: int) -> TaskQuerySet:
    notes = Flag.objects.filter(task=OuterRef("pk"), author=user).values("note")
    commented = Exists(Comment.objects.filter(task=OuterRef("pk")))
    return Task.objects.select_related("sample").annotate(own_flag=Subquery(notes), commented=commented)


def clusters(queue: Queue, user: User) -> list[tuple[str, int]]:
    """Return (suggested class, number of tasks that this user holds or could lease), the greatest first."""
    mine = Q(holder=user, lease_until__gt=Now())
    rows = queue.tasks.filter(mine | waiting(), queue__state=Queue.State.OPEN).new_to(user.pk).order_by()
    return sorted(rows.values_list("cluster").annotate(n=Count("pk")), key=lambda row: (-row[1], row[0]))


def page_of(queue: Queue, user: User, found: Sequence[tuple[str, int]]) -> str | None:
    """Return the cluster of a grid's next page: that of the tasks this user holds, else the first of `found`."""
    held = queue.tasks.live().filter(holder=user).order_by("position").values_list("cluster", flat=True).first()
    return held if held is not None else next((name for name, _ in found), None)


def held_by_others(queue: Queue, user: User) -> HeldByOthers | None:
    """Return the leases of other people that leave this user without tasks in an open queue, or None if there are
    none."""
    others = queue.tasks.live().filter(queue__state=Queue.State.OPEN).exclude(holder=user).new_to(user.pk)
    found = others.annotate(left=F("lease_until") - Now()).aggregate(count=Count("pk"), first=Min("left"))
    return HeldByOthers(found["count"], max(0.0, found["first"].total_seconds())) if found["count"] else None


def held_from(queues: Sequence[int], user: User) -> dict[int, int]:
    """Count by queue id the tasks still open to this user that other people hold now; queues with none are left out."""
    rows = Task.objects.filter(queue__in=queues).live().exclude(holder=user).new_to(user.pk).order_by()
    return dict(rows.values_list("queue").annotate(n=Count("pk")))


def renew(task: Task, user: User, *, lease_token: int | None = None) -> Task:
    """Renew the lease, even after it ran out if nobody took the task. Raises NotAllowed (`not_assigned`), Conflict
    (`lease_lost`)."""
    mine = Task.objects.filter(pk=task.pk, state=Task.State.LEASED, holder=user)
    if lease_token is not None:
        mine = mine.filter(token=lease_token)
    if not mine.update(lease_until=_lease()):
        check_answers(task, task.queue, user)
        task.refresh_from_db()
        raise Conflict(lost(task, user), code="lease_lost")
    task.refresh_from_db(fields=["lease_until", "token", "state", "holder"])
    return task


def lost(task: Task, user: User) -> str:
    """Return a message that says why the user does not hold the task."""
    if task.holder_id not in {None, user.pk}:
        return f"The lease of this task went to {holder(task)}."
    if task.holder_id == user.pk:
        return "This is an older lease of yours: the task has been leased to you anew."
    return "You don't hold this task: its lease ran out, or it has been finished."


def holder(task: Task) -> str:
    """Return the name of the person who holds the task."""
    return task.holder.username if task.holder else "somebody"


def is_live() -> "ExpressionWrapper[Q]":
    """Return an expression for querysets of tasks: whether the task is under a live lease."""
    return ExpressionWrapper(Q(lease_until__gt=Now()), BooleanField())


def _lock_leased(these: Mapping[str, int | str], count: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Lock leased tasks: return those this user holds (ids), and those whose lease has run out (position and id)."""
    found = _leased(**these, count=count)
    return [pk for live, _, pk in found if live], [(at, pk) for live, at, pk in found if not live]


def _lock_free(these: Mapping[str, int | str], run_out: Sequence[tuple[int, int]], count: int) -> list[int]:
    """Lock the first tasks that can be leased and return their ids. Skips tasks that another person is claiming; a
    database that can't skip locked rows has one writer at a time."""
    waiting = _free(**these, count=count) if count else []
    return [pk for _, pk in sorted([*run_out, *waiting])[:count]]


@prepared("queue", "user", "cluster")
def _leased(*, queue: int, user: int, count: int, cluster: str | None = None) -> QuerySet[Task, tuple[bool, int, int]]:
    mine_or_run_out = Q(holder=user) | Q(lease_until__lte=Now())
    rows = _lockable(queue, user, cluster).filter(mine_or_run_out, state=Task.State.LEASED).annotate(live=is_live())
    return rows.order_by("-live", "position").values_list("live", "position", "pk")[:count]


@prepared("queue", "user", "cluster")
def _free(*, queue: int, user: int, count: int, cluster: str | None = None) -> QuerySet[Task, tuple[int, int]]:
    rows = _lockable(queue, user, cluster).filter(state=Task.State.TODO)
    return rows.order_by("position").values_list("position", "pk")[:count]


def _lockable(queue: int, user: int, cluster: str | None) -> TaskQuerySet:
    """Return tasks of an open queue that this user has not answered, without those that another person is claiming."""
    rows = Task.objects.filter(queue=queue, queue__state=Queue.State.OPEN).new_to(user)
    rows = rows if cluster is None else rows.filter(cluster=cluster)
    return rows.select_for_update(skip_locked=True, of=("self",))


def lease_out(tasks: Sequence[int], user: User, *, flushed: bool = True) -> None:
    """Lease locked tasks, each under a new token. For `flushed=False` see `core.flushing`."""
    if len(tasks) == 1:
        _lease_one(pk=tasks[0], holder=user.pk, seconds=settings.LABEL_LEASE_SECONDS, flushed=flushed)
        return
    Task.objects.filter(pk__in=tasks).update(**_leased_to(user.pk))
    if not flushed:
        commit_lazily()


@prepared_update("pk", "holder")
def _lease_one(pk: int, holder: int, seconds: int) -> Update:  # noqa: ARG001 - another time is another statement
    return Task.objects.filter(pk=pk), _leased_to(holder)


def _leased_to(user: int) -> dict[str, Any]:
    return {"state": Task.State.LEASED, "holder": user, "token": F("token") + 1, "lease_until": _lease()}


def _lease() -> Any:
    return Now() + timedelta(seconds=settings.LABEL_LEASE_SECONDS)
