"""Workers are killed while a sweep goes on: each trial is there once, as one run."""

import time

import pytest
from django.test import override_settings
from tests.conftest import StartWorker
from tests.models.sweeps.conftest import BRIEF, labelled, started  # noqa: F401 - fixtures
from tests.workers import Worker

from jobs import tasks
from jobs.models import Job, Shard
from registry.models import Run
from sweeps.models import Sweep, Trial
from sweeps.tasks import look

TRIALS, KILLS = 20, 5
MOST = 4 * KILLS
SECONDS = 280.0
PATIENCE = {
    "MOTHERLODE_JOB_LEASE_SECONDS": "2",
    "MOTHERLODE_COMPUTE_SLOTS": "2",
    "MOTHERLODE_JOB_MAX_CLAIMS": str(MOST),
    "MOTHERLODE_JOB_MAX_ATTEMPTS": str(MOST),
}
SPACE = {
    "recipe.learning_rate": {"low": 1e-5, "high": 0.3, "log": True},
    "params.width": {"choices": [4, 8, 16]},
}


@override_settings(JOB_MAX_CLAIMS=MOST, JOB_MAX_ATTEMPTS=MOST)
@pytest.mark.django_db(transaction=True)
@pytest.mark.clock
@pytest.mark.timeout(SECONDS + 60)
def test_twenty_trials_on_two_workers_that_are_killed_are_twenty_runs(started, worker: StartWorker) -> None:  # noqa: F811
    recipe = BRIEF["recipe"] | {"steps": 120, "evaluate_every": 10, "recover_every": 10}
    sweep: Sweep = started(space=SPACE, trials=TRIALS, parallel=2, startup=2, config={"recipe": recipe})

    def start() -> Worker:
        return worker(processes=2, queues=("compute", "default"), env=PATIENCE).wait_ready()

    pool, kills, deadline = start(), 0, time.monotonic() + SECONDS
    while sweep.state == Sweep.State.RUNNING:
        states = list(sweep.trials.values_list("state", flat=True))
        assert time.monotonic() < deadline, f"{states} after {kills} kills"
        look()
        tasks.sweep()  # beat would do both
        time.sleep(0.3)
        at_work = Shard.objects.filter(job__kind="train", state=Shard.State.RUNNING, units_done__gt=0).exists()
        if kills < KILLS and at_work and len(states) > kills * TRIALS // KILLS:
            pool.kill()
            kills += 1
            pool = start()
        sweep.refresh_from_db()
    assert (sweep.state, kills) == ("succeeded", KILLS)
    trials = list(sweep.trials.select_related("run__job").order_by("number"))
    assert [trial.number for trial in trials] == list(range(TRIALS))
    assert Run.objects.count() == Job.objects.filter(kind="train").count() == TRIALS
    assert len({trial.run_id for trial in trials}) == TRIALS
    ended = {Trial.State.COMPLETE: Job.State.SUCCEEDED, Trial.State.PRUNED: Job.State.CANCELLED}
    for trial in trials:
        assert trial.run is not None
        assert trial.run.job.state == ended[Trial.State(trial.state)], trial.reason
        steps = [step for step, _ in trial.curve]
        assert steps == sorted(set(steps)), "what was done twice counts once"
    assert {trial.state for trial in trials} == {"complete", "pruned"}
    claims = sum(Shard.objects.filter(job__kind="train").values_list("token", flat=True))
    assert claims > TRIALS, "no kill hit a trial at work: this proves little"
