"""Prometheus metrics of jobs, shards and workers: three aggregate queries, and one request to the broker."""

from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count, Min, Q
from django.db.models.functions import Now
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from jobs.handlers import handler_for
from jobs.models import Beat, Job, Shard
from jobs.queue_depths import waiting
from jobs.turns import queue_names, queue_of


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield the metrics that come from the database."""
    queues = {kind: handler_for(kind).lane.queue for kind in settings.JOB_HANDLERS}
    yield from _jobs(queues)
    yield _shards()
    heard = Beat.objects.living().count()
    yield GaugeMetricFamily("motherlode_workers", "Workers that gave a sign of life lately.", value=heard)


def messages() -> Iterator[GaugeMetricFamily]:
    """Yield the number of messages in each queue that the broker reports on."""
    family = GaugeMetricFamily("motherlode_broker_messages", "Wake-ups that wait in the broker.", labels=["queue"])
    for queue, count in waiting(queue_names()).items():
        if count is not None:
            family.add_metric([queue], count)
    yield family


def _jobs(queues: dict[str, str]) -> Iterator[GaugeMetricFamily]:
    counted = GaugeMetricFamily("motherlode_jobs", "Jobs by kind and state.", labels=["kind", "queue", "state"])
    waited = GaugeMetricFamily(
        "motherlode_jobs_oldest_waiting_seconds",
        "Age of the oldest job that no worker has begun; 0 where none waits.",
        labels=["queue"],
    )
    now, oldest = timezone.now(), dict.fromkeys(sorted(queues.values()), 0.0)
    rows = Job.objects.order_by("kind", "state").values_list("kind", "state")
    for kind, state, count, created in rows.annotate(count=Count("pk"), oldest=Min("created")):
        queue = queues.get(kind, "")
        counted.add_metric([kind, queue, state], count)
        if state == Job.State.QUEUED:
            oldest[queue] = max(oldest.get(queue, 0.0), (now - created).total_seconds())
    for queue, seconds in oldest.items():
        waited.add_metric([queue], seconds)
    yield counted
    yield waited


def _shards() -> GaugeMetricFamily:
    """Count the shards of open jobs by queue, kind of job and lease, by the database's clock. Every kind is there, also
    without a shard: a series that comes and goes can't be watched."""
    words = "Shards of open jobs by queue, kind of job and lease."
    family = GaugeMetricFamily("motherlode_shards", words, labels=["queue", "kind", "lease"])
    running = Q(state=Shard.State.RUNNING)
    shards = Shard.objects.filter(state__in=Shard.OPEN, job__state__in=Job.OPEN).order_by()
    rows = (
        shards.annotate(on_gpus=Q(need_gpus__gt=0))
        .values_list("job__kind", "on_gpus")
        .annotate(
            held=Count("pk", filter=running & Q(lease_until__gte=Now())),
            expired=Count("pk", filter=running & Q(lease_until__lt=Now())),
            none=Count("pk", filter=Q(state=Shard.State.TODO)),
        )
    )
    counts = {(queue_of(kind, on_gpus=False), kind): (0, 0, 0) for kind in settings.JOB_HANDLERS}
    counts |= {(queue_of(kind, on_gpus=on_gpus), kind): tuple(leases) for kind, on_gpus, *leases in rows}
    for key, leases in sorted(counts.items()):
        for lease, number in zip(("held", "expired", "none"), leases, strict=True):
            family.add_metric([*key, lease], number)
    return family
