"""Manifests of frames whose packs are in the store, and erasures out of a lake."""

import hashlib
import io
import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.collecting import collected
from tests.mining.lakes.conftest import LAKE, shade
from tests.working import work_on

from accounts.models import Project, User
from accounts.projects import create_project
from blobs.keys import pack_sha256
from blobs.models import StoredObject
from blobs.packs import PackWriter
from blobs.refs import BlobRef
from blobs.services import store
from catalog.erasure.rows import start_erasure
from catalog.models import Dataset, Sample
from catalog.versions.datasets import create_dataset
from jobs.models import Job
from jobs.services import ShardSpec, cancel, create_job
from lakes.models import GroupScores, LakeGroup, LakePack, LakePart

pytestmark = [pytest.mark.django_db(transaction=True)]
COUNT = 20


@pytest.fixture
def packed(lights, alice) -> list[tuple[bytes, BlobRef]]:
    """Images that lie in a pack of the project, with their places."""
    images = [shade(10 + 10 * at, place=at) for at in range(COUNT)]
    with PackWriter(store()) as writer:
        for data in images:
            writer.add(data)
        refs = writer.close()
    own(refs[0].key, lights.project, alice)
    return list(zip(images, refs, strict=True))


def own(key: str, project: Project, by: User) -> None:
    """Let the lake of another dataset of the project hold the pack."""
    told: dict[str, Any] = {"task": "classification", "classes": ["a"], "description": "", "project": project}
    dataset = create_dataset(f"of-{project.name}", author=by, **told)
    job = create_job("lake_fill", "once", shards=[ShardSpec()], project=project.pk)
    cancel(job.pk)
    part = LakePart.objects.create(
        dataset=dataset, source="archive", first=b"a", last=b"b", rows=1, bytes=1, job=job, created_by=by
    )
    LakePack.objects.create(part=part, object=StoredObject.objects.get(key=key))


def manifest(packed, prefix: str = "d", **changes) -> bytes:
    refs = [ref for _, ref in packed]
    columns = {
        "key": [f"{prefix}/{at:03}.png" for at in range(len(refs))],
        "md5": [ref.md5 for ref in refs],
        "sha256": [ref.sha256 for ref in refs],
        "size": [ref.size for ref in refs],
        "pack": [pack_sha256(ref.key) for ref in refs],
        "offset": [ref.offset for ref in refs],
        "width": [8] * len(refs),
        "height": [8] * len(refs),
        "speed": list(range(len(refs))),
    }
    stream = io.BytesIO()
    pq.write_table(pa.table(columns | changes), stream)
    return stream.getvalue()


def test_a_manifest_is_checked_and_its_frames_are_found_by_their_metadata(api, filled, packed, scan):
    job = filled(manifest(packed), name="m.parquet", what="manifest")
    assert job.state == "succeeded", job.error
    assert (job.result["frames"], job.result["looked_at"], job.result["packs"]) == (COUNT, COUNT, 1)
    told = api.get(LAKE).json()
    assert told["columns"] == {"speed": "integer"}
    page = api.get(f"{LAKE}/frames?where=speed>=17").json()["results"]
    assert [(one["key"], one["meta"]) for one in page] == [(f"d/{at:03}.png", {"speed": at}) for at in (17, 18, 19)]
    wrong = api.get(f"{LAKE}/frames?where=pace>=17")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "condition_invalid")
    for value in ("9" * 30, "1e400", "nan"):
        assert api.get(f"{LAKE}/frames?where=speed>={value}").status_code == 400, value
    many = api.get(f"{LAKE}/frames?" + "&".join(["where=speed>=1"] * 17))
    assert (many.status_code, "at most 16 conditions" in many.json()["detail"]) == (400, True)
    collected()  # the pack has no blob's row: the part keeps it
    assert api.get(page[0]["url"]).content == packed[17][0]
    without_a_speed = {f"e/{at}.png": shade(9 * at, place=at) for at in range(1, 8)}
    assert filled(without_a_speed).state == "succeeded"
    done = scan(strategy="random", count=4, where=["speed<4"], control=0)
    assert done["stats"]["without_value"] == 7
    near = scan(strategy="random", count=4, where=["speed<4"], prefix="d/")
    assert (near["stats"]["without_value"], near["stats"]["passed_over"]) == (0, 4)
    samples = api.get("/datasets/lights/versions/head/samples").json()["results"]
    assert {one["key"]: one["meta"] for one in samples} == {f"d/{at:03}.png": {"speed": at} for at in range(4)}
    assert done["stats"]["eligible"] == 4
    picks = api.get(f"/mining/jobs/{done['mining']}/picks").json()["results"]
    assert {(one["probability"], one["reason"]) for one in picks} == {(1.0, "random")}

    again = filled(manifest(packed), name="n.parquet", what="manifest")
    assert (again.state, again.error["code"]) == ("failed", "lake_overlap")
    other = filled(manifest(packed, "e", speed=["fast"] * COUNT), name="o.parquet", what="manifest")
    assert (other.state, other.error["code"]) == ("failed", "lake_columns")
    assert LakePart.objects.filter(dataset__name="lights").count() == 2


def test_a_manifest_that_is_wrong_adds_nothing(filled, packed):
    for changes, code, words in (
        ({"pack": ["ab" * 32] * COUNT}, "pack_unknown", "column pack, row 19"),
        ({"offset": [10**6] * COUNT}, "manifest_invalid", "column offset, row .* of a pack of"),
        ({"sha256": ["cd" * 32] * COUNT}, "manifest_invalid", "frame 'd/000.png'"),
        ({"md5": ["cd" * 16] * COUNT}, "manifest_invalid", "column md5: that of frame"),
        ({"width": [9] * COUNT}, "manifest_invalid", "has 8 x 8 pixels"),
        ({"size": ["1"] * COUNT}, "manifest_invalid", "column size: is string"),
    ):
        job = filled(manifest(packed, **changes), name=f"{changes}"[:50], what="manifest")
        assert (job.state, job.error["code"]) == ("failed", code), job.error
        assert re.search(words, job.error["detail"]), job.error
    assert not LakePart.objects.filter(dataset__name="lights").exists()


def test_a_pack_of_another_project_is_as_unknown_as_one_that_is_not_there(filled, packed, alice):
    LakePart.objects.all().delete()
    own(packed[0][1].key, create_project("rail"), alice)
    job = filled(manifest(packed), name="m.parquet", what="manifest")
    assert (job.state, job.error["code"]) == ("failed", "pack_unknown")
    assert "this project has no pack" in job.error["detail"]


@pytest.mark.clock
def test_an_erased_sample_leaves_the_lake_and_its_bytes_are_overwritten(api, alice, filled, packed, scan, run_job):
    """Under another key as well, where the bytes are the same; all other frames stay readable."""
    twins = [*packed, packed[0]]
    filled(manifest(twins), name="m.parquet", what="manifest")
    scan(strategy="random", count=1, where=["speed<1"])
    assert Sample.objects.get().key == "d/000.png"
    ref = packed[0][1]
    before = LakeGroup.objects.get().blob.md5
    done = run_job(
        start_erasure(Dataset.objects.get(name="lights"), ["d/000.png"], reason="asked", confirm="lights", by=alice)
    )
    assert done.result["lake_frames"] == 2
    keys = [one["key"] for one in api.get(f"{LAKE}/frames").json()["results"]]
    assert keys == [f"d/{at:03}.png" for at in range(1, COUNT)]
    told = api.get(LAKE).json()
    assert (told["frames"], told["bytes"]) == (COUNT - 1, sum(len(data) for data, _ in packed[1:]))
    assert bytes(LakePart.objects.get(dataset__name="lights").first) == b"d/001.png"
    assert LakeGroup.objects.get().blob.md5 != before
    raw = b"".join(store()._bucket.stream(ref.key, ref.offset, ref.size))
    assert hashlib.sha256(raw).hexdigest() != ref.sha256
    for frame in api.get(f"{LAKE}/frames").json()["results"][:3]:
        assert api.get(frame["url"]).status_code == 200
    assert StoredObject.objects.get(key=ref.key).state == StoredObject.State.CLOSED
    collected()
    done = scan(strategy="random", count=2, control=0)
    assert done["stats"]["picked"] == 2, "frames of a pack that is on its way out are stored again"
    for sample in api.get("/datasets/lights/versions/head/samples").json()["results"]:
        assert np.isin(b"".join(api.get(sample["url"])), [data for data, _ in packed])


@pytest.mark.clock
def test_strategies_that_compare_samples_are_refused_by_name(api, filled, packed):
    filled(manifest(packed), name="m.parquet", what="manifest")
    answer = api.post(f"{LAKE}/scans", {"model": "shades@1", "strategy": "k_center", "count": 3}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "strategy_not_scanned")
    assert "entropy, least_confidence, margin, random" in answer.json()["detail"]
    none = api.post(f"{LAKE}/scans", {"model": "shades@1", "count": 3, "prefix": "x/"}, format="json")
    assert (none.status_code, none.json()["code"]) == (400, "lake_empty")
    for field, value in (
        ("prefix", "\ud800"),
        ("where", ["speed>=" + "9" * 30]),
        ("queue", "a/b"),
        ("needs", {"gpus": -1}),
    ):
        body = json.dumps({"model": "shades@1", "count": 3, field: value})
        wrong = api.post(f"{LAKE}/scans", body, content_type="application/json")
        assert wrong.status_code == 400, (field, wrong.content)


@pytest.mark.clock
def test_a_scan_that_is_cancelled_is_taken_up_again(api, filled, packed, run_job):
    filled(manifest(packed[:10], "a"), name="m.parquet", what="manifest")
    filled(manifest(packed[10:], "b"), name="n.parquet", what="manifest")
    body = {"model": "shades@1", "strategy": "random", "count": 5, "seed": 7}
    made = api.post(f"{LAKE}/scans", body, format="json").json()
    part = LakePart.objects.filter(dataset__name="lights").earliest("pk")
    assert api.delete(f"{LAKE}/parts/{part.pk}").status_code == 409
    assert work_on(made["job"]["id"])
    assert api.post(f"/jobs/{made['job']['id']}/cancel").json()["state"] == "cancelled"
    assert not Sample.objects.exists()
    assert api.post(f"/jobs/{made['job']['id']}/retry").status_code in {200, 202}
    assert run_job(Job.objects.get(pk=made["job"]["id"])).state == "succeeded"
    assert Sample.objects.count() == 5
    assert not GroupScores.objects.exists()
