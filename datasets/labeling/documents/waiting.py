"""The open work in each queue, for reviewers and up: read in a fixed number of queries, however many queues there
are."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from labeling.assigning import names_of
from labeling.listing import RANKS
from labeling.models import Comment, Queue, Review
from labeling.quality.committing import labels_of
from labeling.quality.pace import HOUR, Pace, answers_left, paces_of
from labeling.quality.routing import ENDED
from labeling.services import counts_of

MOST_QUEUES = 500


def most_urgent(queues: QuerySet[Queue]) -> list[Queue]:
    """Return up to 500 of `queues` that are uncommitted or have unresolved comments: by priority, then by due time,
    those without one last."""
    commented = Exists(Comment.objects.filter(task__queue=OuterRef("pk"), resolved_at=None))
    rank = Case(*(When(priority=name, then=Value(at)) for at, name in enumerate(RANKS)))
    rows = queues.filter(~Q(state=Queue.State.COMMITTED) | commented).select_related("dataset__project")
    return list(rows.order_by(rank, F("due").asc(nulls_last=True), "pk")[:MOST_QUEUES])


def waiting_documents(queues: Sequence[Queue]) -> list[dict[str, Any]]:
    """Return the open work of each queue in the given order, without queues that have none."""
    ids = [queue.pk for queue in queues]
    counts, labels, assignees = counts_of(ids), labels_of(queues), names_of(queues)
    reviews, comments = _reviews(ids), _comments(ids)
    paces, left = paces_of(queues), answers_left(queues)
    now = timezone.now()
    found = []
    for queue in queues:
        tally, review, comment = counts[queue.pk], reviews.get(queue.pk, {}), comments.get(queue.pk, {})
        unanswered = tally["todo"] + tally["leased"]
        since = [queue.created if unanswered else None, review.get("since"), comment.get("since")]
        waits = {
            "todo": tally["todo"],
            "leased": tally["leased"],
            "skipped": tally["skipped"],
            "reviews": review.get("count", 0),
            "disputed": review.get("disputed", 0),
            "flagged": review.get("flagged", 0),
            "comments": comment.get("count", 0),
            "labels": labels[queue.pk],
        }
        if queue.state == Queue.State.COMMITTED:
            waits = dict.fromkeys(waits, 0) | {"comments": waits["comments"]}
            since = [comment.get("since")]
        if any(waits.values()):
            found.append(
                {
                    "id": queue.pk,
                    "name": queue.name,
                    "dataset": queue.dataset.name,
                    "project": queue.dataset.project.name,
                    "state": queue.state,
                    "priority": queue.priority,
                    "due": queue.due,
                    "assignees": assignees[queue.pk],
                    "total": tally["total"],
                    "since": min((at for at in since if at is not None), default=None),
                    "pace": _pace_document(paces[queue.pk], left[queue.pk], queue.due, now),
                }
                | waits
            )
    return found


def _pace_document(pace: Pace, left: int, due: datetime | None, now: datetime) -> dict[str, Any]:
    hours = pace.hours_left(left)
    return {
        "answers": pace.answers,
        "days": pace.days,
        "per_hour": None if pace.per_hour is None else round(pace.per_hour, 2),
        "answers_left": left,
        "hours_left": None if hours is None else round(hours, 1),
        "in_time": _in_time(hours, due - now) if due is not None and left else None,
    }


def _in_time(hours: float | None, left: timedelta) -> bool | None:
    if hours is None:
        return False if left < timedelta() else None
    return hours <= left / HOUR


def _reviews(queues: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = Review.objects.filter(ENDED, queue__in=queues, state=Review.State.OPEN).order_by().values("queue")
    counted = {
        "count": Count("pk"),
        "disputed": Count("pk", filter=Q(reason=Review.Reason.DISAGREEMENT)),
        "flagged": Count("pk", filter=Q(reason=Review.Reason.FLAG)),
        "since": Min("created"),
    }
    return {row["queue"]: row for row in rows.annotate(**counted)}


def _comments(queues: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = Comment.objects.filter(task__queue__in=queues, resolved_at=None).order_by().values("task__queue")
    return {row["task__queue"]: row for row in rows.annotate(count=Count("pk"), since=Min("created"))}
