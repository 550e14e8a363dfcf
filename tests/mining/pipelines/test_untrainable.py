"""What would train on labels that no model learns, or replay what no replay learns, refuses it before anything runs."""

from typing import Any

import pytest
from tests.datasets.conftest import data, png

from accounts.models import User
from accounts.services import first_project
from jobs.models import Job
from registry.models import Model, ModelVersion
from registry.services import create_model

pytestmark = [pytest.mark.django_db, pytest.mark.production]
CLASSES = ["cat", "dog"]
COMMON = {"dataset": "pets", "model": "pets-cnn"}
LEARNER = {"kind": "train", "architecture": "small_cnn", "config": {"recipe": {"steps": 5}}}
CALLS: dict[str, dict[str, Any]] = {
    "/runs": COMMON | {"architecture": "small_cnn"},
    "/mining/jobs": COMMON | {"model": "pets-cnn@1", "strategy": "margin", "count": 10},
    "/pipelines": COMMON | {"name": "pets", "architecture": "small_cnn", "strategy": "margin", "count": 10},
    "/backtests": {
        "dataset": "pets",
        "learner": LEARNER,
        "strategies": ["margin"],
        "seeds": 2,
        "rounds": 2,
        "count": 8,
    },
}


@pytest.fixture
def pets(api, object_store) -> None:
    body = {"name": "pets", "task": "classification", "classes": CLASSES, "multi_label": True}
    assert api.post("/datasets", body, format="json").json()["task"] == "multilabel"
    labels = {
        "samples": [{"key": "a.png", "data": data(png()), "split": "train", "label": {"classes": ["dog", "cat"]}}]
    }
    answer = api.post("/datasets/pets", labels, format="json")
    assert answer.json()["labelled"] == 1, answer.content


def test_several_classes_are_not_replayed_and_nothing_chooses_by_a_replay(api, pets: None) -> None:
    answer = api.post("/backtests", CALLS["/backtests"], format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "task_unsuited"), answer.content
    assert "multilabel has no back-tests yet: replays" in answer.json()["errors"]["dataset"][0]
    chosen = {"strategy": "best_of", "params": {"strategies": ["margin"]}}
    terms = {"name": "pets", "dataset": "pets", "architecture": "small_cnn", "count": 10}
    told = {"strategy": {"name": chosen["strategy"], "params": chosen["params"]}}
    answer = api.post("/pipelines", terms | told, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["strategy"]), answer.content
    assert not Job.objects.exists()


def test_a_strategy_that_asks_for_one_class_is_refused_where_there_are_several(api, pets: None) -> None:
    terms = {"name": "pets", "dataset": "pets", "architecture": "small_cnn", "count": 10, "strategy": "badge"}
    answer = api.post("/pipelines", terms, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["strategy"]), answer.content
    assert "which multilabel has not: use one of" in answer.json()["detail"]
    assert not Job.objects.exists()


def test_what_a_metric_or_a_rule_can_not_be_counted_by_is_named(api, pets: None) -> None:
    terms = {"name": "pets", "dataset": "pets", "architecture": "small_cnn", "count": 10}
    gates = [{"metric": "accuracy", "min": 0.9}]
    answer = api.post("/pipelines", terms | {"gates": gates}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["gates.0.metric"]), answer.content
    assert "map" in answer.json()["detail"]
    stop = {"target": {"metric": "accuracy", "value": 0.9}}
    answer = api.post("/pipelines", terms | {"stop": stop}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["stop.target.metric"]), answer.content
    assert "must be exact_match" in answer.json()["detail"]


@pytest.mark.parametrize("address", CALLS)
def test_what_needs_a_model_refuses_outlines_before_anything_is_queued(
    api, alice: User, object_store, address: str
) -> None:
    body = {"name": "pets", "task": "segmentation", "classes": CLASSES}
    assert api.post("/datasets", body, format="json").json()["trainable"] is False
    Model.objects.create(
        name="pets-cnn", task="segmentation", classes=CLASSES, created_by=alice, project=first_project()
    )
    ModelVersion.objects.create(
        model=Model.objects.get(), number=1, architecture="small_cnn", digest="0" * 64, metrics={}, report={},
        created_by=alice,
    )  # fmt: skip
    commit = {"samples": [{"key": "a.png", "data": data(png()), "split": "train", "label": {"polygons": []}}]}
    assert api.post("/datasets/pets", commit, format="json").status_code == 201
    answer = api.post(address, CALLS[address], format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "task_unsuited"), answer.content
    assert list(answer.json()["errors"]) == ["dataset"]
    assert not Job.objects.exists()


def test_a_model_for_outlines_is_refused_at_the_form(api) -> None:
    answer = api.post("/models", {"name": "signs", "task": "segmentation", "classes": CLASSES}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "task_unsuited")
    assert (
        "segmentation has no training yet: no architecture here outlines objects" in answer.json()["errors"]["task"][0]
    )


def test_boxes_want_an_architecture_that_finds_them_and_a_recipe_that_suits_them(api, object_store) -> None:
    body = {"name": "pets", "task": "detection", "classes": CLASSES}
    assert api.post("/datasets", body, format="json").json()["trainable"] is True
    terms = {"name": "pets", "dataset": "pets", "strategy": "margin", "count": 10}
    answer = api.post("/pipelines", terms | {"architecture": "small_cnn"}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["architecture"]), answer.content
    assert "not detection: use centre_lite0" in answer.json()["detail"]
    for field, value in {"mixup": 0.2, "label_smoothing": 0.1, "balance": "loss"}.items():
        asked = terms | {"architecture": "centre_lite0", "config": {"recipe": {field: value}}}
        answer = api.post("/pipelines", asked, format="json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [f"config.recipe.{field}"]), answer.content
    dropout = {"dropout": {"members": 5, "rate": 0.2, "seed": 0}}
    for strategy, committee, field in (
        ("bald", None, "committee"),
        ("bald", dropout, "committee.dropout"),
        ("badge", None, "strategy"),
    ):
        asked = terms | {"architecture": "centre_lite0", "strategy": strategy, "committee": committee}
        answer = api.post("/pipelines", asked, format="json")
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field]), answer.content
    assert not Job.objects.exists()


def test_a_class_that_came_later_is_named_when_the_old_model_is_asked(api, alice: User, object_store) -> None:
    create_model("pets-cnn", task="classification", classes=CLASSES, description="", author=alice)
    body = {"name": "pets", "task": "classification", "classes": [*CLASSES, "bird"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    answer = api.post("/pipelines", CALLS["/pipelines"], format="json")
    assert answer.json()["code"] == "classes_differ"
    assert "got 'bird' since; make a new model that has these classes too" in answer.json()["detail"]
