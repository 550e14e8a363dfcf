"""A model is trained on the encoder that somebody brought, from its files over HTTP to picks by the model."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from tests.collecting import collected
from tests.datasets.conftest import data
from tests.mining.similarity.test_encoders import add
from tests.mining.similarity.test_similar import png
from tests.models.export.test_trunk import CLASSES, adopted, noisy, with_a_sequence
from tests.tiny_encoders import SIDE, WIDTH
from tests.working import working_on

from accounts.models import Project
from blobs.decoding import load
from blobs.services import keep_bytes, store
from catalog.models import Dataset
from jobs.models import Job
from registry.models import Model, ModelVersion, Run
from registry.preparing import start_preparing
from similarity.models import UNCHECKED, Encoder

pytestmark = pytest.mark.django_db(transaction=True)
SPLITS = {"train": 40, "test": 16, "pool": 12}
QUICK = {"trunks": ["efficientnet_lite0"], "scratch": "never", "fine_tune": "never", "semi_supervised": "never"}
RUN: dict[str, Any] = {"model": "tints-cnn", "dataset": "tints",
       "config": {"params": QUICK, "export": {"precisions": [], "tensorrt": "never"}}}  # fmt: skip


@pytest.fixture
def tints(api, object_store):
    """Noisy images whose mean colour tells their class, and a model for them."""
    common = {"task": "classification", "classes": CLASSES}
    for path, name in (("/datasets", "tints"), ("/models", "tints-cnn")):
        assert api.post(path, common | {"name": name}, format="json").status_code == 201
    samples, number = [], 0
    for split, count in SPLITS.items():
        for _ in range(count):
            number += 1
            label = {} if split == "pool" else {"label": {"class": CLASSES[number % 2]}}
            key = f"{number}.png"
            samples.append({"key": key, "split": split, "data": data(png(noisy(number)[..., ::-1]))} | label)
    assert api.post("/datasets/tints", {"samples": samples}, format="json").status_code == 201


@pytest.fixture
def working(object_store):
    """A worker beside the requests."""
    with working_on("adopt_encoder"):
        yield


def encoder_of(user, name: str, project: Project, fault: str = "") -> Encoder:
    """An encoder that nobody can run."""
    image, text = (keep_bytes(part + name.encode(), media_type="application/octet-stream") for part in (b"i", b"t"))
    values = {"project": project, "width": WIDTH, "created_by": user, "trunk_fault": fault}
    return Encoder.objects.create(name=name, image=image, text=text, **values)


def colours_of(user) -> Encoder:
    """An encoder that a worker has checked."""
    image, text = (keep_bytes(part, media_type="application/octet-stream") for part in (adopted(), b"texts"))
    values = {"project": Project.objects.get(name="default"), "width": WIDTH, "created_by": user, "trunk_fault": ""}
    return Encoder.objects.create(name="colours", image=image, text=text, **values)


def refusal(api, params, architecture="auto", status=400):
    body = RUN | {"architecture": architecture, "config": {"params": params}}
    told = api.post("/runs", body, format="json")
    assert told.status_code == status, told.content
    return told.json()


@pytest.mark.both
def test_auto_trains_on_an_encoder_that_is_better_and_its_model_mines_by_itself(api, tints, working, run_job):
    assert add(api)["trunk_fault"] == ""
    sha256 = api.get("/encoders/colours").json()["digest"]
    started = api.post("/runs", RUN, format="json")
    assert started.status_code == 202, started.content
    busy = api.delete("/encoders/colours")
    assert (busy.status_code, busy.json()["code"]) == (409, "encoder_busy")
    assert "trains on 'colours'" in busy.json()["detail"]
    run = Run.objects.get(pk=started.json()["id"])
    assert (job := run_job(run.job)).state == "succeeded", job.error

    version = api.get("/models/tints-cnn/versions/1").json()
    assert (version["architecture"], version["metrics"]["choice"]["name"]) == ("encoder", "encoder colours, frozen")
    assert version["lock"]["encoder"] == {"name": "colours", "sha256": sha256}
    assert version["metrics"]["accuracy"] > 0.9
    assert version["report"]["ready"], version["report"]["checks"]

    gone = api.delete("/encoders/colours").json()
    assert gone == {"name": "colours", "embeddings": 0, "models": ["tints-cnn@1"]}
    collected()
    made = ModelVersion.objects.get()
    assert store().get(made.artifacts.get(path="trunk.onnx").blob.ref), "the version keeps what it can go on from"
    session = onnxruntime.InferenceSession(store().get(made.onnx.ref))
    numbers = range(900, 910)
    images = [load(png(noisy(number)[..., ::-1]), (3, SIDE, SIDE)) for number in numbers]
    pixels = np.stack(images).transpose(0, 3, 1, 2).astype(np.float32)
    (likely,) = session.run(["probabilities"], {"input": pixels})
    assert [CLASSES[row] for row in likely.argmax(axis=1)] == [CLASSES[number % 2] for number in numbers]

    asked = {"dataset": "tints", "model": "tints-cnn@1", "strategy": {"name": "margin"}, "count": 4}
    mined = api.post("/mining/jobs", asked, format="json")
    assert mined.status_code == 202, mined.content
    assert run_job(Job.objects.get(pk=mined.json()["job"]["id"])).state == "succeeded"
    assert len(api.get(f"/mining/jobs/{mined.json()['id']}/picks").json()["results"]) == 4


def test_a_named_encoder_is_trained_on_and_its_file_stays_while_the_run_may_go_on(api, tints, working, run_job):
    add(api)
    body = RUN | {"architecture": "encoder", "config": RUN["config"] | {"params": {"encoder": "colours"}}}
    started = api.post("/runs", body, format="json")
    assert started.status_code == 202, started.content
    run = Run.objects.get(pk=started.json()["id"])
    assert api.post(f"/jobs/{run.job_id}/cancel").status_code in (200, 202)
    run_job(run.job)
    assert api.delete("/encoders/colours").json()["models"] == []
    collected()
    assert api.post(f"/runs/{run.pk}/resume").status_code in (200, 202)
    assert (job := run_job(Job.objects.get(pk=run.job_id))).state == "succeeded", job.error
    assert api.get("/models/tints-cnn/versions/1").json()["metrics"]["accuracy"] > 0.9
    cloned = api.post(f"/runs/{run.pk}/clone", {}, format="json")
    assert (cloned.status_code, cloned.json()["code"]) == (400, "encoder_unknown")


def test_embeddings_for_a_training_to_come_are_prepared_and_keep_the_encoder(api, tints, alice, run_job):
    encoder, dataset = colours_of(alice), Dataset.objects.get(name="tints")
    head = dataset.versions.latest("number")
    samples = head.revisions.filter(split="pool").values_list("sample", flat=True)
    config = {"params": QUICK}
    job = start_preparing(Model.objects.get(), head, "auto", config, list(samples), author=alice)
    assert api.delete(f"/encoders/{encoder.pk}").json()["code"] == "encoder_busy"
    assert (done := run_job(job)).state == "succeeded", done.error
    assert done.shards.get().result == {"images": SPLITS["train"] + SPLITS["pool"] + SPLITS["test"]}
    assert api.delete(f"/encoders/{encoder.pk}").status_code == 200


def test_an_encoder_that_tensorrt_refuses_is_added_for_search_and_not_trained_on(api, tints, working):
    assert "SequenceAt is not supported" in add(api, image=with_a_sequence())["trunk_fault"]
    told = refusal(api, {"encoder": "colours"}, "encoder")
    assert (told["code"], list(told["errors"])) == ("encoder_unfit", ["config.params.encoder"])
    assert "SequenceAt is not supported" in told["errors"]["config.params.encoder"][0]
    assert list(refusal(api, {"encoders": ["colours"]})["errors"]) == ["config.params.encoders"]
    started = api.post("/runs", RUN, format="json")
    assert "encoders" not in Run.objects.get(pk=started.json()["id"]).job.shards.get(phase=0).params


def test_of_an_encoder_of_another_project_a_training_knows_nothing(api, tints, alice):
    encoder_of(alice, "far", Project.objects.create(name="elsewhere"))
    told = refusal(api, {"encoder": "far"}, "encoder")
    assert told["code"] == "encoder_unknown"
    assert told["errors"]["config.params.encoder"] == [
        "the project has no encoder 'far'; it has none: add one (`lode encoder add`)"
    ]
    assert refusal(api, {}, "encoder")["code"] == "encoder_unknown"
    started = api.post("/runs", RUN, format="json")
    assert "encoders" not in Run.objects.get(pk=started.json()["id"]).job.shards.get(phase=0).params


def test_auto_is_given_the_newest_three_that_fit_or_those_that_are_named(api, tints, alice):
    project = Project.objects.get(name="default")
    for name, fault in (("one", ""), ("two", ""), ("odd", "NonZero is not supported"), ("three", ""), ("four", ""),
                        ("old", UNCHECKED)):  # fmt: skip
        encoder_of(alice, name, project, fault)

    def given(params):
        started = api.post("/runs", RUN | {"config": {"params": QUICK | params}}, format="json")
        assert started.status_code == 202, started.content
        return list(Run.objects.get(pk=started.json()["id"]).job.shards.get(phase=0).params.get("encoders", {}))

    assert sorted(given({})) == ["four", "three", "two"]
    assert given({"encoders": ["one"]}) == ["one"]
    assert given({"encoders": []}) == []
    assert "remove it and add it again" in str(refusal(api, QUICK | {"encoders": ["old"]}))


def test_forecasts_sweeps_pipelines_and_back_tests_refuse_an_encoder_that_they_cannot_train_on(api, tints):
    asked = {"dataset": "tints", "architecture": "encoder", "config": {"params": {"encoder": "none"}}}
    space = {"recipe.learning_rate": {"low": 0.001, "high": 0.01}}
    for path, body in (("/runs/forecast", asked), ("/sweeps", asked | {"model": "tints-cnn", "space": space})):
        told = api.post(path, body, format="json")
        assert (told.status_code, list(told.json()["errors"])) == (400, ["config.params.encoder"]), told.content
    loop = asked | {"name": "loop", "model": "tints-cnn"}
    told = api.post("/pipelines", loop, format="json")
    assert (told.status_code, told.json()["code"]) == (400, "encoder_unknown")
    replay = {"learner": {"kind": "train", "architecture": "encoder"}, "strategies": ["margin"]}
    sizes = {"dataset": "tints", "seeds": 2, "rounds": 1, "count": 2, "start": 4}
    told = api.post("/backtests", replay | sizes, format="json")
    assert (told.status_code, list(told.json()["errors"])) == (400, ["learner.architecture"])
