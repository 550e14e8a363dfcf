"""Further precisions come after the version, by a job of their own: until then nothing ships of them."""

import pytest

from jobs.models import Job
from jobs.services import cancel
from publishing.models import Repository
from publishing.sources import source
from registry.gates import judge
from registry.models import ModelVersion
from registry.precisions import awaited, start_precisions

pytestmark = pytest.mark.django_db
INT8 = [{"check": "tensorrt_ready", "artifact": "model.int8.onnx"}]
URL = "/models/digits-cnn/versions/1"


@pytest.fixture
def version(version_with) -> ModelVersion:
    """One whose int8 is still being proved."""
    made: ModelVersion = version_with(0.9)
    start_precisions(made, ["int8"])
    return made


def test_one_without_further_precisions_has_no_such_job(version_with):
    made = version_with(0.9)
    start_precisions(made, [])
    assert (made.precisions_job, made.proving) == (None, [])


def test_it_is_said_to_be_proved_and_by_which_job(api, version):
    assert api.get(URL).json()["precisions"] == [
        {"precision": "int8", "state": "being_proven", "job": version.precisions_job_id}
    ]
    cancel(version.precisions_job_id)
    assert api.get(URL).json()["precisions"][0]["state"] == "not_proven"


@pytest.mark.parametrize("path", ["model.int8.onnx", "config.int8.pbtxt", "predictions.int8.npz"])
def test_its_files_are_refused_in_words_and_those_of_the_version_are_not(api, version, path):
    answer = api.get(f"{URL}/artifacts/{path}")
    assert (answer.status_code, answer.json()["code"]) == (409, "precision_unproven")
    assert f"still being proved by job {version.precisions_job_id}" in answer.json()["detail"]
    assert api.get(f"{URL}/artifacts/report.json").json()["code"] == "artifact_unknown"


def test_a_gate_that_names_it_refuses_until_it_is_proved(api, version):
    assert awaited(version, INT8)
    assert not awaited(version, [{"check": "parity"}, {"metric": "accuracy", "min": 0.5}])
    (verdict,) = judge(version, INT8, against=None)
    assert not verdict.passed
    assert "still being proved" in verdict.detail
    version.report = version.report | {"variants": {"int8": {"checks": []}}}
    version.save()
    Job.objects.filter(pk=version.precisions_job_id).update(state=Job.State.SUCCEEDED)
    proved = ModelVersion.objects.get(pk=version.pk)
    assert not awaited(proved, INT8)
    assert judge(proved, INT8, against=None)[0].passed


def test_gates_on_the_version_itself_do_not_wait(api, version):
    body = {"alias": "production", "version": "1", "reason": "better"}
    assert api.post("/models/digits-cnn/aliases", body, format="json").status_code == 200


def test_a_version_is_published_when_all_of_its_files_are_there(version, version_with):
    models, name = source(Repository.Kind.MODELS), "digits-cnn"
    version_with(0.95)
    assert (models.latest(name), models.latest_of_all()[name]) == (0, 0)
    cancel(version.precisions_job_id)
    assert (models.latest(name), models.latest_of_all()[name]) == (2, 2)


def test_a_model_is_not_put_away_while_it_is_proved(api, version):
    answer = api.post("/models/digits-cnn/archive")
    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert answer.json()["busy"] == {"proofs of precisions": ["digits-cnn v1"]}
