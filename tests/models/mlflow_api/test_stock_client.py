"""What MLflow's own client does with models, versions, files and runs, against a real web server."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import yaml
from tests.models.mlflow_api.conftest import FILES

from accounts.models import Token
from accounts.services import create_user, first_project
from registry.models import Model, Promotion

pytestmark = [pytest.mark.both, pytest.mark.filterwarnings("ignore::FutureWarning")]


@pytest.fixture
def client(mlflow: Any) -> Any:
    return mlflow.MlflowClient()


def below(folder: str) -> dict[str, bytes]:
    root = Path(folder)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def refused(call: Any, *arguments: Any, **more: Any) -> Any:
    """The error of a call that the server refuses."""
    from mlflow.exceptions import MlflowException  # not before its settings are there

    with pytest.raises(MlflowException) as error:
        call(*arguments, **more)
    return error.value


def test_models_and_versions_are_found_with_their_facts(
    client: Any, with_files: Any, run_with: Any, model: Any
) -> None:
    run = run_with()
    made = with_files(run=run)
    (found,) = client.search_registered_models()
    assert (found.name, found.tags["task"], found.tags["project"]) == ("digits-cnn", "classification", "default")
    assert client.get_registered_model("digits-cnn").latest_versions[0].version == "1"
    (version,) = client.search_model_versions("name = 'digits-cnn' AND tags.dataset = 'digits'")
    assert version.run_id == str(run.pk) == client.get_model_version("digits-cnn", "1").run_id
    assert version.tags["sha256"] == made.digest == hashlib.sha256(FILES["model.onnx"]).hexdigest()
    facts = {"dataset": "digits", "dataset_version": "1", "opset": "20", "precision": "fp32", "parity": "passed",
             "test_accuracy": "0.9", "revision": "git:abc"}  # fmt: skip
    assert facts.items() <= version.tags.items()
    error = refused(client.get_registered_model, "nothing")
    assert (error.error_code, "no model 'nothing'" in str(error)) == ("RESOURCE_DOES_NOT_EXIST", True)


def test_an_alias_is_a_promotion_with_its_gates(client: Any, with_files: Any, model: Any) -> None:
    with_files(0.9)
    with_files(0.5)
    with_files(0.95, ready=False)
    client.set_registered_model_alias("digits-cnn", "production", "1")
    assert client.get_model_version_by_alias("digits-cnn", "production").version == "1"
    made = Promotion.objects.get()
    assert (made.by.username, made.alias, bool(made.gates)) == ("alice", "production", True)
    worse = refused(client.set_registered_model_alias, "digits-cnn", "production", "2")
    assert "accuracy: 0.5000 against 0.9000 of v1" in str(worse)
    unready = refused(client.set_registered_model_alias, "digits-cnn", "production", "3")
    assert (unready.error_code, "Bernoulli" in str(unready)) == ("RESOURCE_CONFLICT", True)
    assert client.get_registered_model("digits-cnn").aliases == {"production": "1"}
    assert client.get_latest_versions("digits-cnn", ["Production"])[0].version == "1"
    assert {one.version for one in client.get_latest_versions("digits-cnn")} == {"1", "3"}
    assert "rollback" in str(refused(client.delete_registered_model_alias, "digits-cnn", "production"))
    assert "`latest`" in str(refused(client._get_registry_client().store.set_registered_model_alias,
                                     "digits-cnn", "latest", "1"))  # fmt: skip
    assert Promotion.objects.count() == 1


def test_the_files_of_a_version_come_with_their_bytes(mlflow: Any, client: Any, with_files: Any, run_with: Any) -> None:
    run = run_with()
    with_files(run=run)
    Model.objects.update(gates=[])  # it trained on no sample of some classes
    client.set_registered_model_alias("digits-cnn", "production", "1")
    for name in ("models:/digits-cnn@production", "models:/digits-cnn/1", "models:/digits-cnn/latest",
                 "models:/digits-cnn/Production"):  # fmt: skip
        found = below(mlflow.artifacts.download_artifacts(name))
        assert FILES.items() <= found.items(), name
        assert set(found) - set(FILES) == {"MLmodel", "registered_model_meta"}
    alone = mlflow.artifacts.download_artifacts("models:/digits-cnn/1/model.onnx")
    assert Path(alone).read_bytes() == FILES["model.onnx"]
    of_run = mlflow.artifacts.download_artifacts(f"runs:/{run.pk}/tensorboard")
    assert below(of_run) == {"events.out.tfevents.run": b"curves"}
    told = {one.path: (one.is_dir, one.file_size) for one in client.list_artifacts(str(run.pk))}
    assert told["tensorboard"] == (True, None)
    assert told["model.onnx"] == (False, len(FILES["model.onnx"]))
    (inside,) = client.list_artifacts(str(run.pk), "tensorboard")
    assert inside.path == "tensorboard/events.out.tfevents.run"
    assert client.list_artifacts(str(run.pk), "model.onnx") == []


def test_mlmodel_says_how_to_run_the_file(mlflow: Any, with_files: Any) -> None:
    """`mlflow.onnx.load_model` reads it, and so does this; the module itself wants pandas."""
    version = with_files()
    folder = Path(mlflow.artifacts.download_artifacts("models:/digits-cnn/1"))
    told = yaml.safe_load((folder / "MLmodel").read_text())
    assert told["flavors"]["python_function"]["loader_module"] == "mlflow.onnx"
    assert told["metadata"]["sha256"] == version.digest
    session = onnxruntime.InferenceSession(str(folder / told["flavors"]["onnx"]["data"]))
    shape = [2, *session.get_inputs()[0].shape[1:]]
    (said,) = session.run(["probabilities"], {"input": np.full(shape, 200, np.float32)})
    assert said.argmax(axis=1).tolist() == [1, 1]


def test_a_model_is_an_experiment_and_its_trainings_are_runs(
    client: Any, with_files: Any, run_with: Any, model: Any
) -> None:
    first = run_with(losses=(0.9, 0.4, 0.2), seed=1)
    failed = run_with("failed")
    with_files(0.9, run=first)
    (experiment,) = client.search_experiments()
    assert (experiment.experiment_id, experiment.name) == (str(model.pk), "digits-cnn")
    assert client.get_experiment_by_name("digits-cnn").experiment_id == experiment.experiment_id
    assert client.get_experiment(experiment.experiment_id).name == "digits-cnn"
    assert client.get_experiment_by_name("nothing") is None
    runs = client.search_runs([experiment.experiment_id])
    assert [(run.info.run_id, run.info.status) for run in runs] == [
        (str(failed.pk), "FAILED"), (str(first.pk), "FINISHED"),
    ]  # fmt: skip
    run = client.get_run(str(first.pk))
    assert run.data.metrics == {"loss": 0.2, "test_accuracy": 0.9}
    params = {"seed": "1", "recipe.steps": "20", "architecture": "small_cnn", "dataset": "digits", "version": "1"}
    assert params.items() <= run.data.params.items()
    assert "recipe.seed" not in run.data.params
    tags = {"dataset": "digits", "dataset_version": "1", "model_version": "1", "revision": "git:abc"}
    assert tags.items() <= run.data.tags.items()
    assert (run.inputs.dataset_inputs[0].dataset.name, run.inputs.dataset_inputs[0].dataset.digest) == ("digits", "v1")
    curve = client.get_metric_history(str(first.pk), "loss")
    assert [(point.step, point.value) for point in curve] == [(1, 0.9), (2, 0.4), (3, 0.2)]
    (proved,) = client.get_metric_history(str(first.pk), "test_accuracy")
    assert (proved.value, proved.step) == (0.9, 3)
    assert client.get_metric_history(str(first.pk), "nothing") == []
    assert refused(client.get_run, "999").error_code == "RESOURCE_DOES_NOT_EXIST"


@pytest.mark.parametrize(
    ("state", "status"),
    [("queued", "SCHEDULED"), ("running", "RUNNING"), ("cancelled", "KILLED"), ("succeeded", "FINISHED")],
)
def test_the_state_of_a_training_is_a_status(client: Any, run_with: Any, state: str, status: str) -> None:
    run = run_with(state)
    assert client.get_run(str(run.pk)).info.status == status
    assert [one.info.run_id for one in client.search_runs([str(run.model_id)], f"attributes.status = '{status}'")] == [
        str(run.pk)
    ]


def test_pages_follow_each_other(client: Any, run_with: Any, model: Any) -> None:
    made = [run_with(losses=(number / 10,)) for number in range(5)]
    for order, wanted in (([], made[::-1]), (["start_time ASC"], made), (["metrics.loss DESC"], made[::-1])):
        seen: list[str] = []
        token = None
        while token is not None or not seen:
            page = client.search_runs([str(model.pk)], max_results=2, page_token=token, order_by=order)
            assert len(page) <= 2
            seen += [run.info.run_id for run in page]
            token = page.token
        assert seen == [str(run.pk) for run in wanted], order


def test_descriptions_are_the_platforms(client: Any, with_files: Any, model: Any) -> None:
    version = with_files()
    client.update_model_version("digits-cnn", "1", description="ships on Friday")
    client.update_registered_model("digits-cnn", description="tells digits apart")
    version.refresh_from_db()
    model.refresh_from_db()
    assert (version.notes, model.description) == ("ships on Friday", "tells digits apart")
    assert client.get_model_version("digits-cnn", "1").description == "ships on Friday"


def test_what_is_done_otherwise_says_how(mlflow: Any, client: Any, with_files: Any, run_with: Any) -> None:
    run = str(run_with().pk)
    with_files()
    mlflow.set_experiment("digits-cnn")
    store = client._tracking_client.store
    upload, train = "lode model upload", "lode run start"
    for call, words in (
        (mlflow.start_run, train),
        (lambda: mlflow.set_experiment("fresh"), "lode model create"),
        (lambda: client.create_registered_model("fresh"), "lode model create"),
        (lambda: client.create_registered_model("digits-cnn"), "already"),
        (lambda: client.create_model_version("digits-cnn", "mlflow-artifacts:/models/digits-cnn/1"), upload),
        (lambda: client.log_metric(run, "loss", 1.0), train),
        (lambda: client.log_param(run, "a", "b"), train),
        (lambda: client.set_tag(run, "a", "b"), "description"),
        (lambda: client.set_terminated(run), train),
        (lambda: store.delete_run(run), train),
        (lambda: client.set_model_version_tag("digits-cnn", "1", "a", "b"), "description"),
        (lambda: client.transition_model_version_stage("digits-cnn", "1", "Staging"), "set_registered_model_alias"),
        (lambda: client.delete_registered_model("digits-cnn"), "web application"),
        (lambda: client.rename_registered_model("digits-cnn", "other"), "web application"),
        (lambda: client.delete_model_version("digits-cnn", "1"), "web application"),
    ):
        assert words in str(refused(call)), words
    with pytest.raises(Exception, match="lode model upload"):
        client.log_artifact(run, __file__)


def test_a_token_is_a_password_too(mlflow: Any, monkeypatch: Any, model: Any) -> None:
    secret = Token.objects.issue(model.created_by, "password")[1]
    monkeypatch.delenv("MLFLOW_TRACKING_TOKEN")
    error = refused(mlflow.MlflowClient().search_registered_models)
    assert error.error_code == "UNAUTHENTICATED"
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "me")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", secret)
    assert [one.name for one in mlflow.MlflowClient().search_registered_models()] == ["digits-cnn"]
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "wrong")
    assert refused(mlflow.MlflowClient().search_registered_models).error_code == "UNAUTHENTICATED"


def test_a_viewer_reads_and_promotes_nothing(mlflow: Any, monkeypatch: Any, with_files: Any) -> None:
    with_files()
    viewer = create_user("vera", role="viewer", project=first_project())[0]
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", Token.objects.issue(viewer, "reads")[1])
    client = mlflow.MlflowClient()
    assert len(client.search_model_versions("name = 'digits-cnn'")) == 1
    error = refused(client.set_registered_model_alias, "digits-cnn", "production", "1")
    assert (error.error_code, "engineer" in str(error)) == ("PERMISSION_DENIED", True)
    assert not Promotion.objects.exists()
