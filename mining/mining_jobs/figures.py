"""Prometheus metrics of mining."""

from collections.abc import Iterator

from django.db.models import BigIntegerField, Count, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from prometheus_client.core import GaugeMetricFamily

from mining_jobs.models import MiningJob


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield the numbers of mining jobs and of picks by strategy; each mining job stores how many samples it picked."""
    jobs = GaugeMetricFamily("motherlode_mining_jobs", "Mining jobs by strategy.", labels=["strategy"])
    picks = GaugeMetricFamily("motherlode_mining_picks", "Samples picked, by strategy.", labels=["strategy"])
    picked = Coalesce(Sum(Cast(KT("stats__picked"), BigIntegerField())), 0)
    rows = MiningJob.objects.order_by("strategy").values_list("strategy")
    for strategy, count, total in rows.annotate(count=Count("pk"), picked=picked):
        jobs.add_metric([strategy], count)
        picks.add_metric([strategy], total)
    yield jobs
    yield picks
