"""What a model's scores say about samples: leaks between splits, slices by prediction, a filtered pool."""

import io
from typing import cast

import numpy as np
import pytest
from PIL import Image
from tests.datasets.conftest import data

from blobs.services import store
from catalog.models import Dataset, NearDuplicate
from catalog.versions.datasets import find_version
from jobs.context import ShardContext
from jobs.models import Job
from maps import leak_checks
from mining_jobs.models import ScoreFile
from mining_jobs.scores.files import table_of
from registry.models import ModelVersion
from scoring import Scores, ScoreTable, packed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
RUN = {
    "model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn", "config": {"recipe": {"steps": 5}},
}  # fmt: skip


@pytest.fixture
def model(api, truth, run_job) -> str:
    """`digits-cnn@1`, trained for a moment."""
    answer = api.post("/runs", RUN, format="json")
    assert answer.status_code == 202, answer.content
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    return "digits-cnn@1"


def checked(api, run_job, **terms):
    answer = api.post("/datasets/digits/leak-checks", {"model": "digits-cnn@1"} | terms, format="json")
    assert answer.status_code == 202, answer.content
    for address in ("/datasets/digits", "/models/digits-cnn"):
        assert "leak checks" in str(api.get(f"{address}/deletion").json()), "it is held up while the check waits"
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    return job.result


def noisy(key: str) -> str:
    """The image of a sample with some noise."""
    revision = find_version(Dataset.objects.get(), "head").revisions.get(sample__key=key)
    pixels = np.asarray(Image.open(io.BytesIO(store().get(revision.blob.ref)))).astype(int)
    noise = np.random.default_rng(0).normal(0, 4, pixels.shape)
    out = io.BytesIO()
    Image.fromarray(np.clip(pixels + noise, 0, 255).astype(np.uint8)).save(out, "PNG")
    return data(out.getvalue())


def test_embeddings_scores_and_filters(api, truth, run_job, model):
    """One training serves them all."""
    sample = {"key": "copy.png", "data": noisy("test-03.png"), "split": "pool"}
    posted = api.post("/datasets/digits", {"samples": [sample], "near_duplicates": "allow"}, format="json").json()
    assert [row["of"] for row in posted["near_duplicates"]] == ["test-03.png"]

    result = checked(api, run_job, threshold=0.9)
    assert (result["tests"], result["others"], result["unscored"]) == (30, 81, 0)
    told = api.get("/datasets/digits/samples/copy.png/lineage").json()["contained_in"]["score_files"]
    assert {(row["kind"], row["id"]) for row in told} == {("leak_check", row.pk) for row in ScoreFile.objects.all()}
    table = table_of(ModelVersion.objects.get())
    rows = find_version(Dataset.objects.get(), "head").revisions.order_by("sample_id")
    expected = brute(table, rows, 0.9)
    found = {
        row.sample.key: (row.of.key, round(row.distance, 4)) for row in NearDuplicate.objects.filter(found_by=model)
    }
    assert found == expected
    assert found["copy.png"][0] == "test-03.png"
    assert result["found"] == len(found)
    assert {(pair["key"], pair["of"]) for pair in result["pairs"]} == {(key, of) for key, (of, _) in found.items()}
    decide(api, found)

    api.post("/datasets/digits", {"labels": [{"key": "copy.png", "label": {"class": "3"}}]}, format="json")
    assert find_version(Dataset.objects.get(), "head").revisions.get(sample__key="copy.png").split == "pool"

    scored = ScoreFile.objects.count()
    again = checked(api, run_job, threshold=1.0)
    assert (again["found"] < result["found"], ScoreFile.objects.count()) == (True, scored)
    kept = NearDuplicate.objects.filter(found_by=model)
    assert kept.count() == again["found"], "what the lower threshold had found is no longer kept out of train"

    unsure(api, table, rows)
    mined(api, run_job)


def decide(api, found):
    """What is in train stays there until somebody keeps it out; each of the pairs is counted once."""
    splits = dict(find_version(Dataset.objects.get(), "head").revisions.values_list("sample__key", "split"))
    leaking, pool = ([key for key in found if splits[key] == split] for split in ("train", "pool"))
    assert leaking
    counts = api.get("/datasets/digits/near-duplicates").json()["counts"]
    assert (counts["in_train"], counts["kept_out"]) == (len(leaking), len(pool))
    api.post("/datasets/digits/near-duplicates", {"decision": "keep_out", "keys": leaking[:1]}, format="json")
    assert api.get("/datasets/digits/near-duplicates").json()["counts"]["in_train"] == len(leaking) - 1


def unsure(api, table, rows):
    """A slice by prediction finds what the table says."""
    condition = {"model": "digits-cnn@1", "class": ["3", "8"], "confidence": {"<": 0.9, ">=": 0.2}}
    made = api.post("/datasets/digits/slices", {"name": "unsure", "filter": {"prediction": condition}}, format="json")
    assert made.status_code == 201, made.content
    probabilities = table.probabilities_of(np.arange(len(table)))
    best, chosen = probabilities.max(axis=1), np.isin(probabilities.argmax(axis=1), [3, 8])
    kept = {bytes.fromhex(md5) for md5 in rows.values_list("blob__md5", flat=True)}
    said = {row.ljust(16, b"\0") for row in table.md5[chosen & (best < 0.9) & (best >= 0.2)]} & kept
    shown = api.get("/datasets/digits/versions/head/samples", {"slice": "unsure", "limit": 200}).json()
    assert {bytes.fromhex(row["digest"]) for row in shown["results"]} == said
    assert shown["total"] == len(shown["results"])


def mined(api, run_job):
    """A mining job picks from the part of the pool that passes the filter; what it was is kept."""
    body = {"dataset": "digits", "model": "digits-cnn@1", "strategy": "margin", "count": 5}
    api.post("/datasets/digits/slices", {"name": "late", "filter": {"q": "pool-5"}}, format="json")
    answer = api.post("/mining/jobs", body | {"filter": {"slice": "late"}}, format="json")
    assert answer.status_code == 202, answer.content
    assert answer.json()["filter"] == {"key": {"contains": "pool-5"}}
    run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    picks = api.get(f"/mining/jobs/{answer.json()['id']}/picks").json()["results"]
    assert len(picks) == 5
    assert all(pick["sample"]["key"].startswith("pool-5") for pick in picks)
    for wrong, field in (({"slice": "none"}, "filter.slice"), ({"x": 1}, "filter.x"), ({"q": "nowhere"}, "version")):
        refused = api.post("/mining/jobs", body | {"filter": wrong}, format="json")
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])


def brute(table, rows, threshold):
    """Every sample outside test and its nearest test sample, by comparing each with each."""
    facts = list(rows.values_list("sample__key", "split", "blob__md5"))
    embedding = table.embedding_of(np.arange(len(table)))
    vectors = {md5.ljust(16, b"\0"): row.astype(np.float32) for md5, row in zip(table.md5, embedding, strict=True)}
    unit = {key: vectors[bytes.fromhex(md5)] / np.linalg.norm(vectors[bytes.fromhex(md5)]) for key, _, md5 in facts}
    tests = [key for key, split, _ in facts if split == "test"]
    found = {}
    for key, split, _ in facts:
        cosine, of = max((float(unit[key] @ unit[test]), test) for test in tests)
        if split != "test" and cosine >= threshold:
            found[key] = (of, round(1 - cosine, 4))
    return found


def test_nothing_to_compare_with_is_refused(api, truth):
    assert api.post("/datasets/digits/leak-checks", {"model": "none@1"}, format="json").status_code == 404
    wrong = api.post("/datasets/digits/leak-checks", {"model": "digits-cnn", "threshold": 3}, format="json")
    assert list(wrong.json()["errors"]) == ["model", "threshold"]  # a line of versions is none of them


def test_blocks_of_products_find_what_one_product_finds(monkeypatch):
    monkeypatch.setattr(leak_checks, "ROWS", 7)
    monkeypatch.setattr(leak_checks, "TESTS", 5)

    class Context:
        def check(self): ...
        def progress(self, done, total): ...

    vectors = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float16)
    ids = packed(f"{row:032x}" for row in range(60))
    table = ScoreTable([Scores(ids, np.ones((60, 1), np.float32), vectors)])
    rows, tests = np.arange(40), np.arange(40, 60)
    unit = leak_checks._unit(vectors)
    cosines = unit[rows] @ unit[tests].T
    expected = [(row, int(cosines[row].argmax())) for row in range(40) if cosines[row].max() >= 0.9]
    assert [
        (row, test) for row, test, _ in leak_checks._near(table, rows, tests, 0.9, cast(ShardContext, Context()))
    ] == expected
    assert len(expected) > 5
