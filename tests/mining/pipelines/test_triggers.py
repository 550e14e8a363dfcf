"""Rounds that start by themselves: new labels, new samples, a model that is worse in production than on its test."""

import pytest
from tests.linear_model import registered
from tests.mining.conftest import CLASSES, digits
from tests.mining.pipelines.turning import Turner, in_production, learned, make, newest, shown
from tests.threads import at_once

from jobs.models import Job
from pipelines import tasks
from pipelines.models import Round
from pipelines.rounds import loop
from pipelines.rounds.triggers import upper_bound
from registry.models import Model, ModelVersion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


def label(api, truth, *places: int) -> None:
    keys = [f"pool-{place:02}.png" for place in places]
    samples = [{"key": key, "split": "train", "label": {"class": truth[key]}} for key in keys]
    assert api.post("/datasets/digits", {"samples": samples}, format="json").status_code == 201


def add(api, *places: int) -> None:
    samples = [{"key": f"new-{place}.png", "data": digits()[place][1], "split": "pool"} for place in places]
    body = {"samples": samples, "near_duplicates": "allow"}
    assert api.post("/datasets/digits", body, format="json").status_code == 201


def test_so_many_new_labels_start_a_round_once(api, truth):
    pipeline = make(api, trigger={"new_labels": 3})
    tasks.sweep()
    label(api, truth, 0, 1)
    assert loop.start_triggered(pipeline.pk) is None
    label(api, truth, 2)
    started = [round_ for round_ in at_once(4, lambda _: loop.start_triggered(pipeline.pk)) if round_ is not None]
    assert len(started) == 1
    assert newest(api)["trigger"]["what"] == "new_labels"
    assert "3 new labels since version" in newest(api)["trigger"]["detail"]
    assert shown(api)["last_trigger"] == newest(api)["trigger"]
    api.post("/pipelines/loop/rounds/cancel")
    tasks.sweep()
    assert Round.objects.count() == 1, "what was new for this round is not new any more"


def test_so_many_new_samples_start_a_round(api, truth):
    pipeline = make(api, trigger={"new_samples": 2})
    add(api, 120)
    label(api, truth, 5, 6)
    assert loop.start_triggered(pipeline.pk) is None
    add(api, 121)
    tasks.sweep()
    assert newest(api)["trigger"]["what"] == "new_samples"


def test_the_labels_of_a_round_itself_start_no_other(api, truth, run_job):
    learned()
    pipeline = make(api, trigger={"new_labels": 5})
    turner = Turner(api, truth, run_job)
    turner.start()
    assert turner.until("done")["labels"] == 30
    assert loop.start_triggered(pipeline.pk) is None
    pool = api.get("/datasets/digits/versions/head/samples", {"split": "pool", "limit": 5}).json()["results"]
    label(api, truth, *[int(row["key"][5:7]) for row in pool])
    assert loop.start_triggered(pipeline.pk) is not None


def mined(api, run_job, turner, *, wrong: bool) -> None:
    """A batch that is nothing but the model's predictions on random samples, labelled and committed."""
    body = {"dataset": "digits", "model": "digits-cnn@production", "strategy": "margin", "count": 24, "control": 0.9}
    answer = api.post("/mining/jobs", body, format="json")
    assert answer.status_code == 202, answer.content
    job = run_job(Job.objects.get(pk=answer.json()["job"]["id"]))
    assert job.state == "succeeded", job.error
    queue = api.post(f"/mining/jobs/{answer.json()['id']}/queue", {}, format="json").json()["queue"]
    picks = api.get(f"/mining/jobs/{answer.json()['id']}/picks").json()["results"]
    said = {pick["sample"]["key"]: pick["prediction"]["class"] for pick in picks}
    Turner(api, said, run_job).label(queue, wrong=wrong)
    assert api.post(f"/labeling/queues/{queue}/commit", {}, format="json").status_code == 201


def test_a_model_that_is_worse_in_production_than_on_its_test_starts_a_round(api, alice, truth, run_job):
    version = praised(registered(Model.objects.get(), alice, size=(1, 8, 8), classes=CLASSES))
    in_production(version)
    turner = Turner(api, truth, run_job)
    pipeline = make(api, trigger={"metric_drop": {"points": 10}})

    mined(api, run_job, turner, wrong=False)
    assert loop.start_triggered(pipeline.pk) is None
    mined(api, run_job, turner, wrong=True)
    assert loop.start_triggered(pipeline.pk) is not None
    cause = newest(api)["trigger"]
    assert cause["what"] == "metric_drop"
    assert "right on" in cause["detail"]
    assert "90.0 %" in cause["detail"]


def praised(version: ModelVersion) -> ModelVersion:
    """With a test split that says 90 %."""
    version.metrics = version.metrics | {"accuracy": 0.9}
    version.save()
    return version


def test_a_bound_on_a_share_holds_what_it_says():
    assert upper_bound(0, 1) > 0.7
    assert upper_bound(50, 100) == pytest.approx(0.5808, abs=1e-3)
    assert upper_bound(10, 10) == 1.0
