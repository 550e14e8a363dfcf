"""What annotators are not told: the suggestions of a share of the tasks, picked by a keyed hash that nobody outside can
work out, and where a queue has gold the folders of its samples."""

from collections.abc import Mapping
from typing import Any

from django.utils.crypto import salted_hmac

from labeling.models import Queue, Task

SALT = "labeling.blind"
WORD = 8  # bytes of the hash that are looked at
STEP = 2000
MOST_CLUSTER = 200  # characters


def blind_and_cluster(queue: Queue, sample_id: int, suggestion: Mapping[str, Any] | None) -> tuple[bool, str]:
    """What a task shows of its suggestion, by the queue's share; a task without a suggestion hides nothing."""
    blind = suggestion is not None and is_blind(queue.pk, sample_id, queue.blind_share)
    return blind, "" if blind else cluster_of(queue, suggestion)


def is_blind(queue_id: int, sample_id: int, share: float) -> bool:
    """The same for the same task; with a greater share, all that were blind before still are."""
    digest = salted_hmac(SALT, f"{queue_id}:{sample_id}", algorithm="sha256").digest()
    return bool(int.from_bytes(digest[:WORD]) < share * 2 ** (8 * WORD))


def cluster_of(queue: Queue, suggestion: Mapping[str, Any] | None) -> str:
    """The class on whose page of a grid a suggestion belongs, or nothing."""
    return queue.dataset.task_type.labels.cluster(suggestion)[:MOST_CLUSTER] if suggestion else ""


def blinded_key(key: str, queue: Queue) -> str:
    """A sample's key as annotators see it: in a queue with gold without its folders, which often are the class."""
    return key.rpartition("/")[2] if queue.gold_share else key


def hide_anew(queue: Queue) -> None:
    """After a change of the share: only tasks nobody has seen yet change. The queue is locked."""
    unseen = queue.tasks.filter(state=Task.State.TODO, token=0, suggestion__isnull=False)
    changed = []
    for task in unseen.only("pk", "sample_id", "suggestion", "blind", "cluster").iterator(chunk_size=STEP):
        before = task.blind
        task.blind, task.cluster = blind_and_cluster(queue, task.sample_id, task.suggestion)
        if task.blind != before:
            changed.append(task)
    Task.objects.bulk_update(changed, ["blind", "cluster"], batch_size=STEP)
