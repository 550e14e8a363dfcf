"""Reopening skipped tasks."""

from collections.abc import Sequence

from django.db import transaction

from core.errors import Conflict, Invalid
from labeling.models import Answer, Queue, Task
from labeling.services import lock_queue, lock_tasks, settle_queue


@transaction.atomic
def requeue(queue: Queue, *, tasks: Sequence[int] | None, skipped: bool) -> tuple[int, dict[str, int]]:
    """Reopen skipped tasks: those named, or all of them. Their skips are withdrawn, labels stay.

    Tasks that already wait stay as they are. Returns how many were reopened, and the queue's counts. Raises Invalid
    (tasks), or Conflict (`queue_committed`).
    """
    if (tasks is None) != skipped:
        raise Invalid.field("tasks", "send either `tasks` or `skipped`: true")
    locked = lock_queue(queue.pk)
    if locked.queue.state == Queue.State.COMMITTED:
        raise Conflict("The queue has been committed: make a new one of these samples.", code="queue_committed")
    rows = queue.tasks.filter(state=Task.State.SKIPPED)
    if tasks is not None:
        _check(queue, tasks)
        rows = rows.filter(pk__in=tasks)
    back = [task.pk for task, _ in lock_tasks(list(rows.values_list("pk", flat=True)))]
    Answer.objects.verdicts().filter(task__in=back, value__isnull=True).update(withdrawn=True)
    Task.objects.filter(pk__in=back).update(state=Task.State.TODO)
    return len(back), settle_queue(locked.queue)


def _check(queue: Queue, tasks: Sequence[int]) -> None:
    known = dict(queue.tasks.filter(pk__in=tasks).values_list("pk", "state"))
    if missing := sorted(set(tasks) - set(known)):
        raise Invalid.field("tasks", f"not in queue {queue.name}: {', '.join(map(str, missing[:5]))}")
    if done := sorted(pk for pk, state in known.items() if state == Task.State.DONE):
        raise Invalid.field("tasks", f"done, not skipped: {', '.join(map(str, done[:5]))}")
