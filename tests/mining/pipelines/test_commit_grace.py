"""A round keeps its promise: after the last answer it waits, and answers can be taken back until it commits."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from tests.mining.pipelines.turning import Turner, make, newest

from labeling.models import Queue, Task
from pipelines.models import Round
from pipelines.rounds import loop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def turner(api, truth, run_job) -> Turner:
    return Turner(api, truth, run_job)


def answered(api, turner: Turner) -> Round:
    """A round whose queue of two is answered, and whose pipeline waits for a minute then."""
    make(api, count=2, commit_grace=60)
    turner.start()
    turner.until("labelling")
    turner.label(newest(api)["queue_id"])
    return Round.objects.get()


def pass_grace(round_: Round) -> None:
    assert Queue.objects.filter(round=round_, commit_at__isnull=False).update(commit_at=Now() - timedelta(seconds=1))


def test_the_round_waits_before_it_commits(api, turner):
    round_ = answered(api, turner)
    assert newest(api)["queue_counts"]["done"] == 2
    loop.advance(round_.pk)
    shown = newest(api)
    assert shown["state"] == "labelling"
    assert 50 < shown["auto_commit"]["seconds_left"] <= 60
    pass_grace(round_)
    loop.advance(round_.pk)
    assert newest(api)["state"] == "retraining"
    assert newest(api)["auto_commit"] is None


def test_an_answer_taken_back_in_the_last_moment_is_not_committed_and_fails_nothing(api, turner):
    round_ = answered(api, turner)
    pass_grace(round_)
    Round.objects.filter(pk=round_.pk).update(state="committing")  # the round's last look was a moment ago
    task = Task.objects.filter(queue__round=round_)[0]
    assert api.post(f"/labeling/tasks/{task.pk}/undo", {}, format="json").status_code == 200
    loop.advance(round_.pk)
    assert newest(api)["state"] == "labelling"
    turner.label(newest(api)["queue_id"])
    pass_grace(round_)
    loop.advance(round_.pk)
    assert (newest(api)["state"], newest(api)["error"]) == ("retraining", "")


def test_a_held_round_does_not_commit_however_long_it_takes(api, turner):
    round_ = answered(api, turner)
    queue = newest(api)["queue"]
    api.post(f"/labeling/queues/{queue}/hold")
    loop.advance(round_.pk)
    assert newest(api)["auto_commit"]["held_by"] == "alice"
    assert newest(api)["state"] == "labelling"
    api.delete(f"/labeling/queues/{queue}/hold")
    pass_grace(round_)
    loop.advance(round_.pk)
    assert newest(api)["state"] == "retraining"


def test_commit_now_takes_the_round_on(api, turner):
    round_ = answered(api, turner)
    api.post(f"/labeling/queues/{newest(api)['queue']}/commit", {}, format="json")
    loop.advance(round_.pk)
    assert newest(api)["state"] == "retraining"


def test_another_grace_of_the_pipeline_holds_for_the_open_round_as_well(api, turner):
    round_ = answered(api, turner)
    changed = api.patch("/pipelines/loop", {"commit_grace": 0}, format="json")
    assert (changed.status_code, changed.json()["commit_grace"]) == (200, 0)
    loop.advance(round_.pk)
    assert newest(api)["state"] == "retraining"


def test_a_pipeline_that_says_nothing_takes_the_platforms_grace(api, truth, settings):
    settings.COMMIT_GRACE_SECONDS = 45
    assert make(api).commit_grace == 45
    refused = api.patch("/pipelines/loop", {"commit_grace": -1}, format="json")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["commit_grace"])
