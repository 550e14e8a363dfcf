"""Receivers of signals that change queues: erased samples and lost rights."""

from collections.abc import Sequence
from typing import Any

from django.db.models.functions import Now
from django.dispatch import receiver

from accounts.models import User
from accounts.rights import GRANTED, Right, roles_of
from accounts.signals import rights_lost
from catalog.erasure.neighbours import naming, without_them
from catalog.signals import samples_erased
from labeling.models import Queue, Task
from labeling.services import settle_queue


@receiver(samples_erased)
def forget_samples(samples: Sequence[int], keys: Sequence[str], digests: Sequence[str], **_: Any) -> None:
    """Delete tasks about erased samples with their answers; a queue that has no other open task is complete. Also
    remove the samples from the neighbours of other tasks."""
    tasks = Task.objects.filter(sample__in=samples)
    queues = sorted(set(tasks.values_list("queue", flat=True)))
    tasks.delete()
    for queue in Queue.objects.filter(pk__in=queues).select_for_update(no_key=True).order_by("pk"):
        settle_queue(queue)
    for task in naming(Task.objects.all(), "why", digests):
        if task.why and "neighbours" in task.why:
            task.why["neighbours"] = without_them(task.why["neighbours"], keys, digests)
            task.save(update_fields=["why"])


@receiver(rights_lost)
def end_leases(person: User, **_: Any) -> None:
    """End the leases of tasks that a person may no longer label, which frees the tasks for others."""
    held = Task.objects.live().filter(holder=person)
    roles = roles_of(person)
    if not person.is_active:
        held.update(lease_until=Now())
    elif roles is not None:
        theirs = [project for project, role in roles.items() if role in GRANTED[Right.LABEL]]
        held.exclude(queue__dataset__project__in=theirs).update(lease_until=Now())
