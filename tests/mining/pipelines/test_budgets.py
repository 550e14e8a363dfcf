"""Budgets are asked before a step spends: of the pipeline, of a day, of all pipelines of a dataset."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from tests.mining.pipelines.turning import Turner, learned, make, newest, shown
from tests.threads import at_once

from jobs.models import Shard
from labeling.models import Answer, Queue
from mining_jobs.models import MiningJob
from pipelines.models import Round
from pipelines.rounds import loop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def turner(api, truth, run_job) -> Turner:
    learned()
    return Turner(api, truth, run_job)


def test_a_budget_of_labels_cuts_the_last_batch_and_then_stops_the_loop(api, turner):
    make(api, budget={"labels": 14, "cost_per_label": 0.5})
    turner.start()
    assert turner.until("done")["queue_counts"]["total"] == 10
    assert shown(api)["spent"] | {"compute_hours": 0} == {
        "labels": 10, "labels_today": 10, "money": 5.0, "compute_hours": 0
    }  # fmt: skip
    turner.start()
    last = turner.until("done")
    assert last["queue_counts"]["total"] == 4
    assert last["stopped"]["rule"] == "budget"
    assert last["stopped"]["numbers"] == {"labels": 14, "limit": 14, "reserved": 0}
    assert "pipeline loop is used up: 14 of 14 labels" in shown(api)["stopped"]["reason"]
    assert shown(api)["state"] == "stopped"
    refused = api.post("/pipelines/loop/rounds")
    assert (refused.status_code, refused.json()["code"]) == (409, "pipeline_stopped")


def test_money_stops_before_it_is_spent(api, turner):
    make(api, budget={"money": 2.0, "cost_per_label": 0.25}, answers_per_task=2)
    turner.start()
    loop.advance(Round.objects.get().pk)
    assert MiningJob.objects.get().count == 4, "8 answers at 0.25 are affordable, 2 a sample"


def test_a_round_that_may_not_spend_ends_and_is_taken_up_again_when_it_may(api, turner):
    make(api, budget={"labels": 0})
    turner.start()
    loop.advance(Round.objects.get().pk)
    round_ = newest(api)
    assert (round_["state"], round_["failed_in"], round_["mining_job"]) == ("stopped", "scoring", None)
    api.patch("/pipelines/loop", {"budget": {"labels": 5}}, format="json")
    assert api.post("/pipelines/loop/retry").status_code == 202
    assert shown(api)["stopped"] is None
    assert turner.until("labelling")["queue_counts"]["total"] == 5


def test_a_budget_of_a_day_makes_the_round_wait_for_tomorrow(api, turner):
    make(api, budget={"labels_per_day": 10})
    turner.start()
    turner.until("done")
    assert shown(api)["stopped"] is None
    turner.start()
    loop.advance(Round.objects.latest("number").pk)
    held = newest(api)
    assert (held["state"], held["waiting"]["rule"]) == ("scoring", "budget")
    assert held["waiting"]["numbers"] == {"labels_per_day": 10, "limit": 10, "reserved": 0}
    assert shown(api)["state"] == "waiting_for_budget"
    Answer.objects.update(created=timezone.now() - timedelta(days=1))
    assert turner.until("labelling")["waiting"] is None


def test_compute_hours_are_those_of_all_jobs_also_of_those_that_failed(api, turner):
    make(api, budget={"compute_hours": 1})
    turner.start()
    turner.until("labelling")
    began = timezone.now() - timedelta(minutes=90)
    Shard.objects.filter(job__rounds__isnull=False).update(started=began, finished=began + timedelta(minutes=40))
    api.post("/pipelines/loop/rounds/cancel")
    api.post("/pipelines/loop/retry", {"from": "scoring"}, format="json")
    assert shown(api)["spent"]["compute_hours"] == pytest.approx(2 / 3, abs=1e-3)
    turner.until("labelling")
    Shard.objects.filter(job__rounds__isnull=False).update(started=began, finished=began + timedelta(minutes=40))
    done = turner.until("stopped")
    assert (done["failed_in"], done["stopped"]["numbers"]) == ("retraining", {"compute_hours": 1.3333, "limit": 1})


def test_an_annotator_makes_and_changes_no_pipeline(api, bobs_api, evas_api, turner):
    make(api)
    changes: tuple[dict[str, object], ...] = ({"gates": []}, {"count": 5})
    for change in changes:
        refused = bobs_api.patch("/pipelines/loop", change, format="json")
        assert (refused.status_code, refused.json()["code"]) == (403, "engineers_only")
        assert evas_api.patch("/pipelines/loop", change, format="json").status_code == 200
    with pytest.raises(AssertionError, match="engineers_only"):
        make(bobs_api, name="bobs")


def test_the_budget_of_a_dataset_holds_over_all_its_pipelines_at_once(api, bobs_api, turner):
    set_to = api.put("/datasets/digits/budget", {"labels_per_day": 12}, format="json")
    assert (set_to.status_code, set_to.json()) == (200, {"labels_per_day": 12})
    assert api.get("/datasets/digits/budget").json() == {"labels_per_day": 12}
    refused = bobs_api.put("/datasets/digits/budget", {}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "engineers_only")
    for name in ("one", "two"):
        make(api, name=name)
        turner.start(name)
        for job in loop.advance(Round.objects.latest("pk").pk):
            turner.run_job(job)
    rounds = list(Round.objects.values_list("pk", flat=True))
    at_once(2, lambda place: loop.advance(rounds[place]))
    assert Queue.objects.count() == 1
    assert sorted(Round.objects.values_list("state", flat=True)) == ["labelling", "queueing"]
    (held,) = Round.objects.filter(waiting__isnull=False)
    reason = str(held.waiting)
    assert "dataset digits is used up: 0 of 12 labels a day and 10 asked for in open queues" in reason


def test_what_was_skipped_costs_nothing_and_ends_no_round(api, turner):
    make(api, count=2)
    turner.start()
    queue = turner.until("labelling")["queue_id"]
    for _ in range(2):
        (task,) = api.post(f"/labeling/queues/{queue}/next", {"count": 1}, format="json").json()["tasks"]
        api.post(f"/labeling/tasks/{task['id']}/skip", {"lease_token": task["lease_token"]}, format="json")
    assert turner.until("done")["labels"] == 20
    assert shown(api)["spent"]["labels"] == 0


def test_terms_that_cannot_be_kept_are_refused_by_field(api, truth, subtests):
    make(api)
    terms = {"name": "x", "dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "count": 1}
    change: Any
    for change, field in [
        ({"budget": {"money": 5}}, "budget.cost_per_label"),
        ({"budget": {"labels": -1}}, "budget.labels"),
        ({"budget": {"lables": 5}}, "budget.lables"),
        ({"stop": {"value": {"per_point": 1}}}, "budget.cost_per_label"),
        ({"stop": {"target": {"value": 2}}}, "stop.target.value"),
        ({"stop": {"stable": {"rounds": 0}}}, "stop.stable.rounds"),
        ({"stop": {"stable": {"kappa": -0.1}}}, "stop.stable.kappa"),
        ({"budget": {"compute_hours": True}}, "budget.compute_hours"),
        ({"trigger": {"new_labels": 0}}, "trigger.new_labels"),
        ({"trigger": {"metric_drop": {}}}, "trigger.metric_drop.points"),
        ({"strategy": {"name": "best_of", "params": {"strategies": ["magic"]}}}, "strategy"),
        ({"strategy": {"name": "best_of"}}, "strategy.params.strategies"),
        ({"answers_per_task": 0}, "answers_per_task"),
        ({"budgt": {}}, "budgt"),
    ]:
        with subtests.test(change=change, field=field):
            for answer in (
                api.post("/pipelines", terms | {"strategy": "random"} | change, format="json"),
                api.patch("/pipelines/loop", change, format="json"),
            ):
                assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


def test_a_budget_of_a_dataset_needs_a_price_for_money(api, truth):
    answer = api.put("/datasets/digits/budget", {"money": 5}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["cost_per_label"])
