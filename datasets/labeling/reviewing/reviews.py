"""The rules of reviews: which tasks get one, who decides, and whose decision was first.

As elsewhere in labelling, the row of the queue is locked first, so that one of two reviewers comes first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from accounts.models import User
from accounts.rights import Right, asked_projects, check
from core.errors import Conflict, Invalid, NotAllowed, NotFound
from labeling.models import Answer, Queue, Review, Task
from labeling.quality.routing import ENDED, may_review, open_reviews_for
from labeling.services import close, lock_queue, settle_queue
from labeling.values import checked

RELATED = ("queue__dataset", "task__sample", "decided_by")


def flagged(task: Task) -> None:
    """Open a review of a flagged task, unless its queue is committed."""
    with transaction.atomic():
        locked = lock_queue(task.queue_id)
        if locked.queue.state == Queue.State.COMMITTED:
            return
        Review.objects.get_or_create(task=task, defaults={"queue": locked.queue, "reason": Review.Reason.FLAG})
        close(locked)


def unflagged(task: Task) -> None:
    """After a flag was removed: delete the open review with the task's last flag, unless the answers need one
    themselves."""
    with transaction.atomic():
        locked = lock_queue(task.queue_id)
        flags = Review.objects.filter(task=task, reason=Review.Reason.FLAG, state=Review.State.OPEN)
        if task.flags.exists() or locked.queue.state == Queue.State.COMMITTED or not flags.delete()[0]:
            return
        open_reviews_for(locked.queue, [(task, list(task.answers.order_by("pk")))])
        close(locked)


def find_review(pk: int) -> Review:
    """Return a review by id, with its task and queue. Raises NotFound."""

    def unknown() -> NotFound:
        return NotFound(f"There is no review {pk}.", code="review_unknown")

    review = Review.objects.select_related(*RELATED).filter(pk=pk).first()
    if review is None:
        raise unknown()
    check(review.queue.project_of, unknown)
    return review


def listed(wanted: Q, query: Mapping[str, Any]) -> QuerySet[Review]:
    """Return the reviews of finished tasks in queues that the caller may review, limited to the project that the query
    names, if any. A task flagged while people still work on it appears once they have finished."""
    rows, among = Review.objects.filter(wanted & ENDED).select_related(*RELATED), asked_projects(query, Right.REVIEW)
    return rows if among is None else rows.filter(queue__dataset__project__in=among)


def decide(review: Review, user: User, *, value: Any, reason: str = "", answer: int | None = None) -> Review:
    """Decide the label of the task, whatever its answers say; `answer` is the id of the answer it takes over.

    Repeating a decision changes nothing. Raises Invalid (value, answer), NotAllowed (`own_answer`) for the author of
    the only answer while somebody else could decide, Conflict (`already_decided`, `queue_committed`).
    """
    value = checked(review.task, value)
    with transaction.atomic():
        queue, review = _locked(review)
        said = list(review.task.answers.verdicts().filter(value__isnull=False))
        if review.state == Review.State.DONE:
            _repeats(review, user, value)
            return review
        if {one.author_id for one in said} == {user.pk} and may_review(queue.project_of) != {user.pk}:
            raise NotAllowed("The only answer is your own: another reviewer must look at it.", code="own_answer")
        review.answer = _taken_over(said, answer)
        review.state, review.decision, review.note = Review.State.DONE, value, reason
        review.decided_by = user
        review.decided = Now()
        review.save()
        settle_queue(queue)
    return find_review(review.pk)


def reopen(review: Review, user: User) -> Review:
    """Take a decision back; it stays in the review's history. Raises Conflict (`not_decided`, `queue_committed`)."""
    with transaction.atomic():
        queue, review = _locked(review)
        if review.state != Review.State.DONE:
            raise Conflict("This review is open: there is no decision to take back.", code="not_decided")
        by = review.decided_by.username if review.decided_by else ""
        at = review.decided and review.decided.isoformat()
        past = {"value": review.decision, "reason": review.note, "by": by, "at": at, "reopened_by": user.username}
        review.history = [*review.history, past]
        review.state, review.decision, review.note = Review.State.OPEN, None, ""
        review.answer, review.decided_by, review.decided = None, None, None
        review.save()
        settle_queue(queue)
    return find_review(review.pk)


def _locked(review: Review) -> tuple[Queue, Review]:
    queue = Queue.objects.select_for_update(no_key=True).get(pk=review.queue_id)
    if queue.state == Queue.State.COMMITTED:
        raise Conflict("The queue has been committed: correct the label in the dataset.", code="queue_committed")
    rows = Review.objects.select_for_update(no_key=True, of=("self",)).select_related(*RELATED)
    found = rows.filter(pk=review.pk).first()
    if found is None:
        raise NotFound("The task went back to its annotator: this review is gone.", code="review_unknown")
    return queue, found


def _repeats(review: Review, user: User, value: Any) -> None:
    """Accept a repeated decision, as clients send after a lost reply. Raises Conflict if it is a different decision."""
    if review.decided_by_id == user.pk and review.decision == value:
        return
    by = review.decided_by.username if review.decided_by else "somebody"
    detail = f"{by} has decided this review already: reopen it to decide anew."
    raise Conflict(detail, code="already_decided", extra={"decision": review.decision, "decided_by": by})


def _taken_over(said: Sequence[Answer], pk: int | None) -> Answer | None:
    if pk is None:
        return None
    found = next((one for one in said if one.pk == pk), None)
    if found is None:
        raise Invalid.field("answer", "must be the id of an answer to this task")
    return found
