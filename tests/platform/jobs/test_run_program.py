"""Programs as child processes: events come through, every way to end is told apart, none outlives its job."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from tests.threads import in_thread
from tests.workers import wait_until

from jobs.context import ShardContext
from jobs.errors import JobCancelled, LeaseLost, ShardFailed
from jobs.models import Job, JobEvent, Shard
from jobs.programs import ProgramCrashed, run_program
from jobs.services import ShardSpec, cancel, claim, create_job

pytestmark = pytest.mark.django_db(transaction=True)


def run(folder: Path, **config: Any) -> tuple[Job, dict[str, Any]]:
    job = create_job("practice", "a program", shards=[ShardSpec()])
    return job, follow(job, folder, **config)


def follow(job: Job, folder: Path, **config: Any) -> dict[str, Any]:
    held = claim(job.pk, worker="me")
    assert held is not None
    with ShardContext(held) as context:
        return run_program("tests.tiny_program", config, folder=folder, context=context)


def is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_events_reach_the_job_and_the_result_its_caller(tmp_path: Path) -> None:
    job, result = run(tmp_path, do="work", steps=3)
    assert (result["accuracy"], result["threads"]) == (0.5, "1")
    points = job.events.filter(kind=JobEvent.Kind.POINT).order_by("pk")
    assert [point.data["step"] for point in points] == [0, 1, 2]
    assert job.events.get(kind=JobEvent.Kind.LOG).data["message"] == "all steps are done"
    shard = job.shards.get()
    assert (shard.units_done, shard.units) == (3, 3)


def test_a_program_that_says_what_is_wrong_is_not_tried_again(tmp_path: Path) -> None:
    with pytest.raises(ShardFailed, match="no class of this model") as caught:
        run(tmp_path, do="refuse")
    assert caught.value.code == "unknown_class"


@pytest.mark.parametrize(
    ("todo", "words"),
    [("crash", "exit status 3.*out of memory"), ("die", "SIGKILL"), ("nothing", "exit status 0")],
)
def test_a_program_that_dies_may_be_tried_again(todo: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramCrashed, match=re.compile(words, re.DOTALL)):
        run(tmp_path, do=todo)


def test_a_line_that_is_no_event_ends_the_program(tmp_path: Path) -> None:
    with pytest.raises(ProgramCrashed, match="Downloading weights"):
        run(tmp_path, do="babble")


def test_a_program_may_take_its_time_to_leave(tmp_path: Path) -> None:
    assert run(tmp_path, do="leave slowly")[1]["done"] is True


@pytest.mark.parametrize("deaf", [False, True])
def test_cancelling_ends_the_program_and_its_children(
    deaf: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jobs.programs.GRACE_SECONDS", 0.5)
    job = create_job("practice", "a program", shards=[ShardSpec()])
    pids: list[int] = []

    def cancel_when_it_runs() -> None:
        wait_until(lambda: job.events.exists())
        pids.extend(int(pid) for pid in re.findall(r"\d+", job.events.get().data["message"]))
        cancel(job.pk)

    thread = in_thread(cancel_when_it_runs)
    started = time.monotonic()
    with pytest.raises(JobCancelled):
        follow(job, tmp_path, do="hang", deaf=deaf)
    thread.join()
    assert time.monotonic() - started < 10
    assert len(pids) == 2
    wait_until(lambda: not any(is_running(pid) for pid in pids), seconds=2)


def test_losing_the_lease_ends_the_program(tmp_path: Path) -> None:
    job = create_job("practice", "a program", shards=[ShardSpec()])

    def steal_when_it_runs() -> None:
        wait_until(lambda: job.events.exists())
        Shard.objects.filter(job=job).update(token=9)

    thread = in_thread(steal_when_it_runs)
    with pytest.raises(LeaseLost):
        follow(job, tmp_path, do="hang")
    thread.join()
