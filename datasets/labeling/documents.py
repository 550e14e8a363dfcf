"""Queues and tasks as the API shows them. A list costs a fixed number of queries, however long it is."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from accounts.models import User
from catalog.models import Dataset, Revision
from labeling.models import Answer, Queue, Task
from labeling.services import Said, counts_of

RATE_WINDOW = timedelta(minutes=10)


def task_documents(tasks: Sequence[Task], dataset: Dataset) -> list[dict[str, Any]]:
    """Leased tasks with what is needed to show them. A sample is shown as the dataset last knew it."""
    facts = _facts(dataset, [task.sample_id for task in tasks])
    return [_task_document(task, facts[task.sample_id]) for task in tasks]


def lease_document(task: Task) -> dict[str, Any]:
    """How long a task is whose."""
    return {"lease_until": task.lease_until, "lease_token": task.token}


def said_document(said: Said) -> dict[str, Any]:
    """What became of an answer or a skip."""
    kept = {"id": said.answer.pk, "value": said.answer.value, "opinion": said.answer.opinion}
    return {
        "task": said.task.pk,
        "state": said.task.state,
        "answer": kept,
        "queue": {"counts": said.counts, "state": said.queue_state},
    }


def queue_documents(queues: Sequence[Queue], user: User) -> list[dict[str, Any]]:
    """Queues with their counts and this user's own rate."""
    ids = [queue.pk for queue in queues]
    counts, rates = counts_of(ids), _rates(ids, user)
    return [
        {
            "id": queue.pk,
            "name": queue.name,
            "dataset": queue.dataset.name,
            "dataset_id": queue.dataset_id,
            "task": queue.dataset.task,
            "classes": queue.dataset.classes,
            "state": queue.state,
            "counts": counts[queue.pk],
            "rate_per_hour": rates[queue.pk],
            "answers_per_task": queue.answers_per_task,
            "created": queue.created,
            "committed_version": queue.committed_version.number if queue.committed_version else None,
        }
        for queue in queues
    ]


def _task_document(task: Task, facts: dict[str, Any]) -> dict[str, Any]:
    digest = facts["blob__md5"]
    sample = {
        "id": task.sample_id,
        "key": task.sample.key,
        "digest": digest,
        "width": facts["blob__width"],
        "height": facts["blob__height"],
        "thumb": f"/thumbs/{digest}",
        "meta": facts["meta"],
    }
    told = {"id": task.pk, "sample": sample, "url": f"/blobs/{digest}", "suggestion": task.suggestion, "why": task.why}
    return told | lease_document(task)


def _facts(dataset: Dataset, samples: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The newest facts about each sample; one that has left the head keeps its last ones."""
    rows = Revision.objects.ever(dataset).filter(sample__in=samples)
    return {
        row["sample"]: dict(row) for row in rows.values("sample", "meta", "blob__md5", "blob__width", "blob__height")
    }


def _rates(queues: Sequence[int], user: User) -> Counter[int]:
    """Labels per hour that this user gave to each queue in the last ten minutes."""
    recent = Answer.objects.verdicts().filter(author=user, created__gt=Now() - RATE_WINDOW, value__isnull=False)
    per_hour = timedelta(hours=1) // RATE_WINDOW
    asked = set(queues)
    return Counter({
        queue: count * per_hour
        for queue, count in Counter(recent.values_list("task__queue", flat=True)).items()
        if queue in asked
    })  # fmt: skip
