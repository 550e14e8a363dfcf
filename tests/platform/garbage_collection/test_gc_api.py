"""`POST /gc`: for owners, one at a time, and first without doing anything."""

import pytest
from django.utils import timezone
from rest_framework.test import APIClient
from tests.collecting import packed, put_in
from tests.working import work_on

from blobs.models import Blob, StoredObject
from blobs.store import BlobStore
from catalog.models import Dataset
from core.errors import Invalid
from garbage_collection import tasks
from jobs.models import Job

pytestmark = pytest.mark.django_db(transaction=True)  # a job keeps its lease from a thread of its own
LONG_AGO = timezone.now().replace(year=2020)


def items(count: int) -> list[bytes]:
    return [b"%08d" % n * 20 for n in range(count)]


def run(api: APIClient, **body: object) -> dict[str, object]:
    answer = api.post("/gc", body, format="json")
    assert answer.status_code == 202, answer.json()
    assert work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert job["state"] == "succeeded", job["error"]
    found: dict[str, object] = job["result"]
    return found


def test_a_dry_run_says_what_the_next_one_does(api: APIClient, bucket: BlobStore, dataset: Dataset) -> None:
    thin, waste = packed(items(10)), packed([b"waste" * 10, b"more" * 10])
    packed([b"new" * 10])
    put_in(dataset, {str(n): blob for n, blob in enumerate(thin[:3])})
    Job.objects.update(state=Job.State.SUCCEEDED)  # the commit is published
    Blob.objects.filter(key__in={thin[0].key, waste[0].key}).update(seen=LONG_AGO)
    StoredObject.objects.filter(key__in={thin[0].key, waste[0].key}).update(written=LONG_AGO)
    told = run(api, dry_run=True)
    counted = {name: told[name] for name in ("blobs", "objects", "rewritten", "kept")}
    assert counted == {"blobs": 9, "objects": 1, "rewritten": 1, "kept": 4}
    listed = {(row["key"], row["what"]) for row in told["list"]}  # type: ignore[attr-defined]
    assert listed == {(thin[0].key, "rewrite"), (waste[0].key, "remove")}
    assert Blob.objects.count() == 13
    done = run(api)
    assert {name: done[name] for name in counted} == counted
    assert done["bytes"] == told["bytes"] == 90
    assert Blob.objects.count() == 4


def test_only_owners_collect(bobs_api: APIClient) -> None:
    answer = bobs_api.post("/gc", {}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "owners_only")
    assert not Job.objects.exists()


@pytest.mark.parametrize("grace", [0, 0.9, -1, 1e9, "soon"])
def test_the_time_of_grace_has_bounds(api: APIClient, grace: object) -> None:
    answer = api.post("/gc", {"grace": grace}, format="json")
    assert answer.status_code == 400
    assert "grace" in answer.json()["errors"]


def test_one_collection_at_a_time_and_the_daily_one_waits_for_it(api: APIClient, bucket: BlobStore) -> None:
    assert api.post("/gc", {}, format="json").status_code == 202
    again = api.post("/gc", {}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "collection_open")
    assert api.post("/gc", {"dry_run": True}, format="json").status_code == 202
    tasks.collect()
    assert Job.objects.filter(kind="collect").count() == 2
    Job.objects.update(state=Job.State.SUCCEEDED)
    tasks.collect()
    assert Job.objects.filter(kind="collect").count() == 3


def test_a_wrong_setting_is_told(settings: object, bucket: BlobStore) -> None:
    settings.GC_GRACE_HOURS = 0.0  # type: ignore[attr-defined]
    with pytest.raises(Invalid):
        tasks.collect()
