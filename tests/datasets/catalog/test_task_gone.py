"""The package of a task type was uninstalled: its datasets and models are listed, and what asks it says what to do."""

import pytest
from tests.datasets.conftest import data, png

from catalog.models import Dataset
from registry.models import Model

pytestmark = pytest.mark.django_db


def test_lists_go_on_and_what_asks_it_is_told_to_install_it_again(api, object_store) -> None:
    told = {"task": "classification", "classes": ["cat"]}
    assert api.post("/datasets", {"name": "pets"} | told, format="json").status_code == 201
    assert api.post("/models", {"name": "pets-cnn"} | told, format="json").status_code == 201
    sample = {"key": "a.png", "data": data(png()), "label": {"class": "cat"}}
    assert api.post("/datasets/pets", {"samples": [sample]}, format="json").status_code == 201
    Dataset.objects.update(task="gone")
    Model.objects.update(task="gone")
    (dataset,) = api.get("/datasets").json()["results"]
    assert (dataset["task"], dataset["trainable"], dataset["multi_label"]) == ("gone", False, False)
    assert api.get("/models").json()["results"][0]["task"] == "gone"
    commit = {"samples": [sample | {"key": "b.png"}]}
    for answer in (
        api.get("/datasets/pets/versions/head/samples"),
        api.post("/datasets/pets", commit, format="json"),
        api.post("/labeling/queues", {"name": "q", "dataset": "pets", "samples": ["a.png"]}, format="json"),
        api.post("/runs", {"dataset": "pets", "model": "pets-cnn", "architecture": "small_cnn"}, format="json"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (503, "task_type_missing"), answer.content
        assert "'gone' is not installed: install its package again" in answer.json()["detail"]
