"""Labelling metrics for Prometheus, read with three aggregate queries: queues keep their own counts."""

from collections.abc import Iterator
from datetime import UTC, datetime, time

from django.db.models import Count, Q, Sum
from django.db.models.functions import Now
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from accounts.models import User
from labeling.models import Answer, Queue, Task


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield the metrics of all queues together: queues and tasks by state, leases, and today's labels."""
    yield from _queues()
    yield _leases()
    yield GaugeMetricFamily(
        "motherlode_labeling_labels_today", "Labels that people gave since midnight UTC.", value=_labels_today()
    )


def _queues() -> Iterator[GaugeMetricFamily]:
    queues = GaugeMetricFamily("motherlode_labeling_queues", "Queues by state.", labels=["queue_state"])
    tasks = GaugeMetricFamily(
        "motherlode_labeling_tasks", "Tasks by the state of their queue and their own.", labels=["queue_state", "state"]
    )
    by_state = Queue.objects.order_by().values_list("state")
    rows = by_state.annotate(count=Count("pk"), total=Sum("total"), done=Sum("done"), skipped=Sum("skipped"))
    found = {state: (count, total, done, skipped) for state, count, total, done, skipped in rows}
    for name in Queue.State.values:
        count, total, done, skipped = found.get(name, (0, 0, 0, 0))
        queues.add_metric([name], count)
        for state, number in (("open", total - done - skipped), ("done", done), ("skipped", skipped)):
            tasks.add_metric([name, state], number)
    yield queues
    yield tasks


def _leases() -> GaugeMetricFamily:
    """Count live and expired leases. Cheap, because their index holds only leased tasks."""
    words = "Tasks that somebody has before them (held), or had and left (expired)."
    family = GaugeMetricFamily("motherlode_labeling_leases", words, labels=["lease"])
    held, expired = Q(lease_until__gt=Now()), Q(lease_until__lte=Now())
    leased = Task.objects.filter(lease_until__isnull=False)
    counts = leased.aggregate(held=Count("pk", filter=held), expired=Count("pk", filter=expired))
    for lease, count in counts.items():
        family.add_metric([lease], count)
    return family


def _labels_today() -> int:
    """Count today's labels. Filters by all users, because the index of answers begins with the author."""
    midnight = datetime.combine(timezone.now().astimezone(UTC).date(), time(), UTC)
    today = Answer.objects.verdicts().filter(author__in=User.objects.values("pk"), created__gte=midnight)
    return today.filter(value__isnull=False).count()
