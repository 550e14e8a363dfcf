"""`POST /runs/forecast`: how long a training takes here."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient
from tests.models.registry.test_clone_run import RUN

from jobs.models import Beat, Job
from registry.models import Run
from registry.services import PROVE, TRAIN
from worker_programs.wording import about

pytestmark = pytest.mark.django_db(transaction=True)
GIB = 1 << 30
QUICK = {"export": {"precisions": [], "tensorrt": "never"}}
WIDE = {"params": {"width": 128}}
"""A network that takes hours on a CPU, however few images there are."""


def forecast(api: APIClient, **changes: Any) -> dict[str, Any]:
    answer = api.post("/runs/forecast", {"dataset": "digits", "architecture": "small_cnn"} | changes, format="json")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_before_the_first_training_it_is_an_estimate_and_says_so(api: APIClient, truth: Any) -> None:
    found = forecast(api)
    assert (found["source"], found["runs"]) == ("reference", 0)
    why = "a rough estimate: nothing has been trained here yet"
    assert found["words"] == f"{about(found['seconds']).capitalize()} on this machine ({why})."
    longer = forecast(api, config={"recipe": {"steps": 50_000}})
    assert longer["seconds"] > 10 * found["seconds"]


def test_it_shows_the_settings_that_count_where_none_is_given(api: APIClient, truth: Any) -> None:
    found = forecast(api, config={"recipe": {"batch_size": 8}, "params": {"width": 8}})
    assert (found["params"]["width"], found["params"]["size"]) == (8, 28)
    recipe = found["recipe"]
    assert (recipe["batch_size"], recipe["learning_rate"], recipe["steps"]) == (8, 0.002, 500)
    assert found["config"] == {"recipe": {"batch_size": 8}, "params": {"width": 8}}
    assert not Run.objects.exists()


def test_a_setting_at_fault_is_named(api: APIClient, truth: Any) -> None:
    def refused(config: Any) -> list[str]:
        answer = api.post(
            "/runs/forecast", {"dataset": "digits", "architecture": "small_cnn", "config": config}, format="json"
        )
        assert answer.status_code == 400, answer.content
        return list(answer.json()["errors"])

    assert refused({"recipe": {"steps": 0}}) == ["config.recipe.steps"]
    assert refused({"recipe": {"epochs": 1000, "batch_size": 1, "min_steps": 1_000_001}}) == ["config.recipe.min_steps"]
    assert refused({"params": {"depth": 3}}) == ["config.params.depth"]


@pytest.mark.timeout(300)
def test_after_a_training_the_forecast_is_what_that_took(
    api: APIClient, truth: Any, run_job: Callable[[Job], Job]
) -> None:
    run = api.post("/runs", RUN | {"config": QUICK | {"recipe": {"steps": 40}}}, format="json").json()
    job = run_job(Run.objects.get(pk=run["id"]).job)
    assert job.state == "succeeded"
    results = {shard.phase: shard.result or {} for shard in job.shards.all()}
    took = results[TRAIN]["seconds"] + results[PROVE]["metrics"]["seconds"]["prove"]
    found = forecast(api, config={"recipe": {"steps": 40}})
    assert (found["source"], found["runs"]) == ("measured", 1)
    assert found["words"].endswith("on this machine (from 1 earlier training).")
    assert found["seconds"] == pytest.approx(took, rel=1e-3)
    longer = forecast(api, config={"recipe": {"steps": 4000}})["seconds"] - found["seconds"]
    assert longer == pytest.approx(99 * results[TRAIN]["training"]["train"]["seconds"], rel=0.3)
    other = forecast(api, architecture="resnet18", config={"recipe": {"steps": 20}})
    assert (other["source"], other["runs"]) == ("others", 1)


def test_a_training_of_hours_without_a_gpu_names_what_makes_it_shorter(api: APIClient, truth: Any) -> None:
    slow = forecast(api, architecture="resnet50", config=WIDE)
    assert slow["seconds"] > 3600
    assert slow["words"].endswith(" Fewer steps and a smaller size make it shorter.")
    quick = forecast(api, architecture="resnet50", config=WIDE | {"recipe": {"steps": 1}})
    assert "shorter" not in quick["words"]


def test_on_a_gpu_nothing_is_known_before_the_first_training(api: APIClient, truth: Any) -> None:
    gpu = {"device": "0", "name": "H200", "memory": 140 * GIB}
    has = {"gpus": [gpu], "memory": GIB, "cores": 4, "architecture": "x86_64"}
    Beat.objects.create(name="one", host="one", queues=["compute", "gpu"], has=has, seen=timezone.now())
    found = forecast(api, architecture="resnet50")
    assert (found["device"], found["seconds"]) == ("cuda", None)
    assert found["words"] == "No forecast yet: nothing has been trained on a GPU here before."
    assert forecast(api, architecture="resnet50", config={"recipe": {"device": "cpu"}})["device"] == "cpu"


def test_auto_is_forecast_by_what_it_compares_at_the_most(api: APIClient, truth: Any) -> None:
    found = forecast(api, architecture="auto")
    assert (found["source"], found["params"]["folds"]) == ("reference", 3)
    assert found["words"].endswith("; auto chooses what it trains while it runs).")
    never = {"fine_tune": "never", "scratch": "never", "semi_supervised": "never"}
    least = forecast(api, architecture="auto", config={"params": never})
    one = forecast(api, architecture="auto", config={"params": never | {"trunks": ["efficientnet_lite0"]}})
    assert one["seconds"] < least["seconds"] < found["seconds"]


def test_what_is_trained_by_default_is_forecast_by_default(api: APIClient, truth: Any) -> None:
    answer = api.post("/runs/forecast", {"dataset": "digits"}, format="json")
    assert answer.json()["architecture"] == "auto"


def test_who_may_read_may_ask(ritas_api: APIClient, truth: Any) -> None:
    assert forecast(ritas_api)["seconds"] > 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "about 5 seconds"),
        (42, "about 40 seconds"),
        (89, "about 90 seconds"),
        (700, "about 12 minutes"),
        (2000, "about 35 minutes"),
        (9000, "about 2 hours"),
        (200_000, "about 2 days"),
    ],
)
def test_a_time_is_said_as_people_say_it(seconds: float, words: str) -> None:
    assert about(seconds) == words
