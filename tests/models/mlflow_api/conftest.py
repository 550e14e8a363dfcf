"""A model with versions that have files, a run with curves, and the stock MLflow client against a real web server."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.datasets.conftest import png
from tests.models.registry.conftest import dataset, model, version_with  # noqa: F401 - fixtures
from tests.models.registry.shipped import shipped
from tests.web import Web

from accounts.models import Token, User
from blobs.services import keep_bytes
from blobs.store import BlobStore
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Version
from catalog.versions.commit import commit
from jobs.models import Job, JobEvent
from jobs.services import ShardSpec, create_job
from registry.models import Artifact, Model, ModelVersion, Run

SETTINGS = {
    # without these it reports what is called with it to its makers, and tries for minutes
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "60",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
}
ONNX = shipped()
FILES = {"model.onnx": ONNX, "report.json": b"{}", "tensorboard/events.out.tfevents.run": b"curves"}


@pytest.fixture
def with_files(object_store: BlobStore, version_with: Any) -> Callable[..., ModelVersion]:  # noqa: F811 - a fixture's name
    """Make a version with FILES."""

    def make(accuracy: float = 0.9, *, ready: bool = True, run: Run | None = None) -> ModelVersion:
        version: ModelVersion = version_with(accuracy, ready=ready)
        blobs = {path: keep_bytes(content, media_type="x/y") for path, content in FILES.items()}
        for path, blob in blobs.items():
            Artifact.objects.create(version=version, path=path, blob=blob)
        version.digest, version.run = blobs["model.onnx"].sha256, run
        version.lock, version.report = {"code": "git:abc"}, version.report | {"opset": 20, "precision": "fp32"}
        if run is not None:
            version.dataset_version = run.version
        version.save()
        return version

    return make


@pytest.fixture
def data(dataset: Dataset, alice: User, object_store: BlobStore) -> Version:  # noqa: F811 - a fixture's name
    """A version of the dataset."""
    changes = ChangeSet([SampleChange("1.png", blob=keep_bytes(png(1), media_type="image/png"), split="pool")])
    made = commit(dataset, changes, author=alice).version
    assert made is not None
    return made


@pytest.fixture
def run_with(model: Model, data: Version, alice: User) -> Callable[..., Run]:  # noqa: F811 - a fixture's name
    """Make a run in this state, with a curve of these losses."""

    def make(state: str = "succeeded", *, losses: tuple[float, ...] = (), seed: int = 0, steps: int = 20) -> Run:
        job = create_job("train", "train", shards=[ShardSpec()], created_by=alice, project=model.project_id)
        Job.objects.filter(pk=job.pk).update(state=state)
        run = Run.objects.create(
            model=model, dataset=data.dataset, version=data, architecture="small_cnn", seed=seed, job=job,
            config={"recipe": {"steps": steps}}, created_by=alice,
        )  # fmt: skip
        for step, loss in enumerate(losses, start=1):
            JobEvent.objects.create(
                job=job, kind=JobEvent.Kind.POINT, data={"step": step, "values": {"loss": loss, "nothing": None}}
            )
        return Run.objects.select_related("job").get(pk=run.pk)

    return make


@pytest.fixture
def mlflow(web: Web, object_store: BlobStore, alice: User, tmp_path: Path, monkeypatch: Any) -> Iterator[Any]:
    """The stock client as Alice has it: the server and her token are in the environment."""
    monkeypatch.chdir(tmp_path)
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", web.url)
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", Token.objects.issue(alice, "mlflow")[1])
    import mlflow as stock

    yield stock
    assert not (tmp_path / "mlruns").exists(), "the client worked on a store of its own"
    assert os.environ["MLFLOW_TRACKING_URI"] == web.url
