"""Rounds turned by hand: a training ends when the test says so, with the figures it says; everything else is real."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from django.db import transaction

from accounts.models import User
from blobs.models import Blob
from blobs.services import keep_bytes
from catalog.models import Dataset, Version
from catalog.versions.datasets import find_version
from jobs.models import Job
from jobs.services import ShardSpec, claim, complete, create_job
from pipelines.models import Pipeline, Round
from pipelines.rounds import loop
from registry.models import Alias, Model, ModelVersion, Run
from registry.services import Origin, Proof, register, register_run
from tasktypes.classification.predictions import ClassPredictions

PIPELINE = {
    "name": "loop", "dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "strategy": "random",
    "count": 10, "control": 0.0, "gates": [],
}  # fmt: skip
NUMBERS = count()


def make(api, **terms: Any) -> Pipeline:
    answer = api.post("/pipelines", PIPELINE | terms, format="json")
    assert answer.status_code == 201, answer.content
    return Pipeline.objects.get(pk=answer.json()["id"])


def shown(api, name: str = "loop") -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/pipelines/{name}").json()
    return found


def newest(api, name: str = "loop") -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/pipelines/{name}/rounds").json()["results"][0]
    return found


def head() -> Version:
    return find_version(Dataset.objects.select_related("head").get(name="digits"), "head")


def learned(
    version: Version | None = None,
    *,
    accuracy: float = 0.5,
    architecture: str = "small_cnn",
    config: Mapping[str, Any] | None = None,
    **metrics: Any,
) -> ModelVersion:
    """A registered version that was trained on the dataset's head."""
    model, alice = Model.objects.get(name="digits-cnn"), User.objects.get(username="alice")
    version = version or head()
    proof = Proof(f"{next(NUMBERS):064d}", {"accuracy": accuracy, "samples": 200} | metrics, {}, {}, {})
    with transaction.atomic():
        job = create_job("train", "Train", shards=[ShardSpec()], created_by=alice, project=model.project_id)
        Job.objects.filter(pk=job.pk).update(state=Job.State.SUCCEEDED)
        run = Run.objects.create(
            model=model, dataset=version.dataset, version=version, architecture=architecture,
            config=dict(config or {}), job=job, created_by=alice,
        )  # fmt: skip
        origin = Origin(architecture, alice, version, run)
        return register(model.pk, proof, origin)


def in_production(version: ModelVersion) -> None:
    Alias.objects.update_or_create(model=version.model, name="production", defaults={"version": version})


def trained(job: Job, **figures: Any) -> ModelVersion:
    """Both phases of a training end well, as if a worker had said so."""
    run = Run.objects.select_related("model", "version", "created_by").get(job=job)
    held = claim(job.pk, worker="test")
    assert held is not None
    assert complete(held, {"files": {}})
    held = claim(job.pk, worker="test")
    assert held is not None
    labels = run.version.revisions.filter(split="train").exclude(label=None).count()
    metrics = {"accuracy": 0.5, "samples": 200, "training_samples": labels} | figures
    artifacts: dict[str, Blob] = metrics.pop("artifacts", {})
    proof = Proof(f"{next(NUMBERS):064d}", metrics, {}, {}, artifacts)

    def registered() -> None:
        register_run(run, proof)

    assert complete(held, {}, apply=registered)
    return ModelVersion.objects.get(run=run)


def saying(predicted: list[int]) -> dict[str, Blob]:
    """The artefact with the predictions of a model on a test split of as many samples."""
    probabilities = np.eye(10, dtype=np.float32)[predicted]
    said = ClassPredictions.of(probabilities, np.zeros(len(predicted), np.int64))
    keys = [f"{place:03}" for place in range(len(predicted))]
    named = said.named(keys, [f"{place:032x}" for place in range(len(predicted))], slices={})
    return {"predictions.npz": keep_bytes(named.to_bytes(), media_type="application/zip")}


@dataclass
class Turner:
    """Turns rounds: works their jobs, answers their queues from the truth, ends their trainings."""

    api: Any
    truth: Mapping[str, str]
    run_job: Any
    figures: Iterator[dict[str, Any]] = field(default_factory=lambda: iter(()))

    def until(self, *states: str, name: str = "loop") -> dict[str, Any]:
        """Take steps until the newest round stands in one of `states`."""
        round_ = Round.objects.filter(pipeline__name=name).latest("number")
        for _ in range(40):
            for job in loop.advance(round_.pk):
                trained(job, **next(self.figures, {})) if job.kind == "train" else self.run_job(job)
            found = newest(self.api, name)
            if found["state"] in states:
                return found
            if found["state"] == "labelling":
                self.label(found["queue_id"])
        raise AssertionError(f"the round is {found['state']}: {found['error']}")

    def start(self, name: str = "loop") -> None:
        answer = self.api.post(f"/pipelines/{name}/rounds")
        assert answer.status_code == 202, answer.content

    def label(self, queue: int, *, at_most: int = 1000, wrong: bool = False) -> None:
        """Answer a queue's tasks, all rightly or all wrongly."""
        for _ in range(at_most):
            handout = self.api.post(f"/labeling/queues/{queue}/next", {"count": 1}, format="json")
            if handout.status_code != 200:
                return
            (task,) = handout.json()["tasks"]
            known = self.truth[task["sample"]["key"]]
            value = {"class": str((int(known) + 1) % 10) if wrong else known}
            said = {"value": value, "seconds": 1, "lease_token": task["lease_token"]}
            assert self.api.post(f"/labeling/tasks/{task['id']}/answer", said, format="json").status_code == 200
