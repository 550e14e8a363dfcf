"""`GET /metrics`: what Prometheus reads, and who may."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from django.test import Client
from rest_framework.test import APIClient
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.datasets.labeling.conftest import MakeQueue, leased, run_out, say
from tests.platform.config.conftest import SECRET, Scrape, labelled, read
from tests.web import Web
from tests.workers import environment, wait_until

from accounts.models import Token, User
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from config import health
from jobs.models import Job
from mining_jobs.models import MiningJob
from registry.models import Model

pytestmark = pytest.mark.django_db


def test_the_text_is_prometheus_own_and_open_to_owners_and_the_scraper(
    client: Client, api: APIClient, scrape: Scrape
) -> None:
    scrape()
    answer = api.get("/metrics", headers={"Accept": "text/plain"})
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert set(read(answer.content.decode())) == set(scrape())


@pytest.mark.parametrize(
    "told", ["", "Bearer", "Bearer ", "Bearer wrong", f"Basic {SECRET}", SECRET, f"Bearer {SECRET}x"]
)
def test_a_stranger_reads_nothing(client: Client, scrape: Scrape, told: str) -> None:
    answer = client.get("/metrics", headers={"Authorization": told} if told else {})
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/problem+json")
    assert "Bearer" in answer["WWW-Authenticate"]


@pytest.mark.parametrize("told", ["Bearer", "Bearer ", f"Bearer {SECRET}"])
def test_without_a_token_in_the_settings_no_scraper_reads(client: Client, settings, told: str) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": told}).status_code == 401


def test_the_scrapers_token_opens_nothing_else(client: Client, scrape: Scrape) -> None:
    assert client.get("/jobs", headers={"Authorization": f"Bearer {SECRET}"}).status_code == 401


def test_reviewers_and_annotators_do_not_read(ritas_api: APIClient, bobs_api: APIClient) -> None:
    for one in (ritas_api, bobs_api):
        answer = one.get("/metrics")
        assert (answer.status_code, answer.json()["code"]) == (403, "owners_only")


@pytest.mark.both
def test_jobs_by_kind_and_state_with_their_leases(scrape: Scrape, waiting_job: Job, begun_job: Job) -> None:
    figures = scrape()
    jobs = figures["motherlode_jobs"]
    assert jobs[labelled(kind="practice", queue="practice", state="queued")] == 1
    assert jobs[labelled(kind="practice", queue="practice", state="running")] == 1
    oldest = figures["motherlode_jobs_oldest_waiting_seconds"]
    assert 59 < oldest[labelled(queue="practice")] < 120
    assert oldest[labelled(queue="compute")] == 0
    shards = {lease: figures["motherlode_shards"][labelled(queue="practice", lease=lease)] for lease in
              ("held", "expired", "none")}  # fmt: skip
    assert shards == {"held": 1, "expired": 1, "none": 3}
    Job.objects.update(state=Job.State.SUCCEEDED)
    figures = scrape()
    assert figures["motherlode_jobs"] == {labelled(kind="practice", queue="practice", state="succeeded"): 2}
    assert set(figures["motherlode_shards"].values()) == {0}


@pytest.mark.both
def test_queues_their_tasks_leases_and_todays_labels(
    scrape: Scrape, make_queue: MakeQueue, bobs_api: APIClient
) -> None:
    queue = make_queue()
    answered, skipped, lost, _ = leased(bobs_api, queue, 4)
    assert say(bobs_api, answered).status_code == 200
    body = {"reason": "unclear", "lease_token": skipped["lease_token"]}
    assert bobs_api.post(f"/labeling/tasks/{skipped['id']}/skip", body, format="json").status_code == 200
    run_out(lost["id"])
    figures = scrape()
    tasks = {state: figures["motherlode_labeling_tasks"][labelled(queue_state="open", state=state)] for state in
             ("open", "done", "skipped")}  # fmt: skip
    assert tasks == {"open": 3, "done": 1, "skipped": 1}
    assert figures["motherlode_labeling_queues"][labelled(queue_state="open")] == 1
    assert figures["motherlode_labeling_queues"][labelled(queue_state="committed")] == 0
    leases = {labelled(lease="held"): 1, labelled(lease="expired"): 1}
    assert figures["motherlode_labeling_leases"] == leases
    assert figures["motherlode_labeling_labels_today"] == {labelled(): 1}


def test_the_version_in_production_with_its_headline(scrape: Scrape, model: Model) -> None:
    figures = scrape()
    assert figures["motherlode_model_version"] == {labelled(model="pets-cnn"): 2}
    assert figures["motherlode_model_headline"] == {labelled(model="pets-cnn", metric="accuracy"): 0.9}
    model.versions.update(metrics={"accuracy": None})
    assert scrape()["motherlode_model_headline"] == {}


@pytest.mark.both
def test_picks_by_strategy(scrape: Scrape, mined: None) -> None:
    figures = scrape()
    assert figures["motherlode_mining_picks"] == {labelled(strategy="badge"): 0, labelled(strategy="margin"): 23}
    assert figures["motherlode_mining_jobs"] == {labelled(strategy="badge"): 1, labelled(strategy="margin"): 2}


def test_a_scrape_asks_as_little_of_a_large_platform_as_of_a_small_one(
    scrape: Scrape, mined: None, waiting_job: Job, django_assert_num_queries
) -> None:
    with django_assert_num_queries(8):
        scrape()
    for number in range(5):
        waiting_job.pk = None
        waiting_job.title = f"job {number}"
        waiting_job.save()
        mining = MiningJob.objects.first()
        assert mining is not None
        mining.pk, mining.job = None, Job.objects.latest("pk")
        mining.save()
    with django_assert_num_queries(8):
        scrape()


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_workers_and_messages_in_the_broker(scrape: Scrape, worker: StartWorker) -> None:
    assert scrape()["motherlode_workers"] == {labelled(): 0}
    worker().wait_ready()
    wait_until(lambda: scrape()["motherlode_workers"] == {labelled(): 1})
    assert labelled(queue="practice") in scrape()["motherlode_broker_messages"]


def test_a_service_that_is_away_is_0_and_takes_its_own_figures_alone(
    scrape: Scrape, object_store: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    up = scrape()["motherlode_service_up"]
    assert up == {labelled(service=name): 1 for name in ("database", "object_store", "broker")}
    absent = BlobStore(replace(object_store.config, endpoint="127.0.0.1:9", attempts=1))
    monkeypatch.setattr("config.health.store", lambda: absent)
    for name in ("database", "broker"):
        monkeypatch.setitem(health.PROBES, name, health.Probe(lambda: 1 // 0))
    figures = scrape()
    assert set(figures["motherlode_service_up"].values()) == {0}
    assert "motherlode_jobs" not in figures
    assert "motherlode_broker_messages" not in figures
    assert figures["motherlode_disk_free_bytes"][labelled()] > 0


@pytest.fixture
def two_webs(web: Web, s3_server: StoreConfig, broker: Broker, tmp_path: Path) -> Iterator[tuple[Web, Web]]:
    """The tests' own, and one more process of the same platform."""
    other = Web(environment() | s3_server.to_env(), tmp_path / "other.log")
    yield web, other
    other.kill()


@pytest.mark.django_db(transaction=True)
def test_counts_rise_by_real_requests_whichever_process_answers_and_tells(
    two_webs: tuple[Web, Web], alice: User
) -> None:
    """A process that was killed takes nothing with it, once it had a second."""
    headers = {"Authorization": f"Bearer {Token.objects.issue(alice, 'test')[1]}"}
    key = labelled(route="/jobs/{pk}", method="GET", status="4xx")

    def told_by(web: Web) -> float:
        text = httpx.get(f"{web.url}/metrics", headers=headers, timeout=30).text
        assert "987654" not in text
        return read(text).get("motherlode_request_seconds_count", {}).get(key, 0)

    before = told_by(two_webs[0])
    for web in (*two_webs, *two_webs):
        assert httpx.get(f"{web.url}/jobs/987654", headers=headers).status_code == 404
    wait_until(lambda: [told_by(web) for web in two_webs] == [before + 4, before + 4])
    two_webs[1].kill()
    assert told_by(two_webs[0]) == before + 4
    two_webs[1].start()
    assert httpx.get(f"{two_webs[1].url}/jobs/987654", headers=headers).status_code == 404
    wait_until(lambda: told_by(two_webs[0]) == before + 5)


def test_a_method_that_nobody_knows_and_an_address_that_is_nowhere_make_no_labels(
    client: Client, scrape: Scrape
) -> None:
    client.generic("BREW", "/nowhere/at-all")
    assert labelled(route="none", method="other", status="4xx") in scrape()["motherlode_request_seconds_count"]
