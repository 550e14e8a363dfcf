"""Prometheus metrics of the models in production."""

from collections.abc import Iterator

from django.db.models.fields.json import KeyTransform
from prometheus_client.core import GaugeMetricFamily

from registry.models import Alias
from tasktypes import names, task_type

PRODUCTION = "production"
MOST = 200
"""The most models reported, the newest first: each adds lines to every scrape."""


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield the headline metric on the test split and the version number of each model in production."""
    headline = GaugeMetricFamily(
        "motherlode_model_headline", "The headline of the version in production.", labels=["model", "metric"]
    )
    number = GaugeMetricFamily("motherlode_model_version", "Number of the version in production.", labels=["model"])
    judged = {name: task_type(name).metrics.headline for name in names() if "training" not in task_type(name).lacks}
    metrics = sorted(set(judged.values()))
    rows = Alias.objects.filter(name=PRODUCTION, model__deleted=None).order_by("-model")
    rows = rows.annotate(**{f"figure_{metric}": KeyTransform(metric, "version__metrics") for metric in metrics})
    wanted = ("model__name", "model__task", "version__number", *(f"figure_{metric}" for metric in metrics))
    for name, task, version, *figures in rows.values_list(*wanted)[:MOST]:
        number.add_metric([name], version)
        value = dict(zip(metrics, figures, strict=True)).get(judged.get(task, ""))
        if value is not None:
            headline.add_metric([name, judged[task]], float(value))
    yield headline
    yield number
