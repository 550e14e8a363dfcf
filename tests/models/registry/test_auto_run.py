"""A run that names no architecture trains `auto`: its version is one proved ONNX file, and it says what was chosen."""

import numpy as np
import onnxruntime
import pytest

from blobs.services import store
from registry.models import ModelVersion, Run

pytestmark = pytest.mark.django_db(transaction=True)
RUN = {
    "model": "digits-cnn", "dataset": "digits",
    "config": {"params": {"trunks": ["efficientnet_lite0"], "scratch": "never"},
               "export": {"precisions": [], "tensorrt": "never"}},
}  # fmt: skip


def test_the_default_run_becomes_a_version_that_says_what_was_chosen(api, truth, run_job):
    started = api.post("/runs", RUN, format="json")
    assert started.status_code == 202, started.content
    assert started.json()["architecture"] == "auto"
    assert started.json()["choice"] is None
    run = Run.objects.get(pk=started.json()["id"])
    assert run_job(run.job).state == "succeeded"
    shown = api.get(f"/runs/{run.pk}").json()
    choice = shown["choice"]
    assert choice["architecture"] == "efficientnet_lite0"
    assert "% right" in choice["reason"]
    assert choice["labels"] == 20
    version = api.get("/models/digits-cnn/versions/1").json()
    assert version["architecture"] == "efficientnet_lite0"
    assert version["metrics"]["choice"] == choice
    assert version["report"]["parity"]["passed"]
    made = ModelVersion.objects.get()
    session = onnxruntime.InferenceSession(store().get(made.onnx.ref))
    (fed,) = session.get_inputs()
    told = session.run(None, {fed.name: np.zeros((2, *fed.shape[1:]), np.float32)})
    assert {one.name for one in session.get_outputs()} >= {"logits", "embedding"}
    assert len(told[0]) == 2


def test_a_setting_of_another_architecture_is_refused_by_name(api, truth):
    refused = api.post("/runs", RUN | {"config": {"params": {"width": 8}}}, format="json")
    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == ["config.params.width"]


@pytest.mark.parametrize("task", ["detection", "multilabel"])
def test_where_it_learns_no_head_the_recommended_architecture_is_trained(api, task):
    body = {"name": "others", "task": task, "classes": ["cat", "dog"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    told = api.get("/datasets/others/recommended-architecture").json()
    assert told["learner"]["architecture"] == told["architecture"] != "auto"
    assert "auto is for one class an image" in told["learner"]["reason"]


def test_sweeps_and_back_tests_want_one_architecture(api, truth):
    told = {"dataset": "digits", "learner": {"kind": "train", "architecture": "auto"}, "strategies": ["margin"],
            "seeds": 2, "rounds": 1, "count": 2, "start": 4}  # fmt: skip
    refused = api.post("/backtests", told, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["learner.architecture"])
    told = {"dataset": "digits", "model": "digits-cnn", "architecture": "auto",
            "space": {"recipe.learning_rate": {"low": 0.001, "high": 0.01}}}  # fmt: skip
    refused = api.post("/sweeps", told, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["architecture"])
