"""Frames without rows: into a lake by archive, paged, scanned, and a few of them into the dataset."""

import pytest
from tests.collecting import collected
from tests.mining.lakes.conftest import LAKE, shade
from tests.working import work_on

from blobs.models import Blob
from catalog.models import Sample
from labeling.models import Queue
from lakes.models import LakeGroup, LakePart, ScanKept
from mining_jobs.models import Pick

pytestmark = [pytest.mark.django_db(transaction=True)]
LEVELS = {f"drive/{at:03}.png": shade(level, place=at) for at, level in enumerate(range(10, 250, 4))}


def test_an_archive_becomes_a_part_whose_frames_are_paged_and_shown(api, filled):
    job = filled(LEVELS | {"notes.txt": b"hello", "broken.png": b"\x89PNG\r\n\x1a\nno"})
    assert job.state == "succeeded", job.error
    assert {one["key"]: one["code"] for one in job.result["first_refused"]} == {
        "notes.txt": "no_image", "broken.png": "image_truncated"
    }  # fmt: skip
    told = api.get(LAKE).json()
    assert (told["frames"], told["parts"], told["packs"], told["samples"], told["brought_in"]) == (60, 1, 1, 0, 0)
    assert told["bytes"] == sum(map(len, LEVELS.values()))
    assert not Sample.objects.exists()
    assert Blob.objects.filter(width__isnull=False).count() == 0

    keys, url = [], f"{LAKE}/frames?limit=25"
    while url:
        page = api.get(url).json()
        keys += [one["key"] for one in page["results"]]
        url = page["next"]
    assert keys == sorted(LEVELS)
    frame = api.get(f"{LAKE}/frame", {"key": "drive/007.png"}).json()
    assert api.get(frame["url"]).content == LEVELS["drive/007.png"]
    assert api.get(frame["thumb"])["Content-Type"] == "image/webp"
    assert (frame["width"], frame["height"], frame["sample"]) == (8, 8, False)
    missing = api.get(f"{LAKE}/frame", {"key": "drive/7.png"})
    assert (missing.status_code, missing.json()["code"]) == (404, "frame_unknown")
    behind = api.get(f"{LAKE}/frames", {"after": "drive/0575", "prefix": "drive/05"}).json()["results"]
    assert [one["key"] for one in behind] == ["drive/058.png", "drive/059.png"]


def test_a_scan_brings_the_most_uncertain_frames_in_as_one_commit(api, filled, scan):
    filled(LEVELS)
    done = scan(strategy="margin", count=10, control=0.2, seed=3, queue="doubtful")
    assert done["job"]["state"] == "succeeded", done["job"]["error"]
    assert (done["stats"]["scored"], done["stats"]["eligible"], done["stats"]["picked"]) == (60, 60, 10)
    assert done["version"] == 1
    picks = api.get(f"/mining/jobs/{done['mining']}/picks").json()["results"]
    assert [one["control"] for one in picks] == [False] * 8 + [True] * 2
    assert {one["probability"] for one in picks if one["control"]} == {2 / 60}
    assert all("at 0." in one["reason"] for one in picks[:8])
    scores = [one["score"] for one in picks[:8]]
    assert scores == sorted(scores, reverse=True)
    assert picks[0]["prediction"]["model"] == "shades@1"
    samples = api.get("/datasets/lights/versions/1/samples").json()["results"]
    assert {one["key"] for one in samples} == {one["sample"]["key"] for one in picks}
    assert {one["split"] for one in samples} == {"pool"}
    assert b"".join(api.get(samples[0]["url"])) == LEVELS[samples[0]["key"]]
    assert Queue.objects.get(name="doubtful").total == 10
    told = api.get(LAKE).json()
    assert (told["frames"], told["brought_in"], told["samples"]) == (60, 10, 10)
    assert not ScanKept.objects.exists()

    again = scan(strategy="entropy", count=60, control=0)
    assert (again["stats"]["scored"], again["stats"]["reused"]) == (0, 50)
    assert (again["stats"]["passed_over"], again["stats"]["picked"]) == (10, 50)
    assert api.get(LAKE).json()["samples"] == 60
    assert Pick.objects.count() == 60
    nothing = scan(strategy="random", count=5)
    assert (nothing["stats"]["picked"], nothing["version"], nothing["job"]["state"]) == (0, None, "succeeded")


def test_a_part_is_removed_and_its_bytes_go_but_those_of_samples(api, filled, scan):
    filled(LEVELS)
    scan(strategy="random", count=5)
    part = LakePart.objects.get()
    assert api.delete(f"{LAKE}/parts/{part.pk}").status_code == 204
    assert not LakeGroup.objects.exists()
    assert collected()["objects"] >= 1
    for sample in api.get("/datasets/lights/versions/1/samples").json()["results"]:
        assert b"".join(api.get(sample["url"])) == LEVELS[sample["key"]]


def test_a_scan_taken_up_again_after_its_dataset_was_deleted_says_so(api, filled):
    filled({"d/1.png": shade(9)})
    job = api.post(f"{LAKE}/scans", {"model": "shades@1", "count": 1}, format="json").json()["job"]
    assert api.post(f"/jobs/{job['id']}/cancel").status_code == 202
    assert api.post("/datasets/lights/archive").status_code == 200
    gone = api.delete("/datasets/lights?confirm=lights").json()["job"]
    while work_on(gone["id"]):
        pass
    assert api.post(f"/jobs/{job['id']}/retry").status_code == 202
    assert work_on(job["id"])
    found = api.get(job["url"]).json()
    assert (found["state"], found["error"]["code"]) == ("failed", "removed_meanwhile")
    assert found["error"]["detail"].startswith("What this job works on was removed meanwhile (LakeGroup")
