"""Which rounds of pipelines asked for a label of a sample."""

from collections.abc import Iterator

from catalog.erasure import containment
from catalog.erasure.containment import PROJECT, Contained, Row
from labeling.models import Task
from pipelines.models import Round


def rounds_of(found: Contained) -> Iterator[Row]:
    """Yield the rounds whose queue has a task for one of the samples."""
    queues = Task.objects.filter(sample__in=found.samples).values("queue")
    for row in Round.objects.filter(queue__in=queues).order_by("pk").select_related("pipeline__dataset", "queue"):
        assert row.queue is not None  # noqa: S101 - it was asked for
        yield {
            "pipeline": row.pipeline.name, "round": row.number, "queue": row.queue.name,
            PROJECT: row.pipeline.dataset.project_id,
        }  # fmt: skip


containment.register("rounds", rounds_of)
