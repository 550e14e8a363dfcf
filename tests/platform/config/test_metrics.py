"""`GET /metrics`: what Prometheus reads, and who may."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client
from rest_framework.test import APIClient
from tests.broker import Broker
from tests.conftest import StartWorker
from tests.datasets.labeling.conftest import MakeQueue, leased, run_out, say
from tests.platform.config.conftest import SECRET, Samples, Scrape, labelled, read
from tests.web import Web
from tests.workers import environment, wait_until

from accounts.models import Token, User
from blobs.errors import BlobMissing, StoreUnavailable
from blobs.settings import StoreConfig
from blobs.store import BlobStore
from catalog.models import Dataset
from config import health
from core import alive, scheduled
from core.models import ScheduledTask
from embedded.ports import free_ports
from garbage_collection.services import start_collection
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from jobs.tasks import sweep, wake
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
    shards = {lease: figures["motherlode_shards"][labelled(queue="practice", kind="practice", lease=lease)] for lease in
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
    with django_assert_num_queries(19):
        scrape()
    for number in range(5):
        waiting_job.pk = None
        waiting_job.title = f"job {number}"
        waiting_job.save()
        mining = MiningJob.objects.first()
        assert mining is not None
        mining.pk, mining.job = None, Job.objects.latest("pk")
        mining.save()
    with django_assert_num_queries(19):
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


SUMMED = re.compile(r"_(total|bucket|count|sum|created)$")


@pytest.mark.both
def test_what_is_true_of_the_platform_and_what_of_a_host_are_told_apart(client: Client, settings, mined: None) -> None:
    settings.METRICS_TOKEN = SECRET

    def names(query: str) -> set[str]:
        answer = client.get(f"/metrics{query}", headers={"Authorization": f"Bearer {SECRET}"})
        assert answer.status_code == 200, answer.content
        return {SUMMED.sub("", name) for name in read(answer.content.decode())}

    client.get("/jobs")
    platform, host = names("?scope=platform"), names("?scope=host")
    assert platform | host == names("")
    assert not platform & host
    assert "motherlode_jobs" in platform
    assert {"motherlode_request_seconds", "motherlode_disk_free_bytes", "motherlode_web_threads_busy"} <= host
    refused = client.get("/metrics?scope=pod", headers={"Authorization": f"Bearer {SECRET}"})
    assert (refused.status_code, "platform, host" in refused.json()["errors"]["scope"][0]) == (400, True)


@pytest.mark.both
def test_beat_and_each_scheduled_task_say_when_they_last_ran(scrape: Scrape) -> None:
    assert scrape()["motherlode_beat_age_seconds"] == {labelled(): float("inf")}
    scheduled.announce({"jobs.sweep": 5.0, "collector.collect": 86400.0})
    for name in (scheduled.BEAT, "jobs.sweep"):
        scheduled.note(name)
    ScheduledTask.objects.update(since=Now() - timedelta(hours=2))
    ScheduledTask.objects.filter(name="jobs.sweep").update(ended=Now() - timedelta(minutes=5))
    figures = scrape()
    assert figures["motherlode_beat_age_seconds"][labelled()] < 30
    ages = figures["motherlode_scheduled_task_age_seconds"]
    assert 299 < ages[labelled(task="jobs.sweep")] < 400
    assert 7199 < ages[labelled(task="collector.collect")] < 7300
    intervals = figures["motherlode_scheduled_task_interval_seconds"]
    assert intervals == {labelled(task="jobs.sweep"): 5, labelled(task="collector.collect"): 86400}
    scheduled.announce({"jobs.sweep": 5.0})
    assert set(scrape()["motherlode_scheduled_task_age_seconds"]) == {labelled(task="jobs.sweep")}


def test_the_age_of_the_last_backup_that_ended_well(scrape: Scrape) -> None:
    assert scrape()["motherlode_backup_age_seconds"] == {}
    scheduled.note(scheduled.BACKUP, well=False)
    assert scrape()["motherlode_backup_age_seconds"] == {}
    scheduled.note(scheduled.BACKUP)
    assert scrape()["motherlode_backup_age_seconds"][labelled()] < 30


@pytest.mark.both
def test_the_age_of_the_last_collection_that_ended_well(scrape: Scrape) -> None:
    assert scrape()["motherlode_collection_age_seconds"] == {}
    for dry_run, state, hours in ((False, "succeeded", 3), (False, "failed", 1), (True, "succeeded", 1)):
        job = start_collection(dry_run=dry_run)
        Job.objects.filter(pk=job.pk).update(state=state, finished=Now() - timedelta(hours=hours))
    assert 3 * 3600 - 1 < scrape()["motherlode_collection_age_seconds"][labelled()] < 3 * 3600 + 60


@pytest.mark.both
def test_how_far_publication_is_behind(scrape: Scrape, pool: Dataset) -> None:
    figures = scrape()
    assert figures["motherlode_publication_versions_behind"] == {labelled(): pool.versions.count()}
    pool.versions.update(created=Now() - timedelta(hours=1))
    assert 3599 < scrape()["motherlode_publication_lag_seconds"][labelled()] < 3660
    Dataset.objects.update(head=None)
    assert scrape()["motherlode_publication_lag_seconds"] == {labelled(): 0}


def test_calls_to_the_store_by_how_they_went(scrape: Scrape, object_store: BlobStore) -> None:
    def counted(outcome: str) -> float:
        return scrape().get("motherlode_store_request_seconds_count", {}).get(labelled(outcome=outcome), 0)

    before = {outcome: counted(outcome) for outcome in ("ok", "missing", "silent")}
    ref = object_store.put_bytes(b"counted")
    assert object_store.get(ref) == b"counted"
    object_store.remove_object(ref.key)
    plain = BlobStore(replace(object_store.config, attempts=1))
    absent = BlobStore(replace(object_store.config, endpoint="127.0.0.1:9", attempts=1))
    for store, fault in ((plain, BlobMissing), (absent, StoreUnavailable)):
        with pytest.raises(fault):
            store.get(ref)
    assert all(counted(outcome) > number for outcome, number in before.items())


def test_a_slow_statement_is_counted_and_logged_without_its_values(
    scrape: Scrape, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def counted() -> float:
        return scrape().get("motherlode_slow_statements_total", {}).get(labelled(verb="select"), 0)

    before = counted()
    with monkeypatch.context() as patch:
        patch.setattr("core.slow_statements.SLOW_SECONDS", 0.0)
        User.objects.filter(username="a secret value").exists()
    assert counted() == before + 1
    assert "accounts_user" in caplog.text
    assert "a secret value" not in caplog.text


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_a_session_that_waits_for_a_lock_is_seen(scrape: Scrape, alice: User) -> None:
    def wait() -> None:
        with transaction.atomic():
            User.objects.select_for_update().get(pk=alice.pk)
        connection.close()

    seen = labelled(state="waiting_for_lock")
    with transaction.atomic():
        User.objects.select_for_update().get(pk=alice.pk)
        waiting = threading.Thread(target=wait)
        waiting.start()
        wait_until(lambda: scrape()["motherlode_database_sessions"][seen] == 1)
        assert scrape()["motherlode_database_longest_seconds"][labelled(what="lock_wait")] > 0
    waiting.join()
    assert scrape()["motherlode_database_sessions"][seen] == 0


@pytest.mark.django_db(transaction=True)
def test_a_worker_counts_how_attempts_end_notes_its_tasks_and_tells_its_host(
    scrape: Scrape, worker: StartWorker, alice: User
) -> None:
    port = free_ports(1)[0]

    def counted(outcome: str, told: Samples) -> float:
        found = told.get("motherlode_shard_attempts_total", {})
        return found.get(labelled(kind="practice", outcome=outcome), 0)

    def both(told: Samples) -> tuple[float, float]:
        return counted("done", told), counted("failed", told)

    done, failed = both(scrape())
    started = worker(queues=("practice", "default"), env={"MOTHERLODE_WORKER_METRICS_PORT": str(port)})
    started.wait_ready()
    for params in ({}, {"do": "stumble", "until": 2}):
        wake(create_job("practice", "counts", shards=[ShardSpec(params)], created_by=alice))
    sweep.apply_async(queue=f"{settings.QUEUE_PREFIX}default")
    wait_until(lambda: ScheduledTask.objects.filter(name="jobs.sweep", ended__isnull=False).exists())

    def counted_all() -> bool:
        sweep()  # it wakes the one that failed, as beat would have it do
        return both(scrape()) == (done + 2, failed + 1)

    wait_until(counted_all)
    own = read(httpx.get(f"http://127.0.0.1:{port}/metrics").text)
    assert both(own) == (done + 2, failed + 1)
    assert "motherlode_jobs" not in own
    assert not alive.fault(started.log.stem, 60)
    assert "not begun" in alive.fault("another", 60)
