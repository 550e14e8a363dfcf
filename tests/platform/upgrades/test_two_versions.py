"""The last release and this code on the same tables: during an upgrade both run."""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from bench.upgrade.code import Code, HistoryError, present, released
from bench.upgrade.site import Process, Site
from bench.upgrade.work import CLASSES, CONFIG, DATASET, MODEL, archive, furnish
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from tests import settings as profile
from tests.platform.operations.places import Place, empty_place
from tests.workers import wait_until

from blobs.settings import StoreConfig
from core.version import VERSION
from embedded.ports import HOST, free_ports
from motherlode.client import Motherlode
from operations.upgrading.release import last_release, own_apps

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]
PICTURES = 4
FIRST = itertools.count(5000, PICTURES)
"""Of the pictures of each upload: a queue takes none that is labelled already."""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Code:
    try:
        return released(tmp_path_factory.mktemp("release"))
    except HistoryError as error:
        pytest.skip(str(error))


@pytest.fixture
def place(tmp_path: Path, s3_server: StoreConfig, broker: object) -> Iterator[Place]:
    with empty_place(tmp_path / "place", s3_server) as made:
        yield made


@pytest.fixture
def site(place: Place) -> Iterator[Site]:
    """Nothing runs on it yet; its queues are its own."""
    own = {name: value for name, value in place.env.items() if name.startswith("MOTHERLODE_")}
    made = Site(place.var, own | {"MOTHERLODE_QUEUE_PREFIX": f"two-{profile.RUN}-", "OMP_NUM_THREADS": "1"})
    yield made
    made.stop()


def at(site: Site, code: Code) -> Motherlode:
    """A client of a web server of this code."""
    port = free_ports(1)[0]
    site.web(code, host=HOST, port=port)
    return Motherlode(f"http://{HOST}:{port}", site.token)


def worked(client: Motherlode, prefix: str) -> None:
    """Upload, answer, edit, commit and train: all that people do."""
    numbers = range(first := next(FIRST), first + PICTURES)
    client.datasets.push(DATASET, archive(numbers, prefix=prefix), split="pool", allow_near_duplicates=True)
    keys = [f"{prefix}-{number:06}.png" for number in numbers]
    client.queues.create(prefix, DATASET, samples=keys)
    for task in client.queues.next(prefix, count=len(keys)).tasks:
        client.queues.answer(task, {"class": CLASSES[0]}, seconds=1.0, shown_suggestion=False)
    client.queues.commit(prefix)
    commit = client.edits.commit(DATASET, f'key = "{keys[0]}"', label={"class": CLASSES[1]})
    assert commit["updated"] == 1
    run = client.runs.create(MODEL, dataset=DATASET, architecture="small_cnn", config=CONFIG)
    client.jobs.wait(run["job"]["id"])
    labels = {one["key"]: one["label"] for one in client.datasets.samples(DATASET, search=prefix)}
    assert labels == {key: {"class": CLASSES[key == keys[0]]} for key in keys}


def test_the_last_release_works_on_the_tables_of_this_code(site: Site, release: Code) -> None:
    """Each answers for the other's jobs: web servers of either with workers of the other."""
    site.manage(present(), "prepare", "--no-static")
    old = at(site, release)
    worker = site.worker(release, "old")
    furnish(old)
    worked(old, "by-old")
    new = at(site, present())
    worked(new, "web-of-new")
    worker.stop()
    site.worker(present(), "new")
    worked(old, "web-of-old")
    assert [one["version"] for one in new.jobs.workers()["versions"]][-1] == VERSION


def test_this_code_waits_for_its_tables_and_then_works(site: Site, release: Code) -> None:
    site.manage(release, "prepare", "--no-static")
    client = at(site, present())
    worker = site.worker(present(), "early", wait=False)
    ready = httpx.get(f"{client.url}/health/ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "unavailable")
    assert "migrations are missing" in ready.json()["migrations"]
    refused = httpx.get(f"{client.url}/datasets", headers={"Authorization": f"Bearer {site.token}"})
    assert (refused.status_code, refused.json()["code"]) == (503, "migrations_missing")
    wait_until(lambda: "waiting for them" in worker.log.read_text(), seconds=60)
    time.sleep(3.0)
    assert not is_at_work(worker)
    site.manage(present(), "migrate", "--no-input", "-v0")
    wait_until(lambda: is_at_work(worker), seconds=60)
    assert httpx.get(f"{client.url}/health/ready").status_code == 200
    furnish(client)
    worked(client, "once-migrated")


def is_at_work(worker: Process) -> bool:
    assert worker.popen.poll() is None, worker.said()
    return " ready." in worker.log.read_text()


def test_every_column_that_the_last_release_does_not_know_may_be_left_out() -> None:
    """By the tables alone, so that it holds in a clone without history too."""
    known = MigrationLoader(None).project_state(last_release().leaves).apps
    for model in known.get_models():
        if model._meta.app_label not in own_apps():
            continue
        names = {field.column for field in model._meta.local_fields}
        with connection.cursor() as cursor:
            columns = connection.introspection.get_table_description(cursor, model._meta.db_table)
        assert names <= {column.name for column in columns}, model._meta.db_table
        added = [one for one in columns if one.name not in names]
        bare = [one.name for one in added if not one.null_ok and one.default is None]
        assert not bare, f"{model._meta.db_table} has {bare} without a database default"
