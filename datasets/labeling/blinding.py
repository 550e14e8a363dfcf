"""What is hidden from annotators: the suggestions of a share of the tasks, picked by a keyed hash that outsiders can't
compute, and in queues with gold all that may differ between gold and other samples: their keys, ids and metadata."""

from collections.abc import Mapping
from typing import Any

from django.utils.crypto import salted_hmac

from labeling.models import Queue, Task

SALT = "labeling.blind"
WORD = 8  # bytes of the hash that are looked at
STEP = 2000
NAME = 10  # hexadecimal digits of the name that stands for a key
MOST_CLUSTER = 200  # characters


def blind_and_cluster(queue: Queue, sample_id: int, suggestion: Mapping[str, Any] | None) -> tuple[bool, str]:
    """Return whether a task hides its suggestion, by the queue's `blind_share`, and the cluster it shows. A task
    without a suggestion hides nothing."""
    blind = suggestion is not None and is_blind(queue.pk, sample_id, queue.blind_share)
    return blind, "" if blind else cluster_of(queue, suggestion)


def is_blind(queue_id: int, sample_id: int, share: float) -> bool:
    """Whether a task is blind: always the same for the same task; raising the share keeps all blind tasks blind."""
    digest = salted_hmac(SALT, f"{queue_id}:{sample_id}", algorithm="sha256").digest()
    return bool(int.from_bytes(digest[:WORD]) < share * 2 ** (8 * WORD))


def cluster_of(queue: Queue, suggestion: Mapping[str, Any] | None) -> str:
    """Return the class whose grid page a suggestion belongs to, or an empty string."""
    return queue.dataset.task_type.labels.cluster(suggestion)[:MOST_CLUSTER] if suggestion else ""


def blinded_key(key: str, queue: Queue) -> str:
    """Return a sample's key as annotators see it: in a queue with gold a name that says nothing, for a key often names
    the class or the batch that a sample came with. It is always the same for the same sample of a queue."""
    if not queue.gold_share:
        return key
    return f"image-{salted_hmac(SALT, f'{queue.pk}:{key}', algorithm='sha256').hexdigest()[:NAME]}"


def blinded_sample(sample: Mapping[str, Any], queue: Queue, task: int) -> dict[str, Any]:
    """Return a task's sample as annotators see it: in a queue with gold with the task's id for its own, and without
    metadata."""
    shown = dict(sample) | {"key": blinded_key(sample["key"], queue)}
    return shown | {"id": task, "meta": {}} if queue.gold_share else shown


def hide_anew(queue: Queue) -> None:
    """Recompute which tasks are blind after `blind_share` changed. Changes only tasks nobody has seen; the queue must
    be locked."""
    unseen = queue.tasks.filter(state=Task.State.TODO, token=0, suggestion__isnull=False)
    changed = []
    for task in unseen.only("pk", "sample_id", "suggestion", "blind", "cluster").iterator(chunk_size=STEP):
        before = task.blind
        task.blind, task.cluster = blind_and_cluster(queue, task.sample_id, task.suggestion)
        if task.blind != before:
            changed.append(task)
    Task.objects.bulk_update(changed, ["blind", "cluster"], batch_size=STEP)
