"""Queues and tasks as the API shows them; a handful of queries for any number of tasks."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from catalog.models import Revision
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import User
from labeling.models import Answer, Queue, Task
from labeling.services import counts

RATE_WINDOW = timedelta(minutes=10)


def queue_document(queue: Queue, user: User) -> dict[str, Any]:
    """A queue with its counts and the asking user's pace."""
    names = ("id", "name", "dataset_id", "state", "answers_per_task", "created")
    return {name: getattr(queue, name) for name in names} | {
        "dataset": queue.dataset.name,
        "task": queue.dataset.task,
        "classes": queue.dataset.classes,
        "counts": counts(queue),
        "rate_per_hour": _pace(queue, user),
        "committed_version": queue.committed_version.number if queue.committed_version else None,
    }


def _pace(queue: Queue, user: User) -> float | None:
    """Answers an hour of this user over the last ten minutes; None without any."""
    mine = Answer.objects.filter(task__queue=queue, author=user, withdrawn=False, created__gte=Now() - RATE_WINDOW)
    first = mine.order_by("created").values_list("created", flat=True).first()
    if first is None:
        return None
    hours = max((timezone.now() - first).total_seconds(), 1.0) / 3600
    return round(mine.count() / hours, 1)


def task_documents(tasks: Sequence[Task], queue: Queue) -> list[dict[str, Any]]:
    """Leased tasks with their samples."""
    rows = (
        Revision.objects.current(queue.dataset_id)
        .filter(sample__in=[task.sample_id for task in tasks])
        .values("sample_id", "sample__key", "meta", "blob__md5", "blob__width", "blob__height")
    )
    facts = {row["sample_id"]: row for row in rows}
    return [_task(task, facts[task.sample_id]) for task in tasks if task.sample_id in facts]


def _task(task: Task, facts: dict[str, Any]) -> dict[str, Any]:
    digest = facts["blob__md5"]
    return {
        "id": task.pk,
        "sample": {
            "id": task.sample_id,
            "key": facts["sample__key"],
            "digest": digest,
            "width": facts["blob__width"],
            "height": facts["blob__height"],
            "thumb": f"/thumbs/{digest}",
            "meta": facts["meta"],
        },
        "url": f"/blobs/{digest}",
        "suggestion": task.suggestion,
        "why": task.why,
        "lease_until": task.lease_until,
        "lease_token": task.token,
    }


def answer_document(said: Answer, task: Task) -> dict[str, Any]:
    """What became of an answer or a skip."""
    task.refresh_from_db(fields=["state"])
    spoken = None if said.value is None else {"id": said.pk, "value": said.value, "opinion": said.opinion}
    return {"task": task.pk, "state": task.state, "answer": spoken, "queue": {"counts": counts(task.queue)}}
