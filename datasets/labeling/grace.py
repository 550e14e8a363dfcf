"""The grace period between a queue's last answer and its round's commit: people may still take answers back, hold the
commit, or commit at once. Every decision about time uses the database's clock.

`Queue.commit_at` is when the commit is due. It is set whenever an answer or a decision leaves nothing open, and cleared
when something is open again or somebody holds the queue.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from accounts.models import User
from accounts.rights import Right, has_right
from core.errors import Conflict, NotAllowed
from labeling.assigning import check_discusses
from labeling.models import Queue

LONGEST_GRACE = 24 * 3600
COMPLETE, COMMITTED = Queue.State.COMPLETE, Queue.State.COMMITTED


def restart(queue: Queue) -> None:
    """Set `commit_at` of a locked queue by its state: start its grace period now, or clear `commit_at`."""
    runs = queue.state == COMPLETE and queue.held is None and queue.commit_grace is not None
    if runs:
        due = Now() + timedelta(seconds=queue.commit_grace or 0)
        Queue.objects.filter(pk=queue.pk).update(commit_at=due)
    elif queue.commit_at is not None:
        Queue.objects.filter(pk=queue.pk).update(commit_at=None)


def set_grace(queue_id: int, seconds: int) -> None:
    """Set the grace period of an uncommitted queue; a running one starts anew. Call it inside a transaction."""
    queue = _locked(queue_id)
    if queue.state != COMMITTED and queue.commit_grace != seconds:
        queue.commit_grace = seconds
        queue.save(update_fields=["commit_grace"])
        restart(queue)


def is_due(queue_id: int) -> bool:
    """Whether the queue may be committed automatically now, or is committed already. Its row stays locked until the
    transaction ends, so that nobody takes an answer back or holds it between this check and the commit."""
    _locked(queue_id)
    over = Q(commit_at=None) | Q(commit_at__lte=Now())
    ready = Q(state=COMMITTED) | Q(over, state=COMPLETE, held=None)
    return Queue.objects.filter(ready, pk=queue_id).exists()


@transaction.atomic
def hold(queue: Queue, user: User) -> None:
    """Keep rounds from committing the queue until the hold is released; a queue that is still open can be held too.

    An existing hold keeps its owner. Raises NotAllowed (`not_assigned`), Conflict (`queue_committed`,
    `no_commit_to_hold`).
    """
    check_discusses(queue, user)
    locked = _locked(queue.pk)
    if locked.state == COMMITTED:
        raise Conflict("The queue has been committed: correct the label in the dataset.", code="queue_committed")
    if locked.commit_grace is None:
        detail = f"No pipeline commits {locked.name}: it waits until somebody commits it."
        raise Conflict(detail, code="no_commit_to_hold")
    if locked.held is None:
        Queue.objects.filter(pk=locked.pk).update(held=Now(), held_by=user, commit_at=None)


@transaction.atomic
def release(queue: Queue, user: User) -> None:
    """Release a hold; the grace period starts anew if nothing is open. Raises NotAllowed (`hold_of_another`) if
    somebody else holds the queue and the user is not a reviewer, (`not_assigned`) if the queue is assigned to other
    people and the hold is not the user's own."""
    locked = _locked(queue.pk)
    check_hold(locked, user)
    if locked.held_by_id != user.pk:
        check_discusses(queue, user)
    if locked.held is not None:
        locked.held, locked.held_by = None, None
        locked.save(update_fields=["held", "held_by"])
        restart(locked)


def check_hold(queue: Queue, user: User) -> None:
    """Raise NotAllowed (`hold_of_another`) if somebody else holds the queue and the user is not a reviewer."""
    if (
        queue.held_by is not None
        and queue.held_by_id != user.pk
        and not has_right(user, Right.REVIEW, queue.project_of)
    ):
        detail = f"{queue.held_by.username} holds {queue.name}: ask them, an owner or a reviewer to release it."
        raise NotAllowed(detail, code="hold_of_another")


def auto_commits(queues: Sequence[Queue]) -> dict[int, dict[str, Any] | None]:
    """Map each queue's id to the state of its round's automatic commit; None if no round commits the queue."""
    waiting = [queue.pk for queue in queues if queue.commit_at is not None]
    # A commit or a hold may have cleared it since the rows were read.
    due = Queue.objects.filter(pk__in=waiting, commit_at__isnull=False)
    gaps = due.values_list("pk", F("commit_at") - Now()) if waiting else ()
    left = {pk: max(0.0, gap.total_seconds()) for pk, gap in gaps}
    return {queue.pk: _document(queue, left.get(queue.pk)) for queue in queues}


def _document(queue: Queue, left: float | None) -> dict[str, Any] | None:
    if queue.commit_grace is None or queue.state == COMMITTED:
        return None
    return {
        "grace": queue.commit_grace,
        "seconds_left": None if left is None else round(left, 1),
        "held": queue.held,
        "held_by": queue.held_by.username if queue.held_by else None,
    }


def _locked(queue_id: int) -> Queue:
    rows = Queue.objects.select_for_update(no_key=True, of=("self",)).select_related("held_by")
    return rows.get(pk=queue_id)
