"""Several versions become one, proved and registered as any other."""

import pytest
from tests.linear_model import registered
from tests.mining.conftest import CLASSES

from blobs.services import store
from jobs.models import Job
from mlflow_api.facts import version_tags
from registry.models import Model, ModelVersion
from registry.publication import ModelSource

pytestmark = pytest.mark.django_db(transaction=True)
AT = "/models/digits-cnn/ensembles"


@pytest.fixture
def members(truth, alice) -> Model:
    """Three versions with the images' pixels as embeddings."""
    model = Model.objects.get()
    for number in (1, 2, 3):
        registered(model, alice, seed=number, number=number, size=(1, 8, 8), classes=CLASSES)
    return model


def test_an_ensemble_is_proved_evaluated_and_registered(api, members, run_job):
    body = {"versions": ["1", 3], "dataset": "digits", "export": {"precisions": ["fp16"]}, "notes": "two"}
    answer = api.post(AT, body, format="json")
    assert answer.status_code == 202, answer.content
    page = answer.json()["job"]["href"]
    assert api.get(page).json()["name"] == "digits-cnn", "where the version will be"
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    made = ModelVersion.objects.get(number=4)
    assert (made.architecture, made.notes, made.metrics["samples"]) == ("ensemble", "two", 30)
    assert [one["version"] for one in made.lock["members"]] == [1, 3]
    assert sorted(one.number for one in made.made_from.all()) == [1, 3]
    told = api.get("/models/digits-cnn/versions/4").json()
    assert (told["dataset_role"], told["lineage"]["made_from"]) == ("judged", ["digits-cnn@1", "digits-cnn@3"])
    assert "digits-cnn@4" in api.get("/models/digits-cnn/versions/1").json()["lineage"]["children"]
    assert told["lock"]["data"]["test"]["samples"] == 30
    card = made.artifacts.get(path="modelcard.md").blob
    words = store().get(card.ref).decode()
    assert "Trained through its members digits-cnn v1, digits-cnn v3" in words
    assert "Judged on digits v1" in words
    assert "Trained on" not in words
    facts = ModelSource().facts("digits-cnn", 4)
    assert "Trained on" not in facts.message
    assert "Judged on digits v1" in facts.message
    assert facts.meta["made_from"] == ["digits-cnn v1", "digits-cnn v3"]
    tags = version_tags(made)
    assert (tags["dataset"], tags["judged_on"], tags["made_from"]) == (
        None,
        "digits v1",
        "digits-cnn v1, digits-cnn v3",
    )
    assert made.report["parity"]["passed"]
    assert made.report["variants"]["fp16"]["ready"]
    assert made.onnx.sha256 == made.digest


def test_nothing_that_an_ensemble_is_being_made_of_is_archived(api, members):
    job = api.post(AT, {"versions": [1, 2], "dataset": "digits"}, format="json").json()["job"]
    for thing, part in [("/models/digits-cnn", "ensembles"), ("/datasets/digits", "uploads and ensembles")]:
        refused = api.post(f"{thing}/archive")
        assert (refused.status_code, list(refused.json()["busy"])) == (409, [part])
    api.post(f"/jobs/{job['id']}/cancel")
    assert api.post("/models/digits-cnn/archive").status_code == 200


def test_what_can_be_no_ensemble_is_refused(api, members, subtests):
    for body, status, field in [
        ({"versions": [1]}, 400, "versions"),
        ({"versions": [1, "v1"]}, 400, "versions"),
        ({"versions": [1, 2]}, 400, "dataset"),
        ({"versions": [1, 2], "dataset": "digits", "export": {"precisions": ["int2"]}}, 400, "export.precisions.0"),
        ({"versions": [1, 9]}, 404, None),
    ]:
        with subtests.test(body=body, status=status, field=field):
            answer = api.post(AT, body, format="json")
            assert answer.status_code == status, answer.content
            assert field is None or field in answer.json()["errors"]
            assert not Job.objects.filter(kind="join_models").exists()


def test_members_that_take_unlike_images_are_refused_by_name_in_the_request(api, members):
    def taking(number: int, form: str, size: list[int]) -> None:
        ModelVersion.objects.filter(number=number).update(report={"input": form, "shapes": {"opt": [8, *size]}})

    def refusal(*versions: int) -> list[str]:
        answer = api.post(AT, {"versions": versions, "dataset": "digits"}, format="json")
        assert answer.status_code == 400, answer.content
        said: list[str] = answer.json()["errors"]["versions"]
        return said

    taking(1, "float32_nchw", [1, 8, 8])
    taking(2, "float32_nchw", [3, 28, 32])
    taking(3, "uint8_nhwc", [8, 8, 1])
    unlike = "v1 takes 8 x 8 (grey), v2 takes 28 x 32: choose versions that take images of one size"
    assert refusal(2, 1) == [unlike]
    assert refusal(1, 3) == [
        "v3: the file takes whole numbers (uint8); choose versions exported with `input` float32_nchw"
    ]
    assert not Job.objects.filter(kind="join_models").exists()
