"""Gold: samples with a known label, mixed into a queue's tasks to measure how accurate people are."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from accounts.models import User
from catalog.changes.sets import Rejection
from catalog.models import Revision
from core.errors import Conflict, Invalid
from core.list_parameters import listed
from labeling.copies import blobs_of
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

    An annotator can't tell gold from other tasks: it is leased, answered and counted alike, its ids and its place say
    nothing, and it shows no suggestion, as blind tasks do. Its known label never leaves the server and is not committed
    again. Raises Invalid (samples, gold_share) or Conflict (`queue_ended`).
    """
    queue = Queue.objects.select_for_update(no_key=True, of=("self",)).select_related("dataset__head").get(pk=queue.pk)
    waiting = list(queue.tasks.filter(state=Task.State.TODO, token=0).order_by("position"))
    if queue.state != Queue.State.OPEN or not waiting:
        raise Conflict("Every task of this queue has been begun: put gold into a new one.", code="queue_ended")
    room = _room(queue, len(waiting))
    known, mixed = _known(queue, keys)
    chosen = known[:room]
    mixed.rejected += [Rejection(row.sample.key, "share_reached", _full(queue)) for row in known[room:]]
    rows = [
        Gold(queue=queue, task=Task(queue=queue, sample_id=row.sample_id), value=row.label.value, added_by=author)
        for row in chosen
        if row.label is not None
    ]
    _place(queue, waiting, rows)
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
    everything = list(queue.tasks.values_list("sample", flat=True))
    held = set(blobs_of(head, everything).values()) if head else set()
    good = []
    for key in dict.fromkeys(keys):
        row = found.get(key)
        if row is None:
            mixed.rejected.append(Rejection(key, "sample_unknown", "no such sample in the dataset's head"))
        elif row.label is None:
            mixed.rejected.append(Rejection(key, "sample_unlabelled", "gold needs a known label: label it first"))
        elif row.sample_id in asked:
            mixed.rejected.append(Rejection(key, "sample_queued", "the queue asks for this sample already"))
        elif row.blob_id in held:
            mixed.rejected.append(
                Rejection(key, "sample_queued", "the queue asks for a sample with these bytes already")
            )
        else:
            held.add(row.blob_id)
            good.append(row)
    return good, mixed


def _place(queue: Queue, waiting: Sequence[Task], gold: Sequence[Gold]) -> None:
    """Insert the tasks of `gold` at random places among the waiting ones, whose order stays.

    All get new positions after the last one, and new ids in the order of their positions: a gap, or the highest ids,
    would reveal which are gold. Waiting tasks that somebody has commented on or flagged keep their ids.
    """
    start = (queue.tasks.aggregate(last=Max("position"))["last"] or 0) + 1
    marked = set(queue.tasks.filter(Q(comments__isnull=False) | Q(flags__isnull=False)).values_list("pk", flat=True))
    anew = [task for task in waiting if task.pk not in marked]
    known = {row.task_id: row for row in Gold.objects.filter(queue=queue, task__in=[task.pk for task in anew])}
    moved = {task.pk: task for task in anew}
    for pk, row in known.items():
        row.task = moved[pk]
    order = _mixed_in(waiting, [row.task for row in gold])
    for at, task in enumerate(order):
        task.position = start + at
    Task.objects.bulk_update([task for task in waiting if task.pk in marked], ["position"], batch_size=STEP)
    for at in range(0, len(anew), STEP):
        Task.objects.filter(pk__in=[task.pk for task in anew[at : at + STEP]]).delete()
    for task in anew:
        task.pk = None
    Task.objects.bulk_create([task for task in order if task.pk is None], batch_size=STEP)
    rows = [*known.values(), *gold]
    added = [row.created for row in known.values()]
    for row in rows:
        row.pk, row.task = None, row.task  # Django reads the id of the task when it is set
    Gold.objects.bulk_create(rows, batch_size=STEP)
    for row, created in zip(known.values(), added, strict=True):
        row.created = created
    Gold.objects.bulk_update(list(known.values()), ["created"], batch_size=STEP)


def _mixed_in(waiting: Sequence[Task], gold: Sequence[Task]) -> list[Task]:
    places = set(random.sample(range(len(waiting) + len(gold)), len(gold)))
    new, old = iter(gold), iter(waiting)
    return [next(new) if place in places else next(old) for place in range(len(waiting) + len(gold))]


def _full(queue: Queue) -> str:
    return f"the queue's gold share of {queue.gold_share:.0%} is reached: raise it, or leave this sample out"
