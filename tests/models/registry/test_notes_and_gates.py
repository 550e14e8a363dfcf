"""`PATCH` of runs, models and versions: notes, descriptions, gates; and what a version tells about itself."""

import pytest
from tests.models.registry.test_clone_run import RUN

from registry.promotion import promote

pytestmark = pytest.mark.django_db
DEFAULT_GATES = [
    *({"check": name} for name in ("parity", "tensorrt_ready", "classes_trained", "above_baseline")),
    {"metric": "accuracy", "min_delta": -0.01, "against": "best"},
]


def test_notes_of_a_run_are_kept(api, truth):
    run = api.post("/runs", RUN, format="json").json()
    assert run["notes"] == ""
    changed = api.patch(f"/runs/{run['id']}", {"notes": "the wide one"}, format="json")
    assert (changed.status_code, changed.json()["notes"]) == (200, "the wide one")
    assert api.get(f"/runs/{run['id']}").json()["notes"] == "the wide one"


def test_notes_of_a_version_are_kept_and_all_else_stays(api, version_with):
    version_with(0.9)
    before = api.get("/models/digits-cnn/versions/1").json()
    better = api.patch("/models/digits-cnn/versions/1", {"notes": "", "metrics": {"accuracy": 1.0}}, format="json")
    assert (better.status_code, list(better.json()["errors"])) == (400, ["metrics"])
    body = {"notes": "ships on Friday"}
    assert api.patch("/models/digits-cnn/versions/1", body, format="json").status_code == 200
    assert api.get("/models/digits-cnn/versions/1").json() == before | {"notes": "ships on Friday"}


def test_description_and_gates_of_a_model_are_changed_one_by_one(api, model):
    assert api.get("/models/digits-cnn").json()["gates"] == DEFAULT_GATES
    gates = [{"check": "parity"}, {"metric": "accuracy", "min": 0.8}]
    assert api.patch("/models/digits-cnn", {"gates": gates}, format="json").json()["gates"] == gates
    changed = api.patch("/models/digits-cnn", {"description": "reads digits"}, format="json").json()
    assert (changed["description"], changed["gates"]) == ("reads digits", gates)
    assert api.patch("/models/digits-cnn", {"gates": None}, format="json").json()["gates"] == DEFAULT_GATES


@pytest.mark.parametrize(
    ("address", "body", "field"),
    [
        ("/models/digits-cnn", {"gates": [{"check": "parity"}, {"check": "luck"}]}, "gates.1.check"),
        ("/models/digits-cnn", {"gates": ["parity"]}, "gates.0"),
        ("/models/digits-cnn", {"gates": "parity"}, "gates"),
        ("/models/digits-cnn", {"description": "x" * 5001}, "description"),
        ("/models/digits-cnn", {}, "body"),
        ("/models/digits-cnn/versions/1", {"notes": None}, "notes"),
        ("/models/digits-cnn/versions/1", {}, "notes"),
    ],
)
def test_a_bad_change_names_the_field(api, version_with, address, body, field):
    version_with(0.9)
    answer = api.patch(address, body, format="json")
    assert answer.status_code == 400
    assert field in answer.json()["errors"]


def test_what_is_not_there_is_404(api, model):
    for address in ("/models/none", "/models/digits-cnn/versions/1", "/runs/1"):
        assert api.patch(address, {"notes": "x", "description": "x"}, format="json").status_code == 404


def test_a_version_shows_the_verdicts_of_its_last_promotion_and_its_slices(api, version_with, alice):
    version = version_with(0.9)
    assert api.get("/models/digits-cnn/versions/1").json()["gates"] == []
    version.metrics["slices"] = {"night": {"accuracy": 0.7}}
    version.save()
    made = promote(version, "production", reason="first", by=alice)
    seen = api.get("/models/digits-cnn/versions/1").json()
    assert (seen["gates"], seen["slices"]) == (made.gates, {"night": {"accuracy": 0.7}})
    assert seen["lineage"] == {
        "dataset": None, "dataset_version": None, "run": None, "cloned_from": None, "parent": None, "children": [],
        "made_from": [], "hidden": 0,
    }  # fmt: skip
