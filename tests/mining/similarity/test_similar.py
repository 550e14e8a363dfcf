"""Samples most like one, a part of one or an image: what is computed once, what is answered, and in which order."""

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.datasets.conftest import data
from tests.models.registry.shipped import shipped, version_of
from tests.working import work_on

from blobs.services import keep_bytes, store
from catalog.models import Dataset, Sample
from catalog.versions.datasets import find_version
from jobs.models import Job
from mining_jobs.models import ScoreFile
from mining_jobs.scores.files import parts_of, table_of
from registry.models import ModelVersion
from scoring import Scores, packed
from scoring.table import Quarantined
from similarity import vectors

pytestmark = pytest.mark.django_db(transaction=True)
AT = "/datasets/digits/versions/head"
MODEL = "shades@1"


@pytest.fixture(autouse=True)
def no_vectors_of_before():
    """Of each test its own: rows of different tests have the same ids."""
    vectors._galleries.clear()


@pytest.fixture
def shades(alice, truth):
    """A model whose embedding is two numbers: the mean shade of an image, negative and positive."""
    return version_of(shipped(), alice)


def embed(api, run_job, **body):
    answer = api.post(f"{AT}/embeddings", body, format="json")
    assert answer.status_code == 202, answer.content
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    return job


def similar(api, key, status=200, **query):
    answer = api.get(f"{AT}/similar", {"to": key, "model": MODEL, **query})
    assert answer.status_code == status, answer.content
    return answer.json()


def by_hand(key, keys=None):
    """(key, similarity) of all samples that have an embedding, by what the score files say."""
    table = table_of(ModelVersion.objects.get())
    rows = dict(find_version(Dataset.objects.get(), "head").revisions.values_list("sample__key", "blob__md5"))
    wide = {name: table.embedding_of(table.rows(packed([md5])))[0].astype(np.float64) for name, md5 in rows.items()}
    unit = {name: (one / np.linalg.norm(one)).astype(np.float32).astype(np.float64) for name, one in wide.items()}
    told = {name: round(float(unit[name] @ unit[key]), 6) for name in (keys or rows)}
    return sorted(told.items(), key=lambda pair: (-pair[1], pair[0]))


def listed(found):
    return [(row["key"], row["similarity"]) for row in found["results"]]


def png(pixels):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def pixels_of(key):
    revision = find_version(Dataset.objects.get(), "head").revisions.get(sample__key=key)
    return np.asarray(Image.open(io.BytesIO(store().get(revision.blob.ref))))


def test_without_embeddings_it_says_how_to_get_them_and_while_they_are_computed_by_which_job(api, shades):
    found = similar(api, "pool-00.png", 409)
    assert found["code"] == "embeddings_missing"
    assert "`lode dataset embed digits --model shades@1`" in found["detail"]
    assert "/datasets/digits/versions/1/embeddings" in found["detail"]
    told = api.get(f"{AT}/embeddings", {"model": MODEL}).json()
    assert (told["samples"], told["embedded"], told["missing"], told["job"]) == (110, 0, 110, None)
    job = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json").json()["job"]
    again = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json")
    assert (again.status_code, again.json()["job"]["id"]) == (202, job["id"]), "no second one"
    assert f"job {job['id']} is computing them" in similar(api, "pool-00.png", 409)["detail"]


@pytest.mark.both
def test_they_are_computed_once_and_the_nearest_come_first(api, shades, run_job):
    embed(api, run_job, model=MODEL)
    assert ScoreFile.objects.count() == 1
    told = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json")
    assert (told.status_code, told.json()["embedded"], told.json()["job"]) == (200, 110, None)
    found = similar(api, "pool-00.png", limit=200)
    assert listed(found) == by_hand("pool-00.png")
    assert {name: found[name] for name in ("total", "compared", "missing", "unreadable", "version", "model", "by")} == {
        "total": 110, "compared": 110, "missing": 0, "unreadable": 0, "version": 1, "model": MODEL, "by": MODEL,
    }  # fmt: skip
    assert found["results"][0]["thumb"].startswith("/thumbs/")
    assert listed(similar(api, "pool-00.png", limit=7, offset=20)) == by_hand("pool-00.png")[20:27]
    assert similar(api, "pool-00.png", offset=9999)["results"] == []


@pytest.mark.both
def test_it_stands_beside_filters_and_slices(api, shades, run_job, truth):
    embed(api, run_job, model=MODEL)
    api.post("/datasets/digits/slices", {"name": "threes", "filter": {"class": "3"}}, format="json")
    train = [key for key in truth if key.startswith("train")]
    assert listed(similar(api, "pool-00.png", split="train")) == by_hand("pool-00.png", train)
    threes = [key for key, digit in truth.items() if digit == "3" and not key.startswith("pool")]
    assert listed(similar(api, "pool-00.png", slice="threes", limit=50)) == by_hand("pool-00.png", threes)
    few = [key for key in threes if key.startswith("test")]
    found = similar(api, "pool-00.png", slice="threes", filter="split = test")
    assert (listed(found), found["compared"]) == (by_hand("pool-00.png", few), len(few))
    assert similar(api, "pool-00.png", split="val")["compared"] == 0
    assert similar(api, "pool-00.png", 400, filter="nothing = 3")["errors"].keys() == {"filter"}


def test_equal_images_have_equal_similarities_and_go_by_key(api, shades, run_job):
    image = {"data": data(png(np.full((9, 9), 77, np.uint8))), "split": "pool"}
    body = {"samples": [{"key": key} | image for key in ("b.png", "a.png", "c.png")]}
    assert api.post("/datasets/digits", body, format="json").status_code == 201
    embed(api, run_job, model=MODEL)
    assert listed(similar(api, "b.png", limit=2)) == [("a.png", 1.0), ("b.png", 1.0)], (
        "and a cut among them goes by key"
    )
    assert [key for key, _ in listed(similar(api, "b.png", limit=3))] == ["a.png", "b.png", "c.png"]


def test_samples_of_later_versions_are_missing_until_they_are_computed_and_can_be_looked_for_all_the_same(
    api, shades, run_job
):
    embed(api, run_job, model=MODEL)
    new = {"samples": [{"key": "new.png", "data": data(png(np.full((9, 9), 200, np.uint8))), "split": "pool"}]}
    assert api.post("/datasets/digits", new, format="json").status_code == 201
    found = similar(api, "pool-00.png", limit=200)
    assert (found["missing"], found["compared"], found["version"]) == (1, 110, 2)
    of_new = similar(api, "new.png", limit=3)
    assert (of_new["missing"], len(of_new["results"])) == (1, 3)
    assert api.get(f"{AT}/embeddings", {"model": MODEL}).json()["missing"] == 1
    job = embed(api, run_job, model=MODEL)
    result = job.shards.get().result
    assert (result["scored"], result["reused"]) == (1, 110)
    assert listed(similar(api, "new.png", limit=1)) == [("new.png", 1.0)]
    assert similar(api, "new.png")["missing"] == 0


def test_an_image_that_the_model_cannot_read_is_counted_and_not_tried_again(api, shades, run_job):
    embed(api, run_job, model=MODEL)
    file, (part,) = ScoreFile.objects.get(), parts_of([ScoreFile.objects.get().blob.ref])
    spoiled = Quarantined(part.md5[3].hex(), "image_damaged", "half of it is missing")
    kept = np.arange(len(part)) != 3
    columns = part.md5[kept], part.probabilities[kept], part.embedding[kept]
    file.blob = keep_bytes(Scores.of(*columns, refused=[spoiled]).to_bytes(), media_type="application/octet-stream")
    file.save()
    found = similar(api, "pool-00.png", limit=1)
    assert (found["unreadable"], found["missing"], found["compared"]) == (1, 0, 109)
    told = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json")
    assert (told.status_code, told.json()["unreadable"], told.json()["job"]) == (200, 1, None)


def test_nothing_is_computed_of_an_archived_dataset_nor_of_an_empty_version(api, truth, shades):
    assert api.post("/datasets/digits/archive").status_code in (200, 201)
    refused = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "archived")
    assert api.post("/datasets/digits/restore").status_code in (200, 201)
    assert api.post("/datasets/digits", {"remove": list(truth)}, format="json").status_code == 201
    empty = api.post(f"{AT}/embeddings", {"model": MODEL}, format="json")
    assert (empty.status_code, empty.json()["code"]) == (400, "version_empty")


@pytest.mark.both
def test_a_dataset_and_a_model_that_are_being_looked_at_are_not_deleted_meanwhile(api, shades):
    assert api.post(f"{AT}/embeddings", {"model": MODEL}, format="json").status_code == 202
    for address in ("/datasets/digits", "/models/shades"):
        parts = api.get(f"{address}/deletion").json()
        assert "jobs that compute embeddings" in str(parts), parts


def test_a_part_of_an_image_is_looked_for_by_what_it_shows(api, shades, run_job):
    embed(api, run_job, model=MODEL)
    whole = pixels_of("pool-00.png")
    found = similar(api, "pool-00.png", x=0, y=0, width=whole.shape[1], height=whole.shape[0])
    assert found["results"][0]["key"] == "pool-00.png"
    assert found["results"][0]["similarity"] == pytest.approx(1, abs=1e-5)
    part = similar(api, "pool-00.png", x=9, y=3, width=11, height=14, limit=5)
    sent = api.post(
        f"{AT}/similar?model={MODEL}&limit=5", {"file": io.BytesIO(png(whole[3:17, 9:20]))}, format="multipart"
    )
    assert sent.status_code == 200, sent.content
    assert listed(sent.json()) == listed(part)
    edge = similar(api, "pool-00.png", x=20, y=20, width=500, height=500, limit=1)
    assert len(edge["results"]) == 1, "what reaches beyond the image ends at its edge"


def test_what_is_wrong_is_named(api, shades, run_job, subtests):
    embed(api, run_job, model=MODEL)
    query: Any
    for query, status, code, field in [
        ({"to": ""}, 400, "invalid", "to"),
        ({"to": "none.png"}, 404, "sample_unknown", None),
        ({"x": 1}, 400, "invalid", "y"),
        ({"x": 1, "y": 1, "width": 0, "height": 3}, 400, "invalid", "width"),
        ({"x": -1, "y": 1, "width": 1, "height": 3}, 400, "invalid", "x"),
        ({"x": 1000, "y": 1, "width": 10, "height": 3}, 422, "crop_outside", "x"),
        ({"limit": 0}, 400, "invalid", "limit"),
        ({"limit": 10_000_000}, 400, "invalid", "limit"),
        ({"offset": 10_000}, 400, "invalid", "offset"),
        ({"model": "shades"}, 400, "invalid", "model"),
        ({"model": "shades@7"}, 404, "model_version_unknown", None),
        ({"labelled": "perhaps"}, 400, "invalid", "labelled"),
    ]:
        with subtests.test(query=query, status=status, code=code, field=field):
            answer = api.get(f"{AT}/similar", {"to": "pool-00.png", "model": MODEL} | query)
            assert (answer.status_code, answer.json()["code"]) == (status, code)
            assert field is None or list(answer.json()["errors"]) == [field]


def test_what_is_no_image_is_refused(api, shades, run_job):
    embed(api, run_job, model=MODEL)
    for sent in (b"", b"no image", png(np.zeros((9, 9), np.uint8))[:60]):
        answer = api.post(f"{AT}/similar?model={MODEL}", {"file": io.BytesIO(sent)}, format="multipart")
        assert answer.status_code in (400, 422), answer.content
    assert api.post(f"{AT}/similar?model={MODEL}", {}, format="multipart").json()["errors"].keys() == {"file"}


@pytest.mark.both
def test_an_erased_sample_is_found_no_more(api, shades, run_job):
    embed(api, run_job, model=MODEL)
    first = similar(api, "pool-00.png", limit=3)["results"]
    gone = first[1]["key"]
    sample = Sample.objects.get(key=gone)
    file = ScoreFile.objects.get()
    told = api.get(f"/datasets/digits/samples/{gone}/lineage").json()["contained_in"]["score_files"]
    assert told == [
        {
            "id": file.pk,
            "job": file.job_id,
            "kind": "embed",
            "model_digest": file.model_digest,
            "model": "shades v1",
            "rows": 110,
            "unread": False,
        }
    ]
    answer = api.post(
        "/datasets/digits/erasures", {"keys": [gone], "reason": "asked to", "confirm": "digits"}, format="json"
    )
    assert answer.status_code == 202, answer.content
    run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert not Sample.objects.filter(pk=sample.pk).exists()
    found = similar(api, "pool-00.png", limit=200)
    assert gone not in {row["key"] for row in found["results"]}
    assert found["compared"] == 109


@pytest.mark.both
def test_a_cancelled_job_leaves_what_it_has_done_to_the_next(api, shades, run_job, settings):
    settings.SHARD_SAMPLES = 60
    job = Job.objects.get(pk=api.post(f"{AT}/embeddings", {"model": MODEL}, format="json").json()["job"]["id"])
    assert job.shards.count() == 2
    assert work_on(job.pk)
    assert api.post(f"/jobs/{job.pk}/cancel").status_code in (200, 202)
    found = similar(api, "pool-00.png", limit=200)
    assert 0 < found["compared"] < 110
    assert found["missing"] == 110 - found["compared"]
    done = embed(api, run_job, model=MODEL)
    assert sum(shard.result["scored"] for shard in done.shards.all()) == found["missing"]
