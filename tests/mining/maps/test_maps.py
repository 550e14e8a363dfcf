"""Maps of a dataset: points by a model's embeddings or by what the images show, as bytes, without what was erased."""

import json

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from tests.mining.backbones import put_backbone, remember_backbone
from tests.models.registry.shipped import shipped, version_of

from catalog.erasure.rows import start_erasure
from catalog.models import Dataset, Sample, Version
from catalog.versions.datasets import find_version
from jobs import services
from jobs.models import Job
from maps import handlers
from maps.models import EmbeddingMap, MapPoints
from maps.points import COLUMNS, NONE, digest_of, packed, places, unpacked
from maps.services import MOST_OPEN
from mining_jobs.models import ScoreFile
from mining_jobs.scores.backbone import BACKBONE
from mining_jobs.scores.files import table_of
from registry.models import ModelVersion
from scoring import packed as packed_digests

pytestmark = [pytest.mark.django_db(transaction=True)]
MAPS = "/datasets/digits/maps"


def started(api, **body):
    """A map begun; without a model it is by pixels, unless it says otherwise."""
    answer = api.post(MAPS, body if "model" in body else {"features": "pixels"} | body, format="json")
    assert answer.status_code == 202, answer.content
    return answer.json()


@pytest.fixture
def make(api, run_job):
    """Make a map to its end; its document."""

    def finished(**body):
        document = started(api, **body)
        job = run_job(Job.objects.get(pk=document["job"]["id"]))
        assert job.state == "succeeded", job.error
        return api.get(f"{MAPS}/{document['id']}").json()

    return finished


def read(answer):
    """Header and columns, as a browser reads them: only by what the answer says."""
    assert answer.status_code == 200, answer.content
    line, _, body = answer.content.partition(b"\n")
    assert (len(line) + 1) % 8 == 0
    header = json.loads(line)
    columns = {
        column["name"]: np.frombuffer(body, f"<{np.dtype(column['type']).str[1:]}", header["count"] * column["width"],
                                      column["offset"])
        for column in header["columns"]
    }  # fmt: skip
    return header, columns | {"xy": columns["xy"].reshape(-1, 2)}


def truth_of(version):
    return {
        pk: (key, split, label["class"] if label else None)
        for pk, key, split, label in version.revisions.values_list("sample_id", "sample__key", "split", "label__value")
    }


@pytest.mark.parametrize("method", ["pca", "umap-like"])
def test_without_a_model_the_images_themselves_are_laid_out(api, truth, make, method):
    document = make(method=method)
    assert (document["model"], document["method"], document["version"]) == (None, method, 1)
    assert document["count"] == 110 - document["facts"]["left_out"] == 110
    assert document["job"]["href"] == f"/datasets/{Dataset.objects.get().pk}/map?map={document['id']}"
    header, columns = read(api.get(document["points"]))
    assert [column["name"] for column in header["columns"]] == ["xy", "sample", "class", "split", "uniqueness"]
    known = truth_of(find_version(Dataset.objects.get(), "head"))
    assert set(columns["sample"].tolist()) == set(known)
    for sample, of_class, split in zip(columns["sample"], columns["class"], columns["split"], strict=True):
        told = None if of_class == NONE else header["classes"][of_class]
        assert (header["splits"][split], told) == known[int(sample)][1:]
    assert np.isfinite(columns["xy"]).all()
    assert np.abs(columns["xy"]).max() == pytest.approx(1)
    assert document["features"]["by"] == "16 x 16 gray pixels"
    again = api.post(MAPS, {"method": method, "features": "pixels"}, format="json")
    assert (again.status_code, again.json()["id"]) == (200, document["id"])


def test_with_a_model_what_it_has_not_scored_is_scored_first_and_what_it_said_is_in_the_map(api, truth, make, alice):
    """Any model's embeddings do, whatever its classes are."""
    version_of(shipped(), alice)
    assert not ScoreFile.objects.exists()
    document = make(model="shades@1", seed=4)
    assert ScoreFile.objects.count() == 1
    header, columns = read(api.get(document["points"]))
    table = table_of(ModelVersion.objects.get())
    md5 = dict(Version.objects.get().revisions.values_list("sample_id", "blob__md5"))
    said = table.probabilities_of(table.rows(packed_digests(md5[int(pk)] for pk in columns["sample"])))
    assert columns["predicted"].tolist() == said.argmax(axis=1).tolist()
    assert (columns["confidence"] > 0).all()
    assert (header["predicted_classes"], len(header["classes"])) == (["dark", "light"], 10)
    assert document["facts"]["width"] == table.embedding_of(np.arange(1)).shape[1]
    flat = make(model="shades@1", method="pca")
    assert ScoreFile.objects.count() == 1
    assert [row["id"] for row in api.get(MAPS).json()["results"]] == [flat["id"], document["id"]]
    assert api.get(f"/jobs/{flat['job']['id']}").json()["progress"]["done"] == 220


def test_without_a_model_the_backbone_embeds_the_images_and_the_map_says_so(api, truth, make):
    put_backbone()
    document = make(features="backbone", method="pca")
    remember_backbone()
    assert document["features"]["by"] == BACKBONE
    assert document["features"]["about"].startswith("No model was chosen, so efficientnet_lite0")
    assert document["facts"]["width"] == 1280
    header, _ = read(api.get(document["points"]))
    assert [column["name"] for column in header["columns"]] == ["xy", "sample", "class", "split", "uniqueness"]
    assert "predicted_classes" not in header
    again = api.post(MAPS, {"method": "pca"}, format="json")
    assert (again.status_code, again.json()["id"]) == (200, document["id"]), "it is the default"
    assert ScoreFile.objects.count() == 1


def test_features_beside_a_model_are_refused(api, truth, alice):
    version_of(shipped(), alice)
    refused = api.post(MAPS, {"model": "shades@1", "features": "pixels"}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["features"])


def test_points_may_be_kept_for_ever_under_their_own_address_alone(api, truth, make):
    document = make(method="pca")
    answer = api.get(document["points"])
    assert "immutable" in answer["Cache-Control"]
    assert answer["Content-Type"] == "application/octet-stream"
    plain = api.get(document["points"].partition("?")[0])
    assert (plain.content, plain["Cache-Control"]) == (answer.content, "private, no-cache")
    with CaptureQueriesContext(connection) as queries:
        known = api.get(document["points"], headers={"If-None-Match": answer["ETag"]})
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", answer["ETag"])
    assert not any('"data"' in query["sql"] for query in queries), "points are not read to say that they are known"
    other = api.get(document["points"], headers={"If-None-Match": '"another"'})
    assert (other.status_code, other.content) == (200, answer.content)


def test_a_million_points_are_sent_in_20_megabytes(api, truth, make):
    """What the browser reads: numbers in columns, no row of JSON for each."""
    document = make(method="pca")
    count, rng = 1_000_000, np.random.default_rng(0)
    facts = EmbeddingMap.objects.get().facts
    ids = np.arange(count, dtype="u4")
    columns = {"xy": rng.random((count, 2)), "sample": ids, "class": ids % 10, "split": ids % 2,
               "uniqueness": np.zeros(count)}  # fmt: skip
    data = packed(columns)
    MapPoints.objects.update(data=data, count=count, digest=digest_of(data))
    answer = api.get(f"{MAPS}/{document['id']}/points")
    assert len(answer.content) < 20 * count
    header, found = read(answer)
    assert (header["count"], set(facts["columns"])) == (count, set(columns))
    assert np.array_equal(found["sample"], ids)
    assert np.array_equal(found["xy"], columns["xy"].astype("f4"))


@pytest.mark.clock
def test_erased_samples_leave_the_maps(api, truth, make, alice, run_job):
    kept, document = make(method="pca"), None
    api.post("/datasets/digits", {"remove": ["pool-00.png"]}, format="json")
    document = make(method="pca")
    assert (kept["count"], document["count"]) == (110, 109)
    before = read(api.get(kept["points"]))[1]
    gone = dict(Sample.objects.filter(key__in=["pool-00.png", "pool-01.png"]).values_list("pk", "key"))
    dataset = Dataset.objects.get()
    job = start_erasure(dataset, list(gone.values()), reason="asked to", confirm="digits", by=alice)
    assert run_job(job).state == "succeeded"
    after = [api.get(f"{MAPS}/{made['id']}").json() for made in (kept, document)]
    assert [made["count"] for made in after] == [108, 108]
    assert after[0]["points"] != kept["points"]
    stale = api.get(kept["points"])
    assert "immutable" not in stale["Cache-Control"]
    columns = read(stale)[1]
    rows = ~np.isin(before["sample"], list(gone))
    assert all(np.array_equal(columns[name], before[name][rows]) for name in columns)


@pytest.mark.clock
def test_a_sample_that_is_erased_while_the_map_is_made_is_not_in_it(api, truth, alice, run_job, monkeypatch):
    document = started(api, method="pca")
    erased: list[int] = []
    write = handlers._write_vectors

    def written(made, path, context):
        found = write(made, path, context)
        if not erased:
            (erased_pk,) = Sample.objects.filter(key="pool-07.png").values_list("pk", flat=True)
            job = start_erasure(made.version.dataset, ["pool-07.png"], reason="x", confirm="digits", by=alice)
            run_job(job)
            erased.append(erased_pk)
        return found

    monkeypatch.setattr(handlers, "_write_vectors", written)
    monkeypatch.setattr("django.conf.settings.JOB_BACKOFF_SECONDS", 0)
    assert run_job(Job.objects.get(pk=document["job"]["id"])).state == "succeeded"
    _, columns = read(api.get(f"{MAPS}/{document['id']}/points"))
    assert len(columns["sample"]) == 109
    assert erased[0] not in columns["sample"]


def test_a_map_that_is_not_there_yet_says_so_and_a_cancelled_one_is_made_anew(api, truth, make):
    first = started(api, method="pca")
    assert (first["count"], first["points"], first["facts"]) == (None, None, None)
    early = api.get(f"{MAPS}/{first['id']}/points")
    assert (early.status_code, early.json()["code"]) == (409, "map_unfinished")
    again = api.post(MAPS, {"method": "pca", "features": "pixels"}, format="json")
    assert again.json()["id"] == first["id"]
    services.cancel(first["job"]["id"])
    assert make(method="pca")["id"] != first["id"]
    assert EmbeddingMap.objects.count() == 2
    assert MapPoints.objects.count() == 1


def test_what_cannot_be_mapped_is_named(api, truth):
    body = {"task": "classification", "classes": ["a"], "name": "empty"}
    api.post("/datasets", body, format="json")
    assert api.post("/datasets/empty/maps", {}, format="json").status_code == 404  # it has no version
    for wrong, status in (
        ({"method": "magic"}, 400), ({"model": "digits-cnn"}, 400), ({"model": "none@1"}, 404),
        ({"version": "9"}, 404), ({"seed": -1}, 400),
    ):  # fmt: skip
        assert api.post(MAPS, wrong, format="json").status_code == status, wrong
    assert api.get(f"{MAPS}/99").json()["code"] == "map_unknown"


def test_a_killed_worker_costs_nothing_but_time(api, truth, run_job):
    """The shard is run again from the start, and its points are counted once."""
    document = started(api, method="pca")
    held = services.claim(document["job"]["id"], worker="doomed")
    assert held is not None
    services.release(held)
    assert run_job(Job.objects.get(pk=document["job"]["id"])).state == "succeeded"
    assert MapPoints.objects.count() == 1


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_columns_come_back_as_they_were_packed_each_where_its_numbers_may_lie(count):
    rng = np.random.default_rng(count)
    columns = {name: rng.integers(0, 200, (count, 2) if name == "xy" else count) for name in COLUMNS}
    data = packed(columns)
    found = unpacked(data, count, list(COLUMNS))
    assert all(np.array_equal(found[name], columns[name]) for name in COLUMNS)
    assert all(place["offset"] % COLUMNS[place["name"]].itemsize == 0 for place in places(count, list(COLUMNS)))


def test_so_many_maps_are_made_for_one_person_at_a_time(api, evas_api, truth):
    for seed in range(MOST_OPEN):
        started(api, seed=seed)
    refused = api.post(MAPS, {"seed": MOST_OPEN, "features": "pixels"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
    assert refused.headers["Retry-After"]
    known = api.post(MAPS, {"seed": 0, "features": "pixels"}, format="json")
    assert known.status_code == 200, "one that is there is no new one"
    started(evas_api, seed=MOST_OPEN)
    Job.objects.filter(embedding_map__seed=0).update(state=Job.State.SUCCEEDED)
    started(api, seed=MOST_OPEN + 1)
