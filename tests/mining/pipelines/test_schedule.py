"""Rounds by schedule: cron in UTC, celery's row in step with the pipeline's, each time due counted once."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from celery.schedules import crontab
from django.utils import timezone
from django_celery_beat.models import PeriodicTask
from tests.mining.conftest import CLASSES, digits
from tests.mining.pipelines.turning import make, newest, shown
from tests.threads import at_once

from core.errors import Invalid
from pipelines import schedules, tasks
from pipelines.models import Pipeline, Round
from pipelines.rounds import loop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
NIGHTLY = "0 2 * * *"
MOMENTS = [datetime(2026, 2, 28, 23, 59, 30, tzinfo=UTC), datetime(2026, 11, 21, 2, 0, tzinfo=UTC),
           datetime(2027, 12, 31, 12, 7, tzinfo=UTC)]  # fmt: skip


def overdue(pipeline: Pipeline) -> None:
    """Since a month: a nightly schedule has missed more times than a test calls `start_due`."""
    Pipeline.objects.filter(pk=pipeline.pk).update(next_run=timezone.now() - timedelta(days=30))


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
@pytest.mark.parametrize(
    "cron", ["* * * * *", "*/5 * * * *", NIGHTLY, "30 6 * * 1-5", "0 0 1 * *", "15,45 8-18/2 * 1,7 *", "0 0 29 2 *"]
)
def test_a_schedule_comes_when_celery_says_so(cron, moment):
    names = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
    celerys = crontab(**dict(zip(names, cron.split(), strict=True)), nowfun=lambda: moment)
    due = moment + celerys.remaining_estimate(moment)
    assert schedules.next_run(cron, moment) == due.replace(microsecond=0)


@pytest.mark.parametrize(
    "cron", [NIGHTLY, "0 2 * * MON-fri", "5,10-50/20 */6 * jan,11 *", "0 2 * * 1-1", "00 02 1-31 * *"]
)
def test_a_schedule_that_can_be_meant_is_taken(cron):
    schedules.check(cron)


def test_a_schedule_stored_before_ranges_were_checked_still_comes():
    assert schedules.next_run("0 2 * * 5-1", MOMENTS[1]) == datetime(2026, 11, 22, 2, 0, tzinfo=UTC)


def test_a_schedule_is_told_in_words():
    assert schedules.words("*/5 * * * *").startswith("Every 5 minutes")


def test_a_schedule_that_cannot_be_meant_is_refused(api, truth, subtests):
    terms = {"name": "x", "dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "strategy": "random"}
    for cron, word in [
        ("2 * * *", "fields"),
        ("61 * * * *", "minute has '61', and goes from 0 to 59"),
        ("0 2 * * 7", "Sunday is 0"),
        ("0 2 * * 5-1", "backwards: write 5-6,0-1"),
        ("0 22-2 * * *", "backwards: write 22-23,0-2"),
        ("0 2 * 11-feb *", "backwards: write 11-12,1-feb"),
        ("sun 2 * * *", "minute"),
        ("1-2-3 2 * * *", "minute"),
        ("*/5x 2 * * *", "minute"),
        ("0/5 * * * *", "0-59 or"),
        ("*/90 * * * *", "steps go from 1 to 59"),
        ("*/0 * * * *", "steps"),
        ("0,,5 2 * * *", "minute"),
        ("٣ 2 * * *", "minute"),
        ("1_0 2 * * *", "minute"),
        ("0 0 13 * 5", "week"),
        ("0 0 31 2 *", "never"),
        ("@daily", "5"),
    ]:
        with subtests.test(cron=cron, word=word):
            with pytest.raises(Invalid, match=word):
                schedules.check(cron)
            answer = api.post("/pipelines", terms | {"count": 1, "schedule": cron}, format="json")
            assert (answer.status_code, list(answer.json()["errors"])) == (400, ["schedule"])


def test_celerys_row_is_kept_in_step_with_the_pipeline(api, truth):
    pipeline = make(api, schedule=NIGHTLY)
    row = PeriodicTask.objects.get(task=schedules.TASK)
    assert (json.loads(row.args), row.enabled, str(row.crontab.hour)) == ([pipeline.pk], True, "2")
    assert shown(api)["schedule_words"].startswith("At 02:00")

    api.post("/pipelines/loop/pause")
    assert not PeriodicTask.objects.get(pk=row.pk).enabled
    api.post("/pipelines/loop/resume")
    assert PeriodicTask.objects.get(pk=row.pk).enabled

    before = shown(api)["next_run"]
    changed = api.patch("/pipelines/loop", {"schedule": "*/10 * * * *"}, format="json").json()
    assert changed["next_run"] != before
    assert str(PeriodicTask.objects.get(pk=row.pk).crontab.minute) == "*/10"

    assert api.patch("/pipelines/loop", {"schedule": None}, format="json").json()["next_run"] is None
    assert not PeriodicTask.objects.filter(pk=row.pk).exists()


def test_with_its_dataset_goes_the_pipeline_and_celerys_row(api, truth):
    make(api, schedule=NIGHTLY)
    Pipeline.objects.all().delete()
    assert not PeriodicTask.objects.filter(task=schedules.TASK).exists()


def test_a_time_that_is_due_starts_one_round_however_often_it_is_told(api, truth):
    pipeline = make(api, schedule=NIGHTLY)
    assert loop.start_due(pipeline.pk) is None
    overdue(pipeline)
    made = [round_ for round_ in at_once(6, lambda _: loop.start_due(pipeline.pk)) if round_ is not None]
    assert len(made) == 1
    assert Round.objects.count() == 1
    assert newest(api)["trigger"]["what"] == "schedule"
    assert shown(api)["next_run"] > timezone.now().isoformat()


def test_while_a_round_is_open_a_time_is_let_pass_and_told(api, truth):
    pipeline = make(api, schedule=NIGHTLY)
    api.post("/pipelines/loop/rounds")
    overdue(pipeline)
    assert loop.start_due(pipeline.pk) is None
    assert "round 1 is still training" in shown(api)["last_trigger"]["detail"]
    assert loop.start_due(pipeline.pk) is None


def test_a_schedule_that_can_only_fail_tries_one_round_again(api, truth):
    api.post("/datasets", {"name": "bare", "task": "classification", "classes": CLASSES}, format="json")
    pool = [{"key": f"{place}.png", "data": digits()[place][1]} for place in range(20)]
    api.post("/datasets/bare", {"samples": pool}, format="json")
    asks_model = {"objectives": [{"name": "uncertainty"}]}
    pipeline = make(api, schedule=NIGHTLY, dataset="bare", compose=asks_model)
    for _ in range(3):
        overdue(pipeline)
        tasks.start_due(pipeline.pk)
        tasks.sweep()
        tasks.advance(Round.objects.latest("pk").pk)  # the sweep only wakes a worker for it
        found = newest(api)
        assert (found["number"], found["state"]) == (1, "failed")
        assert "the composition needs a model" in found["error"]
    assert "tried again" in found["trigger"]["detail"]
    assert shown(api)["last_trigger"] == found["trigger"]
    labels = [{"key": f"{place}.png", "label": {"class": digits()[place][0]}} for place in range(20)]
    api.post("/datasets/bare", {"samples": labels}, format="json")
    overdue(pipeline)
    tasks.start_due(pipeline.pk)
    tasks.sweep()
    tasks.advance(Round.objects.latest("pk").pk)
    assert (newest(api)["number"], newest(api)["state"]) == (1, "training")
    Round.objects.update(state="failed", failed_in="training")
    overdue(pipeline)
    tasks.start_due(pipeline.pk)
    assert newest(api)["number"] == 2, "a round that began a job stays, with what it spent"


def test_a_paused_pipeline_starts_nothing(api, truth):
    pipeline = make(api, schedule=NIGHTLY, trigger={"new_samples": 1})
    api.post("/pipelines/loop/pause")
    api.post("/datasets/digits", {"samples": [{"key": "new.png", "data": digits()[150][1]}]}, format="json")
    overdue(pipeline)
    tasks.sweep()
    assert Round.objects.count() == 0


def test_the_sweep_starts_what_beats_message_did_not(api, truth):
    pipeline = make(api, schedule=NIGHTLY)
    overdue(pipeline)
    tasks.sweep()
    assert newest(api)["trigger"]["what"] == "schedule"


def test_of_many_who_start_a_round_at_once_one_does(api, truth):
    pipeline = make(api)

    def start(_: int) -> str:
        try:
            return str(loop.start_round(pipeline).number)
        except Exception as error:  # noqa: BLE001 - the code is what is asked for
            return getattr(error, "code", repr(error))

    said = at_once(8, start)
    assert sorted(said) == ["1", *["round_open"] * 7]
    assert Round.objects.count() == 1
