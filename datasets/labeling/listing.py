"""Listing a queue's tasks."""

from dataclasses import dataclass
from typing import Self

from django.db.models import BigIntegerField, Case, Exists, ExpressionWrapper, F, OuterRef, QuerySet, Value, When
from django.db.models.functions import Cast
from rest_framework.request import Request

from accounts.models import User
from core.errors import Invalid
from core.parameters import chosen
from labeling.models import Answer, Flag, Queue, Task, TaskQuerySet
from labeling.reviewing.flags import can_review

RANKS = (Queue.Priority.HIGH, Queue.Priority.NORMAL, Queue.Priority.LOW)
STATES = (Queue.State.OPEN, Queue.State.COMPLETE, Queue.State.COMMITTED)
MOST_QUEUE_IDS = 10**9
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters on a queue's tasks; None means no filter."""

    state: tuple[str, ...] | None = None
    flagged: bool | None = None
    skipped: bool | None = None
    mine: bool = False

    @classmethod
    def of(cls, request: Request) -> Self:
        """Read the filters from query parameters. Raises Invalid naming the parameter."""
        query = request.query_params
        state = tuple(chosen(query, "state", Task.State.values)) or None
        if query.get("author", "me") != "me":
            raise Invalid.field("author", "can only be `me`")
        return cls(state, truth(request, "flagged"), truth(request, "skipped"), "author" in query)

    def apply(self, queue: Queue, user: User) -> TaskQuerySet:
        """Return the tasks that pass; other people's flags and skips count only for reviewers and up."""
        tasks, by = Task.objects.filter(queue=queue), {} if can_review(user, queue) else {"author": user}
        if self.state is not None:
            tasks = tasks.filter(state__in=self.state)
        if self.flagged is not None:
            flags = Exists(Flag.objects.filter(task=OuterRef("pk"), **by))
            tasks = tasks.filter(flags if self.flagged else ~flags)
        if self.skipped is not None:
            skips = Exists(Answer.objects.verdicts().filter(task=OuterRef("pk"), value__isnull=True, **by))
            tasks = tasks.filter(skips if self.skipped else ~skips)
        return tasks


def by_urgency(queues: QuerySet[Queue]) -> QuerySet[Queue]:
    """Return the queues with their place by urgency in `urgency`: open ones by their priority, then complete ones, then
    committed ones; among equals the newest first."""
    states = Case(*(When(state=state, then=Value(at)) for at, state in enumerate(STATES)))
    ranks = Case(
        *(When(state=Queue.State.OPEN, priority=name, then=Value(at)) for at, name in enumerate(RANKS)),
        default=Value(0),
    )
    rank = Cast(states * len(RANKS) + ranks, BigIntegerField())  # PostgreSQL would multiply 32-bit integers
    place = rank * Value(MOST_QUEUE_IDS) + (Value(MOST_QUEUE_IDS) - F("pk"))
    return queues.annotate(urgency=ExpressionWrapper(place, BigIntegerField()))


def listed_tasks(queue: Queue, user: User, wanted: Wanted) -> QuerySet[Task]:
    """Return the tasks that pass the filters, with their samples."""
    return wanted.apply(queue, user).select_related("sample")


def answered_tasks(queue: Queue, user: User, wanted: Wanted) -> QuerySet[Answer]:
    """Return this user's answers and skips to tasks that pass the filters, each with its task and sample."""
    said = Answer.objects.verdicts().filter(author=user, task__queue=queue).select_related("task__sample")
    return said.filter(task__in=wanted.apply(queue, user)) if wanted != Wanted(mine=True) else said


def truth(request: Request, name: str) -> bool | None:
    """Read a query parameter that is `true` or `false`; None if it is not sent. Raises Invalid naming it."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if text not in BOOLEANS:
        raise Invalid.field(name, "must be true or false")
    return BOOLEANS[text]
