"""`/models`, `/runs`, `/architectures` through HTTP: shapes, and bad input named."""

import pytest

pytestmark = pytest.mark.django_db


def test_a_model_is_made_listed_and_found_by_name(api):
    body = {"name": "digits-cnn", "task": "classification", "classes": ["0", "1"]}
    made = api.post("/models", body, format="json")
    assert made.status_code == 201
    assert api.get("/models").json()["results"][0]["name"] == "digits-cnn"
    assert api.get("/models/digits-cnn").json() == made.json()
    again = api.post("/models", body, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "../etc"}, "name"),
        ({"task": "poetry"}, "task"),
        ({"classes": []}, "classes"),
        ({"name": None}, "name"),
    ],
)
def test_a_bad_model_names_the_field(api, change, field):
    body = {"name": "m", "task": "classification", "classes": ["0"]} | change
    answer = api.post("/models", body, format="json")
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert field in answer.json()["errors"]


def test_what_is_not_there_is_404_with_its_name(api, model):
    for address in (
        "/models/none",
        "/models/digits-cnn/versions/7",
        "/models/digits-cnn/versions/production",
        "/runs/9",
    ):
        answer = api.get(address)
        assert answer.status_code == 404, address
        assert answer["Content-Type"] == "application/problem+json"


def test_a_run_on_an_empty_dataset_or_a_wrong_config_is_refused_before_any_job(api, model, dataset):
    body = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn"}
    assert api.post("/runs", body, format="json").json()["code"] == "version_unknown"
    assert api.get("/jobs").json()["results"] == []


def test_gates_refuse_over_http_with_the_verdicts(api, model, version_with):
    version_with(0.9, ready=False)
    body = {"alias": "production", "version": "1", "reason": "try"}
    refused = api.post("/models/digits-cnn/aliases", body, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "gates_failed")
    assert {gate["gate"]: gate["passed"] for gate in refused.json()["gates"]} == {
        "parity": True,
        "tensorrt_ready": False,
        "accuracy": True,
    }
    moved = api.post("/models/digits-cnn/aliases", body | {"override": True}, format="json")
    assert moved.status_code == 200
    assert api.get("/models/digits-cnn/versions/production").json()["version"] == 1


def test_every_architecture_is_listed_with_its_schema(api):
    found = {row["name"]: row for row in api.get("/architectures").json()["results"]}
    assert {"small_cnn", "resnet18", "efficientnet_lite0"} <= found.keys()
    assert "properties" in found["small_cnn"]["params_schema"]


def test_every_strategy_is_listed_with_its_schema(api):
    names = {row["name"] for row in api.get("/strategies").json()["results"]}
    assert {"random", "least_confidence", "margin", "entropy", "k_center"} <= names
