"""Large archives: 202, a job, one commit."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.catalog.test_ingest_upload import tar_of, zip_of
from tests.datasets.conftest import png, row_counts, sent
from tests.working import work_on

from catalog.intake import archives
from catalog.intake.handlers import IngestHandler
from catalog.models import Dataset
from jobs import services
from jobs.context import ShardContext
from jobs.errors import JobCancelled
from jobs.models import Job

pytestmark = [
    pytest.mark.usefixtures("object_store", "dataset"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.both,
]


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than three members are large here: the rule is the same, the test is quicker."""
    monkeypatch.setattr(archives, "AT_ONCE_MEMBERS", 3)


def submit(api: APIClient, members: dict[str, bytes], **fields: str) -> Job:
    answer = api.post("/datasets/digits", {"archive": sent("a.tar.gz", tar_of(members, "w:gz"))} | fields)
    assert answer.status_code == 202, answer.json()
    assert answer.json()["job"]["state"] == "queued"
    return Job.objects.get(pk=answer.json()["job"]["id"])


def many(count: int, start: int = 0) -> dict[str, bytes]:
    return {f"cat/{number}.png": png(number) for number in range(start, start + count)}


def test_the_result_is_the_document_of_the_commit(api: APIClient) -> None:
    job = submit(api, many(5) | {"cat/text.png": b"hello", "../up.png": png(9)}, message="big")
    assert work_on(job.pk)
    seen = api.get(f"/jobs/{job.pk}").json()
    assert seen["state"] == "succeeded", seen
    assert (seen["progress"]["done"], seen["progress"]["total"]) == (7, 7)
    result = seen["result"]
    assert (result["version"], result["added"], result["labelled"]) == (1, 5, 5)
    assert {item["code"] for item in result["rejected"]} == {"not_an_image", "key_malformed"}
    assert result["recognised"]["format"] == "image_folder"
    version = api.get("/datasets/digits/versions/head").json()
    assert (version["message"], version["author"]) == ("big", "alice")


def test_many_members_or_bytes_make_it_large(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert api.post("/datasets/digits", {"archive": sent("a.zip", zip_of(many(3)))}).status_code == 201
    assert api.post("/datasets/digits", {"archive": sent("a.zip", zip_of(many(4)))}).status_code == 202
    monkeypatch.setattr(archives, "AT_ONCE_BYTES", 100)
    assert api.post("/datasets/digits", {"archive": sent("a.zip", zip_of(many(1)))}).status_code == 202


def test_a_second_run_of_a_lost_shard_commits_nothing_twice(api: APIClient) -> None:
    job = submit(api, many(5))
    held = services.claim(job.pk, worker="first")
    assert held is not None
    services.release(held)  # the first worker was told to stop in the middle
    assert work_on(job.pk)
    assert not work_on(job.pk)
    assert row_counts()["Version"] == 1


def test_a_cancelled_job_commits_nothing(api: APIClient) -> None:
    job = submit(api, many(5))
    before = row_counts()
    assert api.post(f"/jobs/{job.pk}/cancel").status_code == 202
    assert not work_on(job.pk)
    assert api.get(f"/jobs/{job.pk}").json()["state"] == "cancelled"
    assert row_counts() == before


def test_a_job_that_is_cancelled_in_the_middle_stops_at_the_next_file(api: APIClient) -> None:
    job = submit(api, many(5))
    held = services.claim(job.pk, worker="one")
    assert held is not None
    context = ShardContext(held)
    services.cancel(job.pk)
    context.lease_status = services.renew(held, done=0)
    with pytest.raises(JobCancelled):
        IngestHandler().run(context)
    services.mark_cancelled(held)
    assert api.get(f"/jobs/{job.pk}").json()["state"] == "cancelled"
    assert row_counts()["Sample"] == 0


@pytest.mark.parametrize(
    ("members", "fields", "code"),
    [
        (many(5), {"parent": "3"}, "stale_parent"),
        ({f"{number}.txt": b"text" for number in range(5)}, {}, "nothing_accepted"),
        ({f"{number}.png": png(number) for number in range(5)}, {"format": "image_folder"}, "annotations_unreadable"),
    ],
)
def test_what_no_retry_mends_ends_the_job_with_its_code(
    api: APIClient, members: dict[str, bytes], fields: dict[str, str], code: str
) -> None:
    job = submit(api, members, **fields)
    work_on(job.pk)
    seen = api.get(f"/jobs/{job.pk}").json()
    assert (seen["state"], seen["error"]["code"]) == ("failed", code)
    assert Dataset.objects.get().head is None
    assert row_counts()["Sample"] == 0


def test_an_archive_that_breaks_off_fails_the_job_and_leaves_nothing(api: APIClient) -> None:
    cut = tar_of({f"{number}.png": png(number, (64, 64)) for number in range(9)})[:-20_000]
    answer = api.post("/datasets/digits", {"archive": sent("a.tar", cut)})
    assert answer.status_code == 202
    job = Job.objects.get()
    work_on(job.pk)
    assert api.get(f"/jobs/{job.pk}").json()["error"]["code"] == "archive_corrupt"
    assert row_counts()["Sample"] == 0


def test_annotations_travel_with_a_large_archive(api: APIClient) -> None:
    lines = b'{"key":"1.png","label":{"class":"cat"}}\n{"key":"2.png","label":{"class":"dog"},"split":"test"}\n'
    body = {"archive": sent("a.zip", zip_of({f"{n}.png": png(n) for n in range(5)})), "annotations": sent("x", lines)}
    job = Job.objects.get(pk=api.post("/datasets/digits", body).json()["job"]["id"])
    work_on(job.pk)
    counts = api.get("/datasets/digits").json()["counts"]
    assert counts["by_split"] == {"pool": 3, "train": 1, "test": 1}
