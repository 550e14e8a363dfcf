"""Prometheus metrics of collecting."""

from collections.abc import Iterator

from django.db.models import Max
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from garbage_collection.services import KIND
from jobs.models import Job


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield the age of the last collection that ended well, if there was one."""
    words = "Age of the last collection of unused bytes, where there was one."
    family = GaugeMetricFamily("motherlode_collection_age_seconds", words)
    done = Job.objects.filter(kind=KIND, state=Job.State.SUCCEEDED, params__dry_run=False)
    if (last := done.aggregate(last=Max("finished"))["last"]) is not None:
        family.add_metric([], max(0.0, (timezone.now() - last).total_seconds()))
    yield family
