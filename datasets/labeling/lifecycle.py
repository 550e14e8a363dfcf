"""Queues in the lifecycle: find one by name, what depends on a queue, and which queues depend on a dataset."""

from typing import Any

from catalog.versions.names import check_own_name
from jobs.lifecycle.kinds import Fate, Part, register
from jobs.lifecycle.models import Named
from labeling.models import Answer, Comment, Flag, Gold, Queue, Review, Task
from labeling.services import find_queue


class Queues:
    """See `lifecycle.kinds.Kind`."""

    name = "queue"
    noun = "queue"
    route = "labeling/queues"
    model: type[Named] = Queue

    def find(self, reference: str) -> Named:
        return find_queue(reference)

    def check_name(self, name: str) -> None:
        check_own_name(name)

    def holds(self, row: Any) -> list[Named]:
        return [row.dataset]

    def renamed(self, row: Any, old: str) -> None:
        """Do nothing: tasks refer to the queue by its id."""

    def ended(self, row: Any) -> None:
        """Do nothing: nothing would start work on a deleted queue."""


register(
    "queue",
    Part("answers", Fate.GOES, lambda queue: Answer.objects.filter(task__queue=queue)),
    Part("reviews", Fate.GOES, lambda queue: Review.objects.filter(queue=queue)),
    Part("gold samples", Fate.GOES, lambda queue: Gold.objects.filter(queue=queue)),
    Part("flags", Fate.GOES, lambda queue: Flag.objects.filter(task__queue=queue)),
    Part("comments", Fate.GOES, lambda queue: Comment.objects.filter(task__queue=queue)),
    Part("tasks", Fate.GOES, lambda queue: Task.objects.filter(queue=queue)),
)
register("dataset", Part("queues", Fate.GOES, lambda dataset: Queue.everything.filter(dataset=dataset), nested="queue"))
