"""Work that nobody waits for gives way, holds no last slot, and is served at last; the sweeps wait for no job."""

import re
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import IntegrityError
from django.utils import timezone
from tests.conftest import StartWorker
from tests.practice import LANE, counted
from tests.threads import at_once
from tests.workers import wait_until

from accounts.projects import create_project
from config.celery import app
from jobs import tasks, turns
from jobs.handlers import handler_for
from jobs.lanes import CLOCK
from jobs.models import Beat, Job
from jobs.services import ShardSpec, cancel, complete, create_job

pytestmark = pytest.mark.django_db(transaction=True)


def job(kind: str, shards: int = 1, *, project: int | None = None, **params: object) -> Job:
    return create_job(kind, "a job", shards=[ShardSpec(params) for _ in range(shards)], project=project)


def slots(count: int) -> None:
    """A living worker with so many slots."""
    processes = [{"pid": number} for number in range(count)]
    Beat.objects.create(name="w@h", host="h", queues=["practice"], processes=processes, seen=timezone.now())


def served(woken: Job) -> str | None:
    held = turns.take(woken.pk, owner="me")
    return None if held is None else held.shard.job.kind


def test_what_somebody_waits_for_goes_first_whatever_its_project_had() -> None:
    busy, idle = create_project("busy"), create_project("idle")
    slots(4)
    turns.used(busy.pk, 1000.0)
    later, asked = job("yielding", 2, project=idle.pk), job("practice", 2, project=busy.pk)
    assert [served(later) for _ in range(4)] == ["practice", "practice", "yielding", "yielding"]
    assert asked.pk > later.pk


def test_what_gives_way_never_holds_the_last_slot_but_may_hold_the_only_one() -> None:
    slots(3)
    later = job("yielding", 5)
    assert [served(later) for _ in range(4)] == ["yielding", "yielding", None, None]
    assert served(job("practice")) == "practice"
    Beat.objects.update(processes=[{"pid": 1}])
    Job.objects.all().delete()
    assert [served(job("yielding", 2)) for _ in range(2)] == ["yielding", None]


def test_what_gives_way_is_served_when_it_has_waited_long() -> None:
    slots(3)
    later, asked = job("yielding"), job("practice", 2)
    Job.objects.filter(pk=later.pk).update(created=timezone.now() - timedelta(seconds=turns.PATIENCE + 1))
    Job.objects.filter(pk=asked.pk).update(served=timezone.now())
    assert served(asked) == "yielding"


def test_of_the_jobs_that_are_sole_one_is_open() -> None:
    def make() -> int:
        return create_job("practice", "one", shards=[ShardSpec()], sole="one").pk

    made = set(at_once(8, lambda _: make()))
    assert len(made) == Job.objects.count() == 1
    with pytest.raises(IntegrityError):
        Job.objects.create(kind="practice", title="by other ways", sole="one")
    cancel(made.pop())
    assert Job.objects.get(pk=make()).state == "queued", "an ended one makes room"
    assert (
        create_job("practice", "other", shards=[ShardSpec()]).pk
        != create_job("practice", "another", shards=[ShardSpec()]).pk
    )


def test_every_kind_of_job_declares_its_lane_and_its_queue_has_a_worker() -> None:
    queues = {kind: handler_for(kind).lane.queue for kind in settings.JOB_HANDLERS}
    assert set(queues.values()) == {"compute", "default", LANE.queue}
    giving_way = {kind for kind in queues if turns.gives_way(kind)} - {"yielding"}
    assert giving_way == {"collect", "embed", "prepare_training", "prove_precisions", "publish"}
    assert {kind for kind, queue in queues.items() if queue == "default"} >= {"commit", "edit", "revert", "publish"}


def test_what_beat_sends_every_few_seconds_goes_to_the_queue_of_the_sweeps() -> None:
    often = {entry["task"] for entry in app.conf.beat_schedule.values() if entry["schedule"] <= 5}
    often.remove("catalog.undo_abandoned")  # it may take long
    routes = {task: route["queue"].removeprefix(settings.QUEUE_PREFIX) for task, route in app.conf.task_routes.items()}
    assert often | {"rounds.start_due"} == routes.keys()
    assert set(routes.values()) == {CLOCK}
    assert CLOCK not in {handler_for(kind).lane.queue for kind in settings.JOB_HANDLERS}


@pytest.mark.both
def test_sweeps_run_while_every_slot_is_held(worker: StartWorker, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    held = job("practice", 2, gate=str(gate))
    worker(processes=1).wait_ready()
    clock = worker(processes=1, queues=("clock",)).wait_ready()
    tasks.wake(held)
    wait_until(lambda: Job.objects.get(pk=held.pk).state == "running")
    for _ in range(5):
        tasks.sweep.delay()
        time.sleep(0.2)
    wait_until(lambda: len(re.findall(r"jobs\.sweep\[.*succeeded", clock.log.read_text())) >= 5, seconds=10)
    assert counted(held.pk) == []
    gate.touch()
    wait_until(lambda: counted(held.pk) == [0, 1] or tasks.sweep() is not None)


def test_a_shard_that_completes_may_add_one() -> None:
    from jobs.services import add_shard

    made = job("practice")
    held = turns.take(made.pk, owner="me")
    assert held is not None
    assert complete(held, {}, apply=lambda: add_shard(made.pk, ShardSpec(units=7)))
    made.refresh_from_db()
    assert (made.state, [shard.units for shard in made.shards.order_by("index")]) == ("running", [1, 7])
