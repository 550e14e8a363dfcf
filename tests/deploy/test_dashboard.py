"""Every query of the dashboard asks for what a real scrape has; Prometheus is told the right address."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.urls import resolve
from rest_framework.test import APIClient
from tests.datasets.conftest import blob_of, dataset  # noqa: F401 - fixtures
from tests.datasets.labeling.conftest import make_queue, pool  # noqa: F401 - as above
from tests.platform.config.conftest import begun_job, everything_counted, mined, model, read, scrape, waiting_job  # noqa: F401 - as above

from config.metrics import Metrics

ROOT = Path(__file__).resolve().parents[2]
OURS = re.compile(r"\bmotherlode_\w+")
ONLY_ON_POSTGRES = {"motherlode_database_sessions", "motherlode_database_longest_seconds"}
LABELS = re.compile(r"\bby \(([^)]*)\)|(\w+)=~?\"")


def queries() -> list[str]:
    """The PromQL of all panels."""
    document: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
    return [target["expr"] for panel in document["panels"] for target in panel.get("targets", ())]


def labels_of(query: str) -> set[str]:
    """Those that it groups or filters by."""
    return {name.strip() for both in LABELS.findall(query) for name in ",".join(both).split(",") if name.strip()}


@pytest.mark.both
@pytest.mark.django_db
def test_each_name_and_label_of_the_dashboard_is_in_a_real_scrape(
    api: APIClient, scrape: Any, everything_counted: None, mined: None, begun_job: Any, make_queue: Any  # noqa: F811 - fixtures
) -> None:  # fmt: skip
    api.get("/jobs")
    figures = scrape()
    assert len(queries()) > 20
    for query in queries():
        names = set(OURS.findall(query))
        assert names, query
        for name in names:
            if name in ONLY_ON_POSTGRES and name not in figures:
                continue
            assert figures.get(name), f"{name} of {query} is not in a scrape"
            known = {label for labels in figures[name] for label, _ in labels}
            assert labels_of(query) <= known, f"{query} asks {name} for labels that it does not have"
        assert query.count("(") == query.count(")")


@pytest.mark.both
@pytest.mark.django_db
def test_every_figure_is_in_the_dashboard_and_in_the_documentation(
    api: APIClient,
    everything_counted: None,  # noqa: F811 - a fixture
) -> None:
    told = re.findall(r"^# TYPE (\w+)", api.get("/metrics").content.decode(), re.MULTILINE)
    page = (ROOT / "docs" / "howto" / "observing.md").read_text()
    assert {name for name in told if f"`{name}`" not in page} == set()
    asked = {name for query in queries() for name in OURS.findall(query)}
    assert {name for name in told if not any(one.startswith(name) for one in asked)} == set()


def test_prometheus_asks_at_the_address_that_answers() -> None:
    (job,) = yaml.safe_load((ROOT / "deploy" / "prometheus.yaml").read_text())["scrape_configs"]
    view: Any = resolve(job.get("metrics_path", "/metrics")).func
    assert view.cls is Metrics
    assert (job["scheme"], job["authorization"]["type"]) == ("https", "Bearer")
