"""A platform that has some of everything that `/metrics` tells of."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from tests.datasets.conftest import blob_of, dataset  # noqa: F401 - fixtures
from tests.datasets.labeling.conftest import make_queue, pool  # noqa: F401 - as above

from accounts.models import User
from catalog.models import Dataset
from core import host_metrics, scheduled
from garbage_collection.services import start_collection
from jobs.models import Job, Shard
from jobs.services import ShardSpec, claim, create_job
from mining_jobs.models import MiningJob
from registry.models import Alias, Model, ModelVersion
from registry.services import create_model

SECRET = "a-scraper's-own-token-of-32-and-more"
Samples = dict[str, dict[frozenset[tuple[str, str]], float]]
"""By name, then by labels."""
Scrape = Callable[[], Samples]


@pytest.fixture
def scrape(client: Client, settings) -> Scrape:
    """What a scraper reads."""
    settings.METRICS_TOKEN = SECRET

    def ask() -> Samples:
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {SECRET}"})
        assert answer.status_code == 200, answer.content
        return read(answer.content.decode())

    return ask


def read(text: str) -> Samples:
    """The samples of a scrape; a family without any is there too."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        found.setdefault(family.name, {})
        for sample in family.samples:
            found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
    return found


def labelled(**labels: str) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


@pytest.fixture
def waiting_job(alice: User) -> Job:
    """Of two shards, made a minute ago; no worker has begun it."""
    job = create_job("practice", "waits", shards=[ShardSpec(), ShardSpec()], created_by=alice)
    Job.objects.filter(pk=job.pk).update(created=Now() - timedelta(seconds=60))
    return job


@pytest.fixture
def begun_job(alice: User) -> Job:
    """Of three shards: one is held, one was held by a worker that is gone, one waits."""
    job = create_job("practice", "runs", shards=[ShardSpec()] * 3, created_by=alice)
    held, lost = claim(job.pk, worker="here:1"), claim(job.pk, worker="gone:1")
    assert held is not None
    assert lost is not None
    # The tests' lease is short: a busy machine outlasts it before the figures are read.
    Shard.objects.filter(pk=held.shard.pk).update(lease_until=Now() + timedelta(minutes=10))
    Shard.objects.filter(pk=lost.shard.pk).update(lease_until=Now() - timedelta(seconds=1))
    return job


@pytest.fixture
def model(alice: User) -> Model:
    """Its version 2 is in production."""
    made = create_model("pets-cnn", task="classification", classes=["cat", "dog"], description="", author=alice)
    for number, accuracy in ((1, 0.8), (2, 0.9)):
        facts = {"architecture": "small_cnn", "digest": f"{number:064x}", "metrics": {"accuracy": accuracy}}
        version = ModelVersion.objects.create(model=made, number=number, created_by=alice, **facts)
    Alias.objects.create(model=made, name="production", version=version)
    return made


@pytest.fixture
def mined(alice: User, pool: Dataset, model: Model) -> None:  # noqa: F811 - a fixture
    """Two jobs of one strategy, one of another that has not picked yet."""
    for strategy, stats in (("margin", {"picked": 20}), ("margin", {"picked": 3}), ("badge", {})):
        MiningJob.objects.create(
            dataset=pool,
            version=pool.versions.latest("number"),
            model_version=model.versions.latest("number"),
            strategy=strategy,
            count=20,
            stats=stats,
            job=create_job("mine", "mines", shards=[ShardSpec()]),
            created_by=alice,
        )


@pytest.fixture
def everything_counted() -> None:
    """Something of all that appears only once it has happened."""
    host_metrics.requests.observe("/jobs", "GET", "2xx", seconds=0.1)
    host_metrics.store_requests.observe("ok", seconds=0.1)
    host_metrics.attempts.add("train", "done")
    host_metrics.slow_statements.add("select")
    scheduled.announce({"jobs.sweep": 5.0})
    for name in (scheduled.BEAT, scheduled.BACKUP):
        scheduled.note(name)
    Job.objects.filter(pk=start_collection().pk).update(state=Job.State.SUCCEEDED, finished=Now())
