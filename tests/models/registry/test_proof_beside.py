"""A run ends with its float32 file proved; its other precisions follow by a job of their own, and gates that name one
wait for it."""

import pytest

from catalog.models import Dataset
from jobs.models import Job
from pipelines.models import Pipeline, Round
from pipelines.rounds import loop
from registry.models import Model, ModelVersion, Run
from registry.services import RunSpec, start_run

pytestmark = pytest.mark.django_db(transaction=True)
PIPELINE = {
    "name": "loop", "dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "strategy": "margin",
    "count": 10, "gates": [{"metric": "agreement", "artifact": "model.fp16.onnx", "min": 0.5}],
}  # fmt: skip
CONFIG = {"recipe": {"steps": 20}, "export": {"precisions": ["fp16"], "tensorrt": "never"}}


@pytest.fixture
def run(api, truth, alice) -> Run:
    version = Dataset.objects.get().head
    assert version
    return start_run(Model.objects.get(), version, RunSpec("small_cnn", CONFIG), author=alice)


def shown(api):
    return api.get("/models/digits-cnn/versions/1").json()


@pytest.mark.timeout(120)
def test_a_precision_is_proved_after_the_run_and_a_gate_that_names_it_waits(api, alice, run, run_job):
    assert run_job(run.job).state == "succeeded"
    before = shown(api)
    assert before["report"]["parity"]["passed"]
    assert before["metrics"]["accuracy"] > 0
    assert before["metrics"]["seconds"]["steps"].keys() == {"export", "parity", "evaluate", "check"}
    assert (before["report"]["variants"], before["precisions"][0]["state"]) == ({}, "being_proven")

    assert api.post("/pipelines", PIPELINE, format="json").status_code == 201
    round_ = Round.objects.create(pipeline=Pipeline.objects.get(), number=1, state="gating", run=run)
    assert loop.advance(round_.pk) == []
    assert Round.objects.get().state == "gating"

    job = run_job(Job.objects.get(kind="prove_precisions"))
    assert job.state == "succeeded", job.error
    after = shown(api)
    assert after["precisions"] == [{"precision": "fp16", "state": "proven", "job": job.pk}]
    assert after["report"]["variants"]["fp16"]["ready"]
    assert after["metrics"]["variants"]["fp16"]["samples"] == before["metrics"]["samples"]
    assert after["metrics"]["seconds"].keys() == {"train", "prove", "precisions", "steps"}
    assert after["digest"] == before["digest"]
    same = ["parity", "sha256", "checks"]
    assert [after["report"][name] for name in same] == [before["report"][name] for name in same]
    files = {row["path"] for row in after["artifacts"]} - {row["path"] for row in before["artifacts"]}
    assert files == {"model.fp16.onnx", "config.fp16.pbtxt", "evaluation.fp16.json", "predictions.fp16.npz"}
    card = b"".join(api.get("/models/digits-cnn/versions/1/artifacts/modelcard.md")).decode()
    assert "fp16" in card
    assert after["feeding"] == before["feeding"]
    assert card.count(f"```python\n{after['feeding']['python']}```") == 1
    assert card.count(f"```cpp\n{after['feeding']['cpp']}```") == 1
    told = {row["name"]: row["words"] for row in after["feeding"]["facts"]}
    assert {"size", "colour", "filter, shrinking", "outputs", "probabilities"} <= told.keys()
    assert all(f"| {name} | {words} |" in card for name, words in told.items())

    loop.advance(round_.pk)
    done = Round.objects.get()
    assert (done.state, (done.promotion or {}).get("promoted")) == ("done", True)
    assert ModelVersion.objects.get().aliases.get().name == "production"
    ModelVersion.objects.update(report={})
    assert shown(api)["feeding"] is None
