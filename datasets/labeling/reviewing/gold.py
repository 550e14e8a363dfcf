"""Gold: samples with a known label, mixed into a queue's tasks to measure how accurate people are."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from catalog.changes.sets import Rejection
from catalog.models import Revision
from core.errors import Conflict, Invalid
from core.list_parameters import listed
from labeling.models import Gold, Queue, Task
from labeling.services import settle_queue

STEP = 500


@dataclass(slots=True)
class Mixed:
    """The outcome of adding gold: samples added and rejected, and how many gold tasks and tasks in total the queue has
    now."""

    added: int = 0
    gold: int = 0
    tasks: int = 0
    rejected: list[Rejection] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """Return the outcome as the API shows it."""
        counts = {"added": self.added, "gold": self.gold, "tasks": self.tasks}
        return counts | {"rejected": [item.document() for item in self.rejected]}


@transaction.atomic
def mix_in(queue: Queue, keys: Sequence[str], *, author: User) -> Mixed:
    """Mix labelled samples of the head into the tasks nobody has started, at random places, up to the gold share.

    An annotator can't tell gold from other tasks: it is leased, answered and counted alike, and shows no suggestion, as
    blind tasks do. Its known label never leaves the server and is not committed again. Raises Invalid (samples,
    gold_share) or Conflict (`queue_ended`).
    """
    queue = Queue.objects.select_for_update(no_key=True, of=("self",)).select_related("dataset__head").get(pk=queue.pk)
    waiting = list(queue.tasks.filter(state=Task.State.TODO, token=0).order_by("position").values_list("pk", flat=True))
    if queue.state != Queue.State.OPEN or not waiting:
        raise Conflict("Every task of this queue has been begun: put gold into a new one.", code="queue_ended")
    room = _room(queue, len(waiting))
    known, mixed = _known(queue, keys)
    chosen = known[:room]
    mixed.rejected += [Rejection(row.sample.key, "share_reached", _full(queue)) for row in known[room:]]
    tasks = [Task(queue=queue, sample_id=row.sample_id) for row in chosen]
    _place(queue, waiting, tasks)
    rows = [
        Gold(queue=queue, task=task, value=row.label.value, added_by=author)
        for task, row in zip(tasks, chosen, strict=True)
        if row.label is not None
    ]
    Gold.objects.bulk_create(rows, batch_size=STEP)
    settle_queue(queue)
    mixed.added, mixed.gold, mixed.tasks = len(rows), queue.gold.count(), queue.tasks.count()
    return mixed


def _room(queue: Queue, waiting: int) -> int:
    """Return how many more gold tasks the queue's share of waiting tasks allows, rounded up. Raises Invalid
    (`gold_share`)."""
    if not queue.gold_share:
        raise Invalid.field("gold_share", "is 0 in this queue: set the share of gold tasks first, such as 0.05")
    there = Gold.objects.filter(task__queue=queue, task__state=Task.State.TODO, task__token=0).count()
    share = queue.gold_share
    return max(0, ceil((waiting - there) * share / (1 - share)) - there)


def _known(queue: Queue, keys: Sequence[str]) -> tuple[list[Revision], Mixed]:
    """Return the samples that can be gold, and the others as rejections with their reasons."""
    head, mixed = queue.dataset.head, Mixed()
    rows = head.revisions.filter(sample__key__in=listed(keys)) if head else Revision.objects.none()
    found = {row.sample.key: row for row in rows.select_related("sample", "label")}
    ids = [row.sample_id for row in found.values()]
    asked = set(queue.tasks.filter(sample__in=listed(ids)).values_list("sample", flat=True))
    good = []
    for key in dict.fromkeys(keys):
        row = found.get(key)
        if row is None:
            mixed.rejected.append(Rejection(key, "sample_unknown", "no such sample in the dataset's head"))
        elif row.label is None:
            mixed.rejected.append(Rejection(key, "sample_unlabelled", "gold needs a known label: label it first"))
        elif row.sample_id in asked:
            mixed.rejected.append(Rejection(key, "sample_queued", "the queue asks for this sample already"))
        else:
            good.append(row)
    return good, mixed


def _place(queue: Queue, waiting: Sequence[int], tasks: Sequence[Task]) -> None:
    """Insert the tasks at random places among the waiting ones, whose order stays. All get new positions after the last
    one: a gap in the positions would reveal where gold was inserted."""
    start = (queue.tasks.aggregate(last=Max("position"))["last"] or 0) + 1
    places = set(random.sample(range(len(waiting) + len(tasks)), len(tasks)))
    new, old = iter(tasks), iter(waiting)
    moved = []
    for place in range(len(waiting) + len(tasks)):
        if place in places:
            next(new).position = start + place
        else:
            moved.append(Task(pk=next(old), position=start + place))
    Task.objects.bulk_update(moved, ["position"], batch_size=STEP)
    Task.objects.bulk_create(tasks, batch_size=STEP)


def _full(queue: Queue) -> str:
    return f"the queue's gold share of {queue.gold_share:.0%} is reached: raise it, or leave this sample out"
