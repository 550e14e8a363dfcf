"""A name and a dataset make a pipeline: its model is made in passing, its learner and its rounds suit the data."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from jobs.needs import Needs
from pipelines.models import Pipeline, Round
from pipelines.rounds.loop import advance
from registry.models import Model, Run
from registry.services import TRAIN

pytestmark = pytest.mark.django_db
SHORT = {"name": "loop", "dataset": "digits", "count": 10}


def picture(*size: int, mode: str = "RGB") -> str:
    stream = io.BytesIO()
    shape = (*size[::-1], 3) if mode == "RGB" else size[::-1]
    Image.fromarray(np.random.default_rng(0).integers(0, 255, shape, dtype=np.uint8), mode).save(stream, "PNG")
    return base64.b64encode(stream.getvalue()).decode()


def test_three_words_make_a_pipeline(api, truth: dict[str, str]) -> None:
    answer = api.post("/pipelines", SHORT, format="json")
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["model"], made["architecture"], made["strategy"]["name"]) == ("loop", "auto", "auto")
    assert made["config"] == {}
    model = api.get("/models/loop").json()
    assert model["classes"] == api.get("/datasets/digits").json()["classes"]


@pytest.mark.parametrize(
    ("classes", "count", "words"),
    [(2, 40, "at least 40"), (10, 40, "each of 10 classes."), (30, 120, "each of 30 classes."), (150, 400, "at most")],
)
def test_a_round_asks_for_four_labels_a_class_unless_a_count_is_told(api, classes: int, count: int, words: str) -> None:
    names = [f"class-{number}" for number in range(classes)]
    started = api.post("/datasets", {"name": "parts", "task": "classification", "classes": names}, format="json")
    assert started.status_code == 201, started.content
    advised = api.get("/datasets/parts/recommended-architecture").json()["labels_per_round"]
    assert advised["count"] == count
    assert words in advised["reason"]
    made = api.post("/pipelines", {"name": "loop", "dataset": "parts"}, format="json")
    assert (made.status_code, made.json().get("count")) == (201, count), made.content
    other = api.post("/pipelines", {"name": "other", "dataset": "parts", "count": 7}, format="json")
    assert other.json()["count"] == 7


def test_what_is_told_comes_before_what_is_recommended(api, truth: dict[str, str]) -> None:
    config = {"params": {"size": 32}, "recipe": {"steps": 7}}
    told = {"config": config, "architecture": "small_cnn", "model": "digits-cnn", "strategy": "entropy"}
    made = api.post("/pipelines", SHORT | told, format="json").json()
    assert (made["model"], made["strategy"]["name"]) == ("digits-cnn", "entropy")
    assert (made["architecture"], made["config"]) == ("small_cnn", config)


def test_a_pipeline_hands_what_it_needs_to_its_runs_and_its_mining_jobs(api, truth: dict[str, str]) -> None:
    needs = {"train": {"gpus": 1}, "score": {"cores": 4}}
    made = api.post("/pipelines", SHORT | {"model": "digits-cnn", "needs": needs}, format="json")
    assert made.status_code == 201, made.content
    assert made.json()["needs"] == needs
    changed = api.patch("/pipelines/loop", {"needs": {"train": {"gpus": 1, "cores": 2}}}, format="json")
    assert changed.json()["needs"] == {"train": {"gpus": 1, "cores": 2}}
    assert api.post("/pipelines/loop/rounds", format="json").status_code == 202
    advance(Round.objects.get().pk)
    run = Run.objects.get()
    assert run.job.needs_in(TRAIN) == Needs(gpus=1, cores=2)
    refused = api.patch("/pipelines/loop", {"needs": {"mine": {}, "train": {"gpus": 9}}}, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"].keys() == {"needs.mine"}
    refused = api.patch("/pipelines/loop", {"needs": {"score": {"gpus": 9}}}, format="json")
    assert refused.json()["errors"].keys() == {"needs.score.gpus"}


def test_a_pipeline_that_is_refused_leaves_no_model_behind(api, truth: dict[str, str]) -> None:
    answer = api.post("/pipelines", SHORT | {"schedule": "whenever"}, format="json")
    assert answer.status_code == 400
    assert not Pipeline.objects.exists()
    assert not Model.objects.filter(name="loop").exists()


def test_a_model_of_that_name_is_a_conflict_that_says_so(api, truth: dict[str, str]) -> None:
    answer = api.post("/pipelines", SHORT | {"name": "digits-cnn"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")
    assert "model 'digits-cnn'" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("data", "architecture", "params"),
    [
        (picture(320, 200), "efficientnet_lite0", None),
        (picture(64, 40), "small_cnn", {"size": 64, "channels": 3}),
        (picture(20, 20, mode="L"), "small_cnn", {"size": 28, "channels": 1}),
        (None, "efficientnet_lite0", None),
    ],
)
def test_the_images_decide_which_architecture_is_recommended(api, object_store, data, architecture, params) -> None:
    body = {"name": "pets", "task": "classification", "classes": ["cat", "dog"]}
    assert api.post("/datasets", body, format="json").status_code == 201
    if data is not None:
        assert (
            api.post("/datasets/pets", {"samples": [{"key": "a.png", "data": data}]}, format="json").status_code == 201
        )
    found = api.get("/datasets/pets/recommended-architecture").json()
    assert found["architecture"] == architecture
    assert found["config"] == ({"params": params} if params else {})
    assert ("no images yet" in found["reason"]) is (data is None)
    assert (found["learner"]["architecture"], found["learner"]["config"]) == ("auto", {})
