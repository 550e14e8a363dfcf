"""A publisher that is killed, wherever it is, leaves the last version as it was; the next one finishes the work."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from rest_framework.test import APIClient
from tests.datasets.conftest import data, png
from tests.datasets.publishing.conftest import Clients, drain, files_below
from tests.workers import ROOT, environment

from catalog.models import Dataset
from jobs.models import Job
from publishing import services
from publishing.models import Publication, Repository

pytestmark = pytest.mark.production

POINTS = ["before the texts", "before the object", "after the object", "inside the transaction", "after the row"]
SCRIPT = Path(__file__).with_name("publish_and_die.py")


def refs(clients: Clients) -> list[str]:
    return [line.partition("\t")[2] for line in clients.git("ls-remote", clients.repository("pets")).splitlines()]


def commit_only(api: APIClient, number: int) -> None:
    samples = [{"key": f"{number}.png", "data": data(png(number))}]
    assert api.post("/datasets/pets", {"samples": samples}, format="json").status_code == 201


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_publication_finishes_on_retry(clients: Clients, pets: Dataset, api: APIClient, point: str) -> None:
    commit_only(api, 3)
    env = environment() | {"DJANGO_SETTINGS_MODULE": "tests.settings", "MOTHERLODE_PUBLIC_URL": clients.url}
    died = subprocess.run([sys.executable, str(SCRIPT), point], cwd=ROOT, env=env, capture_output=True, check=False)
    assert died.returncode == -9, died.stderr.decode()
    done = point == "after the row"
    assert refs(clients)[-1] == ("refs/tags/v3" if done else "refs/tags/v2")
    drain()
    assert refs(clients)[-1] == "refs/tags/v3"
    clients.dvc("get", clients.repository("pets"), "data", "-o", "data")
    assert files_below(clients.folder / "data") == {"a/1.png": png(1), "b.png": png(2), "3.png": png(3)}
    assert Publication.objects.count() == 3


def test_two_publishers_make_one_history(clients: Clients, pets: Dataset, api: APIClient) -> None:
    for number in range(3, 9):
        commit_only(api, number)
    repository = Repository.objects.get()
    start = threading.Barrier(2)

    def publish_all() -> int:
        start.wait()
        try:
            while (number := services.published(repository) + 1) <= 8:
                services.publish(repository, number)
        finally:
            connection.close()
        return number

    with ThreadPoolExecutor(2) as pool:
        assert [one.result() for one in [pool.submit(publish_all) for _ in range(2)]] == [9, 9]
    assert [row.number for row in Publication.objects.order_by("number")] == list(range(1, 9))
    clients.git("clone", "-q", clients.repository("pets"), "pets")
    assert clients.git("rev-list", "--count", "HEAD", at="pets").strip() == "8"


def test_versions_in_quick_succession_are_each_published_by_few_jobs(
    clients: Clients, pets: Dataset, api: APIClient
) -> None:
    before = Job.objects.filter(kind="publish").count()
    for number in range(3, 9):
        commit_only(api, number)
    assert Job.objects.filter(kind="publish").count() == before + 1, "one that has not begun finds them all"
    drain()
    assert refs(clients)[-6:] == [f"refs/tags/v{number}" for number in range(3, 9)]


def test_what_nobody_asked_for_is_found_by_the_sweep(clients: Clients, pets: Dataset, api: APIClient) -> None:
    commit_only(api, 3)
    Job.objects.filter(kind="publish", state="queued").delete()
    assert services.behind() == [], "it was asked for a moment ago"
    Repository.objects.update(asked=None)
    assert services.behind() == [("datasets", "pets")]
    services.request_publication("datasets", "pets")
    drain()
    assert services.behind() == []
