"""`/models`, `/runs`, `/architectures` through HTTP: shapes, and bad input named."""

from importlib.metadata import EntryPoint
from itertools import product
from typing import Any

import pytest
from tests.mining.conftest import digits

from blobs.services import keep_bytes
from registry.documents import LONG_METRICS
from registry.models import Artifact
from training import extensions
from training.extensions import GROUP, SETTING

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
        ({"name": "42"}, "name"),
        ({"task": "poetry"}, "task"),
        ({"classes": []}, "classes"),
        ({"classes": ["0", "1", "0"]}, "classes"),
        ({"name": None}, "name"),
    ],
)
def test_a_bad_model_names_the_field(api, change, field):
    body = {"name": "m", "task": "classification", "classes": ["0"]} | change
    answer = api.post("/models", body, format="json")
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert field in answer.json()["errors"]


@pytest.mark.parametrize("alias", ["3", "v3", "main", "latest", "Latest", "x.lock", "a..b"])
def test_an_alias_that_reads_as_a_version_or_is_no_branch_is_refused(api, version_with, alias):
    version_with(0.9)
    answer = api.post("/models/digits-cnn/aliases", {"alias": alias, "version": 1, "reason": "first"}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["alias"])


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("post", "/models/digits-cnn/aliases", {"alias": "a", "version": 1, "reason": "r", "override": True}),
        ("patch", "/models/digits-cnn", {"gates": []}),
        ("post", "/models/digits-cnn/rollback", {"alias": "a", "reason": "r"}),
    ],
)
def test_what_goes_past_the_gates_is_for_engineers(bobs_api, version_with, method, address, body):
    version_with(0.9)
    answer = getattr(bobs_api, method)(address, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "engineers_only")


def test_an_engineer_promotes_what_passes_and_describes_a_model(evas_api, version_with):
    version_with(0.9)
    move = {"alias": "production", "version": 1, "reason": "first"}
    assert evas_api.post("/models/digits-cnn/aliases", move, format="json").status_code == 200
    assert evas_api.patch("/models/digits-cnn", {"description": "digits"}, format="json").status_code == 200


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


def test_a_part_of_a_config_is_an_object(api, truth, subtests):
    value: Any
    for part, value in product(["recipe", "params"], ["", [], "fast", 3, None]):
        with subtests.test(part=part, value=value):
            body = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn", "config": {part: value}}
            answer = api.post("/runs", body, format="json")
            assert (answer.status_code, list(answer.json()["errors"])) == (400, [f"config.{part}"])


@pytest.mark.parametrize("steps", [True, 10**9, "300"])
def test_a_number_of_steps_that_cannot_be_meant_is_refused(api, truth, steps):
    config = {"recipe": {"steps": steps}}
    body = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn", "config": config}
    answer = api.post("/runs", body, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["config.recipe.steps"])


def test_a_training_without_end_is_refused_with_the_number(api, truth, monkeypatch, subtests):
    for recipe, field in [
        ({"steps": 1_000_001}, "steps"),
        ({"epochs": 1_001}, "epochs"),
        ({"epochs": 1_000, "batch_size": 1}, "epochs"),
    ]:
        with subtests.test(recipe=recipe, field=field):
            monkeypatch.setattr("training.config.MAX_STEPS", 1_000)
            body = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn"}
            answer = api.post("/runs", body | {"config": {"recipe": recipe}}, format="json")
            assert (answer.status_code, list(answer.json()["errors"])) == (400, [f"config.recipe.{field}"])
            assert "at most 1,000" in answer.json()["detail"]
            assert api.get("/jobs").json()["results"] == []


def test_a_run_on_an_empty_dataset_or_a_wrong_config_is_refused_before_any_job(api, model, dataset):
    body = {"model": "digits-cnn", "dataset": "digits", "architecture": "small_cnn"}
    refused = api.post("/runs", body, format="json").json()
    assert (refused["code"], "'digits' is empty" in refused["detail"]) == ("version_unknown", True)
    assert api.get("/jobs").json()["results"] == []


def test_gates_refuse_over_http_with_the_verdicts(api, model, version_with):
    version_with(0.9, ready=False)
    body = {"alias": "production", "version": "1", "reason": "try"}
    refused = api.post("/models/digits-cnn/aliases", body, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "gates_failed")
    assert {gate["gate"]: gate["passed"] for gate in refused.json()["gates"]} == {
        "parity": True,
        "tensorrt_ready": False,
        "classes_trained": True,
        "above_baseline": True,
        "accuracy": True,
    }
    moved = api.post("/models/digits-cnn/aliases", body | {"override": True}, format="json")
    assert moved.status_code == 200
    assert api.get("/models/digits-cnn/versions/production").json()["version"] == 1


def test_every_move_of_an_alias_is_listed_the_newest_first(api, model, version_with):
    version_with(0.8), version_with(0.9)
    for alias, number in (("production", 1), ("staging", 1), ("production", 2)):
        body = {"alias": alias, "version": str(number), "reason": f"{alias} to {number}"}
        assert api.post("/models/digits-cnn/aliases", body, format="json").status_code == 200
    back = {"alias": "production", "reason": "it flickers", "version": 1}
    assert api.post("/models/digits-cnn/rollback", back, format="json").status_code == 200
    again = api.post("/models/digits-cnn/rollback", back, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "alias_moved")
    moves = api.get("/models/digits-cnn/promotions").json()["results"]
    assert [(row["alias"], row["version"], row["previous"]) for row in moves] == [
        ("production", 1, 2),
        ("production", 2, 1),
        ("staging", 1, None),
        ("production", 1, None),
    ]
    assert (moves[0]["reason"], moves[0]["by"]) == ("it flickers", "alice")
    assert moves[1:3] == api.get("/models/digits-cnn/versions/2").json()["promotions"] + moves[2:3]


def test_the_moves_of_one_alias_are_paged(api, model, version_with):
    version_with(0.8), version_with(0.9)
    for alias, number in (("production", 1), ("staging", 1), ("production", 2)):
        body = {"alias": alias, "version": str(number), "reason": "try"}
        assert api.post("/models/digits-cnn/aliases", body, format="json").status_code == 200
    first = api.get("/models/digits-cnn/promotions?alias=production&limit=1").json()
    second = api.get(first["next"]).json()
    assert [row["version"] for page in (first, second) for row in page["results"]] == [2, 1]
    assert second["next"] is None
    assert api.get("/models/digits-cnn/promotions?alias=none").json() == {"results": [], "next": None}
    assert api.get("/models/none/promotions").status_code == 404


def test_a_list_of_versions_leaves_out_long_figures_and_one_version_has_them(api, evaluated):
    made = evaluated(night=300, day=1500, variant="int8")
    blob = keep_bytes(b"onnx", media_type="application/octet-stream")
    Artifact.objects.create(version=made, path="model.onnx", blob=blob)
    [row] = api.get("/models/digits-cnn/versions").json()["results"]
    whole = api.get("/models/digits-cnn/versions/1").json()
    assert whole["metrics"].keys() - row["metrics"].keys() == LONG_METRICS - {
        "worst",
        "curves",
        "baseline",
        "choice",
        "few_samples",
    }, "a classifier has no curves; this one was not compared with its training data, and no learner chose it"
    assert row["metrics"]["accuracy"] == whole["metrics"]["accuracy"] == 0.9
    assert (row["size"], row["tensorrt"]) == (whole["size"], whole["tensorrt"]) == (4, "not verified")


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ({"status": "verified"}, "verified"),
        ({"status": "refused"}, "refused"),
        ("verified", "verified"),
        (None, "not verified"),
    ],
)
def test_a_list_says_what_the_builder_said(api, version_with, told, word):
    made = version_with(0.9)
    made.report |= {"tensorrt": told}
    made.save()
    [row] = api.get("/models/digits-cnn/versions").json()["results"]
    assert (row["tensorrt"], row["size"]) == (word, None)


def test_a_list_of_many_versions_asks_no_more_of_the_database(api, evaluated, django_assert_max_num_queries):
    for right in (200, 300, 350):
        evaluated(night=right, day=1500)
    with django_assert_max_num_queries(10):
        assert len(api.get("/models/digits-cnn/versions").json()["results"]) == 3


def test_a_patience_needs_labelled_validation_samples(api, truth):
    body = {
        "model": "digits-cnn",
        "dataset": "digits",
        "architecture": "small_cnn",
        "config": {"recipe": {"patience": 2}},
    }
    refused = api.post("/runs", body, format="json")
    assert (refused.status_code, refused.json()["code"]) == (422, "nothing_to_judge_by")
    [words] = refused.json()["errors"]["config.recipe.patience"]
    assert "label some there, or leave patience out" in words
    assert api.get("/jobs").json()["results"] == []
    digit, data = digits()[-1]
    sample = {"key": "val-00.png", "data": data, "split": "val", "label": {"class": digit}}
    assert api.post("/datasets/digits", {"samples": [sample]}, format="json").status_code == 201
    started = api.post("/runs", body | {"config": {"recipe": {"patience": 2, "steps": 40}}}, format="json")
    assert started.status_code == 202
    progress = started.json()["job"]["progress"]
    assert (progress["done"], progress["total"], progress["unit"]) == (0, 40, "steps")  # the proof adds none


def test_every_architecture_is_listed_with_its_schema(api):
    listed = api.get("/architectures").json()
    found = {row["name"]: row for row in listed["results"]}
    assert {"small_cnn", "resnet18", "efficientnet_lite0"} <= found.keys()
    assert "properties" in found["small_cnn"]["params_schema"]
    assert found["small_cnn"]["tasks"] == ["classification", "multilabel"]
    assert found["centre_lite0"]["tasks"] == ["detection"]
    assert "auto" not in found
    assert listed["auto"]["tasks"] == ["classification"]
    params = listed["auto"]["params_schema"]["properties"]
    assert {name: params["compare_minutes"][name] for name in ("group", "unit", "advanced", "maximum")} == {
        "group": "Comparison", "unit": "minutes", "advanced": False, "maximum": 10_000,
    }  # fmt: skip


def test_an_architecture_of_the_users_own_that_cannot_be_loaded_is_named(api, tmp_path, monkeypatch):
    path = tmp_path / "nets.py"
    path.write_text("import a_module_that_nobody_has")
    monkeypatch.setenv(SETTING, str(path))
    answer = api.get("/architectures")
    assert (answer.status_code, answer.json()["code"]) == (503, "architectures_broken")
    assert answer["Content-Type"] == "application/problem+json"
    detail = answer.json()["detail"]
    assert f"{SETTING}: {path} cannot be loaded: ModuleNotFoundError" in detail
    assert "a_module_that_nobody_has" in detail
    assert f"Mend the file, or take it out of {SETTING}" in detail
    path.write_text("")
    assert api.get("/architectures").status_code == 200


def test_an_entry_point_that_cannot_be_loaded_is_named(api, monkeypatch):
    broken = EntryPoint("own", "a_module_that_nobody_has:Own", GROUP)
    monkeypatch.setattr(extensions, "entry_points", lambda group: [broken] if group == GROUP else [])
    answer = api.get("/architectures")
    assert (answer.status_code, answer.json()["code"]) == (503, "architectures_broken")
    assert "entry point own = a_module_that_nobody_has:Own" in answer.json()["detail"]
    assert "uninstall it" in answer.json()["detail"]


def test_every_strategy_is_listed_with_its_schema(api):
    names = {row["name"] for row in api.get("/strategies").json()["results"]}
    assert {"random", "least_confidence", "margin", "entropy", "k_center"} <= names
