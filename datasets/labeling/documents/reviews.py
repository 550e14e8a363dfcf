"""Reviews as the API shows them. A page costs a fixed number of queries for each task type on it, and a consensus for
each queue."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from accounts.models import User
from labeling.documents.queues import sample_documents
from labeling.models import Answer, Flag, Queue, Review
from labeling.quality.answer_table import Value
from labeling.quality.consensus import TaskOutcome, outcomes_of
from labeling.quality.figures import rounded


def review_documents(reviews: Sequence[Review]) -> list[dict[str, Any]]:
    """Return reviews with all answers to their tasks; `queue.dataset`, `task.sample` and `decided_by` must be
    loaded."""
    tasks = [review.task_id for review in reviews]
    said, outcomes, notes = _said(tasks), _outcomes(reviews), _notes(tasks)
    samples = _samples(reviews)
    return [
        _document(review, said[review.task_id], outcomes.get(review.task_id))
        | {"sample": samples[review.task_id], "url": f"/blobs/{samples[review.task_id]['digest']}"}
        | {"note": notes.get(review.task_id, "")}
        for review in reviews
    ]


def _document(review: Review, said: Sequence[Answer], outcome: TaskOutcome | None) -> dict[str, Any]:
    queue, agreed = review.queue, None
    if outcome is not None:
        agreed = {"value": outcome.value, "confidence": rounded(outcome.confidence), "tied": outcome.tied}
    return {
        "id": review.pk,
        "queue": queue.name,
        "queue_id": queue.pk,
        "dataset": queue.dataset.name,
        "classes": queue.dataset.classes,
        "kind": queue.kind,
        "task": review.task_id,
        "reason": review.reason,
        "answers": [_answer(one) for one in said],
        "suggestion": review.task.suggestion,
        "consensus": agreed,
        "iou": _overlaps(queue, [(one.pk, one.value) for one in said if one.value is not None]),
        "state": review.state,
        "decision": review.decision,
        "decision_reason": review.note,
        "answer": review.answer_id,
        "decided_by": _person(review.decided_by),
        "decided": review.decided,
        "history": review.history,
        "created": review.created,
    }


def _answer(one: Answer) -> dict[str, Any]:
    names = ("value", "reason", "seconds", "shown_suggestion", "created")
    return {"id": one.pk, "author": _person(one.author)} | {name: getattr(one, name) for name in names}


def _person(user: User | None) -> dict[str, Any] | None:
    return {"id": user.pk, "username": user.username} if user else None


def _overlaps(queue: Queue, labels: Sequence[tuple[int, Value]]) -> list[dict[str, Any]]:
    """Return the mean IoU of the matching objects of every two answers (id, label); an empty list for classes."""
    agreement = queue.dataset.task_type.agreement
    if not agreement.overlaps:
        return []
    pairs = list(combinations(range(len(labels)), 2))
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    found = agreement.compare([value for _, value in labels], first, second)
    return [
        {"a": labels[one][0], "b": labels[other][0], "iou": rounded(found.mean_iou([at]))}
        for at, (one, other) in enumerate(pairs)
    ]


def _said(tasks: Sequence[int]) -> defaultdict[int, list[Answer]]:
    found: defaultdict[int, list[Answer]] = defaultdict(list)
    for one in Answer.objects.verdicts().filter(task__in=tasks).select_related("author").order_by("pk"):
        found[one.task_id].append(one)
    return found


def _outcomes(reviews: Sequence[Review]) -> dict[int, TaskOutcome]:
    tasks: dict[Queue, list[int]] = {}
    for review in reviews:
        tasks.setdefault(review.queue, []).append(review.task_id)
    return outcomes_of(tasks)


def _samples(reviews: Sequence[Review]) -> dict[int, dict[str, Any]]:
    return sample_documents((review.task, review.queue.dataset) for review in reviews)


def _notes(tasks: Sequence[int]) -> dict[int, str]:
    """Join the notes of the people who flagged each task, by task id."""
    found: dict[int, str] = {}
    for task, note in Flag.objects.filter(task__in=tasks).order_by("pk").values_list("task", "note"):
        found[task] = "; ".join(filter(None, [found.get(task, ""), note]))
    return found
