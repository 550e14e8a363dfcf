"""Comments as the API shows them. A page costs a fixed number of queries for each dataset on it."""

from collections.abc import Sequence
from typing import Any

from accounts.models import User
from labeling.blinding import blinded_sample
from labeling.commenting import may_delete
from labeling.documents.queues import sample_documents
from labeling.models import Comment, Review
from labeling.reviewing.flags import can_review


def comment_document(comment: Comment, user: User) -> dict[str, Any]:
    """Return one comment as the API shows it; `commenting.RELATED` must be loaded."""
    by = comment.resolved_by
    return {
        "id": comment.pk,
        "task": comment.task_id,
        "author": {"id": comment.author_id, "username": comment.author.username},
        "text": comment.text,
        "x": comment.x,
        "y": comment.y,
        "mentions": sorted(person.username for person in comment.mentions.all()),
        "created": comment.created,
        "resolved_by": by.username if by else None,
        "resolved_at": comment.resolved_at,
        "deletable": may_delete(comment, user),
    }


def listed_documents(comments: Sequence[Comment], user: User) -> list[dict[str, Any]]:
    """Return comments of several queues, each with its queue and sample; `task.sample` must be loaded too."""
    tasks = {one.task_id: one.task for one in comments}
    samples = sample_documents((task, task.queue.dataset) for task in tasks.values())
    open_reviews = Review.objects.filter(task__in=samples, state=Review.State.OPEN).values_list("task", "pk")
    reviews = dict(open_reviews)
    return [_listed(comment, user, samples[comment.task_id], reviews.get(comment.task_id)) for comment in comments]


def _listed(comment: Comment, user: User, sample: dict[str, Any], review: int | None) -> dict[str, Any]:
    queue = comment.task.queue
    reviews = can_review(user, queue)
    shown = sample if reviews else blinded_sample(sample, queue, comment.task_id)
    return comment_document(comment, user) | {
        "queue": queue.name,
        "queue_id": queue.pk,
        "dataset": queue.dataset.name,
        "sample": shown,
        "url": f"/blobs/{sample['digest']}",
        "review": review if reviews else None,
    }
