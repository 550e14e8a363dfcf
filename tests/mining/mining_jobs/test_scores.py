"""Scores are kept: nothing is scored twice, what is poison is set aside, committees fill what they lack."""

import secrets

import numpy as np
import pytest
from tests.datasets.conftest import data, png
from tests.linear_model import CLASSES, registered, softmax, weights
from tests.practice import LANE
from tests.working import work_on

from blobs.decoding import load
from blobs.services import keep_bytes, store
from catalog.models import Dataset, RevisionQuerySet
from catalog.versions.datasets import find_version
from core.errors import Invalid
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.services import ShardSpec, cancel, create_job
from mining_jobs.models import ScoreFile
from mining_jobs.scores.committees import check_committee, check_fit
from mining_jobs.scores.files import calibration_of, table_of
from mining_jobs.scores.shards import score_rows
from registry.models import Model, ModelVersion
from scoring import Dropout, packed
from scoring.members import masks
from tasktypes import task_type

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


class Rescore:
    """Runs shards as a mining job's handler would, without its picks."""

    lane = LANE

    def run(self, context: ShardContext) -> Outcome:
        given = context.job.params
        version = ModelVersion.objects.select_related("model").get(pk=given["version"])
        chosen = rows().filter(sample__key__in=context.params["keys"]) if "keys" in context.params else rows()
        return score_rows(chosen, version, context, given["committee"])


def rows() -> RevisionQuerySet:
    return find_version(Dataset.objects.get(), "head").revisions


@pytest.fixture
def version(api, alice, object_store, settings) -> ModelVersion:
    """linear@1 and linear@2, and a pool of 30 images."""
    settings.JOB_HANDLERS = settings.JOB_HANDLERS | {"rescore": "tests.mining.mining_jobs.test_scores.Rescore"}
    common = {"task": "classification", "classes": CLASSES}
    assert api.post("/datasets", {"name": "dots"} | common, format="json").status_code == 201
    assert api.post("/models", {"name": "linear"} | common, format="json").status_code == 201
    grow(api, 0, 30)
    registered(Model.objects.get(), alice, seed=1, number=2)
    return registered(Model.objects.get(), alice)


@pytest.fixture
def scored(run_job):
    """What a job made of the pool's head."""

    def run(version, committee=None):
        params = {"version": version.pk, "committee": committee}
        job = run_job(create_job("rescore", "score again", shards=[ShardSpec()], params=params))
        assert job.state == Job.State.SUCCEEDED, job.error
        return job.shards.get().result

    return run


def grow(api, first, last):
    samples = [{"key": f"{n}.png", "data": data(png(n, (4, 4))), "split": "pool"} for n in range(first, last)]
    answer = api.post("/datasets/dots", {"samples": samples, "near_duplicates": "allow"}, format="json")
    assert answer.status_code == 201, answer.content


def pixels():
    """(N, 16) of the pool's images, by sample id, and their digests."""
    found = [(row.blob.md5, row.sample.key) for row in rows().select_related("blob", "sample").order_by("sample_id")]
    images = np.stack([load(png(int(key.partition(".")[0]), (4, 4)), (1, 4, 4)) for _, key in found])
    return images.reshape(len(images), 16).astype(np.float32), packed(md5 for md5, _ in found)


def test_a_second_job_scores_nothing_and_a_grown_pool_only_what_is_new(api, version, scored):
    first = scored(version)
    assert (first["scored"], first["reused"], first["quarantined"]) == (30, 0, [])
    assert (first["provider"], sum(first["histogram"]["counts"])) == ("CPUExecutionProvider", 30)
    assert scored(version) | {"seconds": 0.0} == {
        "scored": 0, "reused": 30, "quarantined": [], "histogram": None, "provider": None, "seconds": 0.0,
    }  # fmt: skip
    assert ScoreFile.objects.count() == 1
    grow(api, 30, 35)
    grown = scored(version)
    assert (grown["scored"], grown["reused"]) == (5, 30)
    images, md5 = pixels()
    table = table_of(version)
    np.testing.assert_allclose(table.probabilities_of(table.rows(md5)), softmax(images @ weights()), atol=1e-5)
    np.testing.assert_array_equal(table.embedding_of(table.rows(md5)), images.astype(np.float16))


def test_members_of_other_versions_are_scored_where_they_lack_and_reused_where_not(api, version, scored):
    other = version.model.versions.get(number=2)
    scored(other)
    grow(api, 30, 33)
    committee = {"versions": [2]}
    found = scored(version, committee)
    assert (found["scored"], found["reused"]) == (33 + 3, 30)
    assert scored(version, committee)["scored"] == 0
    assert scored(other)["scored"] == 0
    images, md5 = pixels()
    table = table_of(version, committee)
    members = table.members_of(table.rows(md5))
    expected = np.stack([softmax(images @ weights(seed)) for seed in (0, 1)], axis=1)
    np.testing.assert_allclose(members, expected, atol=1e-5)


def test_a_dropout_committee_has_scores_of_its_own(version, scored):
    asked = {"dropout": {"members": 4, "rate": 0.5, "seed": 3}}
    assert scored(version)["scored"] == 30
    assert scored(version, asked)["scored"] == 30
    assert scored(version, asked)["scored"] == 0
    assert scored(version, {"dropout": {"members": 4, "rate": 0.5, "seed": 4}})["scored"] == 30
    images, md5 = pixels()
    table = table_of(version, asked)
    expected = softmax((images[:, None] * masks(Dropout(members=4, rate=0.5, seed=3), 16)) @ weights())
    np.testing.assert_allclose(table.members_of(table.rows(md5)), expected, atol=1e-4)
    with pytest.raises(ValueError, match="no members"):
        table_of(version).members_of(np.arange(2))


def test_what_was_scored_before_a_job_was_cancelled_is_not_scored_again(version, scored):
    halves = [{"keys": [f"{n}.png" for n in range(at, at + 15)]} for at in (0, 15)]
    params = {"version": version.pk, "committee": None}
    job = create_job("rescore", "stopped", shards=[ShardSpec(half) for half in halves], params=params)
    assert work_on(job.pk)
    assert cancel(job.pk).state == Job.State.CANCELLED
    found = scored(version)
    assert (found["scored"], found["reused"]) == (15, 15)


def test_poison_is_set_aside_once_and_what_was_only_unreachable_is_tried_again(version, scored):
    text = keep_bytes(b"no image at all", media_type="image/png")
    unseen = png(secrets.randbits(64), (4, 4))  # what a test before it read is still on the disk
    lost = keep_bytes(unseen, media_type="image/png")
    for row, blob in zip(rows().order_by("sample_id"), (text, lost), strict=False):
        type(row).objects.filter(pk=row.pk).update(blob=blob)
    store().remove_object(lost.key)
    first = scored(version)
    assert first["scored"] == 28
    assert {item["md5"]: item["code"] for item in first["quarantined"]} == {
        text.md5: "not_an_image", lost.md5: "blob_unreadable",
    }  # fmt: skip
    assert "neither an image" in next(item for item in first["quarantined"] if item["md5"] == text.md5)["detail"]

    store().put_bytes(unseen)
    again = scored(version)
    assert (again["scored"], again["reused"]) == (1, 28)
    assert [item["code"] for item in again["quarantined"]] == ["not_an_image"]
    assert scored(version)["quarantined"] == again["quarantined"]
    assert ScoreFile.objects.count() == 2


def test_a_committee_of_versions_that_are_not_there_is_refused_by_field(version):
    for wrong in ({"versions": [7]}, {"versions": [1]}, {"versions": [0]}, {"dropout": {"rate": 2}}):
        with pytest.raises(Invalid) as caught:
            check_committee(version, wrong)
        assert next(iter(caught.value.errors)).startswith("committee.")
    check_committee(version, {"versions": [2]})
    check_committee(version, None)


def test_calibration_is_told_where_a_temperature_was_fitted(version):
    assert calibration_of(version) is None
    version.metrics = {"calibration": {"temperature": 1.5, "ece_before": 0.1, "ece_after": 0.02, "samples": 9}}
    assert calibration_of(version) == {"temperature": 1.5, "ece_before": 0.1, "ece_after": 0.02}


def test_mirror_images_are_refused_where_they_mean_something_else(monkeypatch):
    kind = task_type("multilabel")
    check_fit({"flips": True}, kind)
    monkeypatch.setattr(type(kind.mining), "mirrors", False)
    with pytest.raises(Invalid) as caught:
        check_fit({"flips": True}, kind)
    assert list(caught.value.errors) == ["committee.flips"]
