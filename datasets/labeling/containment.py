"""Which queues ask, or asked, for a label of a sample."""

from collections.abc import Iterator

from catalog.erasure import containment
from catalog.erasure.containment import PROJECT, Contained, Row
from labeling.models import Task


def queues_of(found: Contained) -> Iterator[Row]:
    """Yield the queues with a task for one of the samples, and the state of that task."""
    rows = Task.objects.filter(sample__in=found.samples).order_by("queue", "pk")
    for task in rows.select_related("queue__dataset"):
        yield {
            "queue": task.queue.name, "state": task.state, "dataset": task.queue.dataset.name,
            PROJECT: task.queue.dataset.project_id,
        }  # fmt: skip


containment.register("queues", queues_of)
