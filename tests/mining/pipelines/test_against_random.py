"""A pipeline whose mining finds fewer mistakes than its control arm says so and picks at random."""

import pytest
from tests.mining.pipelines.turning import Turner, learned, make

from mining_jobs.models import Pick
from pipelines.models import Pipeline, Round
from pipelines.rounds.choices import chosen_strategy

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def turned(api, truth, run_job):
    """A pipeline by margin after one round of 12 mined and 8 random picks, and a way to say on which it was wrong."""
    learned()
    turner = Turner(api, truth, run_job)
    made = make(api, strategy="random", count=20, control=0.4)
    turner.start()
    turner.until("done")
    assert api.patch("/pipelines/loop", {"strategy": "margin"}, format="json").status_code == 200
    Round.objects.update(choice={"strategy": "margin", "params": {}, "why": ""})

    def wrong(*, mined: int, control: int) -> Pipeline:
        left = {False: mined, True: control}
        for pick in Pick.objects.select_related("sample").order_by("rank"):
            known, pick.control = truth[pick.sample.key], pick.rank <= 8
            fails = left[pick.control] > 0
            left[pick.control] -= 1
            pick.prediction = {"class": str((int(known) + 1) % 10) if fails else known}
            pick.save(update_fields=["prediction", "control"])
        return Pipeline.objects.get(pk=made.pk)

    return wrong


def test_mining_that_loses_is_replaced_by_random_and_both_say_why(api, turned):
    pipeline = turned(mined=0, control=8)
    found = api.get("/pipelines/loop/against-random").json()
    assert (found["strategy"], found["rounds"], found["loses"]) == ("margin", 1, True)
    assert (found["mined"], found["control"]) == ({"n": 12, "wrong": 0}, {"n": 8, "wrong": 8})
    assert found["evidence"] > found["bound"] == 20
    choice = chosen_strategy(pipeline)
    assert choice.strategy == "random"
    assert choice.why == f"random in place of margin. {found['sentence']}"


def test_another_strategy_or_no_control_arm_begins_anew(api, turned):
    turned(mined=0, control=8)
    for terms, strategy in (({"strategy": "entropy"}, "entropy"), ({"strategy": "margin", "control": 0}, "margin")):
        assert api.patch("/pipelines/loop", terms, format="json").status_code == 200
        assert chosen_strategy(Pipeline.objects.get()).strategy == strategy
    found = api.get("/pipelines/loop/against-random").json()
    assert (found["mined"], found["loses"]) == (None, False)
    assert "nothing to compare with" in found["sentence"]


def test_mining_that_finds_more_mistakes_goes_on(api, turned):
    assert chosen_strategy(turned(mined=6, control=1)).strategy == "margin"
    assert "nothing shows" in api.get("/pipelines/loop/against-random").json()["sentence"]


def test_a_strategy_that_compares_images_alone_is_not_judged(api, turned):
    turned(mined=0, control=8)
    assert api.patch("/pipelines/loop", {"strategy": "typiclust"}, format="json").status_code == 200
    Round.objects.update(choice={"strategy": "typiclust", "params": {}, "why": ""})
    assert chosen_strategy(Pipeline.objects.get()).strategy == "typiclust"
    found = api.get("/pipelines/loop/against-random").json()
    assert (found["strategy"], found["evidence"]) == ("typiclust", None)
    assert "compares images alone" in found["sentence"]


@pytest.mark.usefixtures("truth")
def test_before_any_round_there_is_nothing_to_compare(api):
    learned()
    make(api, strategy="margin", control=0.1)
    assert (
        api.get("/pipelines/loop/against-random").json()["sentence"] == "Mined against random: no round has mined yet."
    )
