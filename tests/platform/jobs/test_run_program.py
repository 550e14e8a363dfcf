"""Programs as child processes: events come through, every way to end is told apart, none outlives its job."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.processes import is_running
from tests.threads import in_thread
from tests.workers import wait_until
from tests.working import work_on

from blobs.errors import StoreFailed, StoreSilent, StoreUnavailable
from jobs.context import ShardContext
from jobs.errors import JobCancelled, LeaseLost, ShardFailed
from jobs.models import Job, JobEvent, Shard
from jobs.preloading import Preloader
from jobs.run_program import ProgramCrashed, run_program
from jobs.services import ShardSpec, cancel, claim, create_job
from worker_programs.confinement import KEPT_VARIABLES

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def ready() -> Iterator[Preloader]:
    """What forks the program of these tests."""
    made = Preloader(frozenset({"tests.tiny_program"}), ["json"])
    wait_until(made.is_ready)
    yield made
    made.close()


@pytest.fixture(autouse=True, params=["fresh", "forked"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings: Any, ready: Preloader) -> None:
    """A program is the same to who started it, however that was."""
    settings.PRELOAD_PROGRAMS = request.param == "forked"
    monkeypatch.setattr("jobs.run_program.preloader", ready)


def run(folder: Path, **config: Any) -> tuple[Job, dict[str, Any]]:
    job = create_job("practice", "a program", shards=[ShardSpec()])
    return job, follow(job, folder, **config)


def follow(job: Job, folder: Path, **config: Any) -> dict[str, Any]:
    held = claim(job.pk, worker="me")
    assert held is not None
    with ShardContext(held) as context:
        return run_program("tests.tiny_program", config, folder=folder, context=context)


def test_events_reach_the_job_and_the_result_its_caller(tmp_path: Path) -> None:
    job, result = run(tmp_path, do="work", steps=3)
    assert (result["accuracy"], result["threads"]) == (0.5, "1")
    points = job.events.filter(kind=JobEvent.Kind.POINT).order_by("pk")
    assert [point.data["step"] for point in points] == [0, 1, 2]
    assert job.events.get(kind=JobEvent.Kind.LOG).data["message"] == "all steps are done"
    shard = job.shards.get()
    assert (shard.units_done, shard.units) == (3, 3)


def test_a_program_that_says_what_is_wrong_is_not_tried_again(tmp_path: Path) -> None:
    with pytest.raises(ShardFailed, match="is not a class of this model") as caught:
        run(tmp_path, do="refuse")
    assert caught.value.code == "unknown_class"


@pytest.mark.parametrize(
    ("todo", "words"),
    [("crash", "exit status 3.*out of memory"), ("die", "SIGKILL"), ("nothing", "exit status 0")],
)
def test_a_program_that_dies_may_be_tried_again(todo: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramCrashed, match=re.compile(words, re.DOTALL)):
        run(tmp_path, do=todo)


@pytest.mark.parametrize("error", [StoreSilent, StoreFailed])
def test_a_program_tells_a_silent_store_from_one_that_fails(error: type[StoreUnavailable], tmp_path: Path) -> None:
    with pytest.raises(error, match="blobs/1"):
        run(tmp_path, do="meet the store", code=error.code)


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
    monkeypatch.setattr("jobs.run_program.GRACE_SECONDS", 0.5)
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
    wait_until(lambda: not any(is_running(pid) for pid in pids))


def test_losing_the_lease_ends_the_program(tmp_path: Path) -> None:
    job = create_job("practice", "a program", shards=[ShardSpec()])

    def steal_when_it_runs() -> None:
        wait_until(lambda: job.events.exists())
        Shard.objects.filter(job=job).update(token=9)

    thread = in_thread(steal_when_it_runs)
    with pytest.raises(LeaseLost):
        follow(job, tmp_path, do="hang")
    thread.join()


SECRETS = ("MOTHERLODE_SECRET_KEY", "MOTHERLODE_DATABASE_URL", "MOTHERLODE_BROKER_URL", "MOTHERLODE_S3_ACCESS_KEY",
           "MOTHERLODE_S3_SECRET_KEY", "MOTHERLODE_IMPORT_SOURCES", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN")  # fmt: skip


def test_a_program_is_given_none_of_our_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SECRETS:
        monkeypatch.setenv(name, "hush")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    told = run(tmp_path, do="tell its environment")[1]["environ"]
    assert told["CUDA_VISIBLE_DEVICES"] == "0"
    assert "hush" not in told.values()
    assert not {*SECRETS} & {*told}
    assert {*told} <= KEPT_VARIABLES | {"PYTHONPATH", "CUDA_VISIBLE_DEVICES", "LC_CTYPE"}


@pytest.mark.parametrize("child", [False, True])
def test_a_program_that_takes_too_much_memory_is_stopped_and_the_job_says_so(
    child: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
    settings: Any,
) -> None:
    settings.PROGRAM_MEMORY = 300 << 20
    with pytest.raises(ShardFailed, match=r"300 MiB of memory: .* MOTHERLODE_PROGRAM_MEMORY") as caught:
        run(tmp_path, do="eat", child=child)
    assert caught.value.code == "program_memory"


def test_a_program_that_takes_too_long_is_stopped_and_the_job_says_so(tmp_path: Path, settings: Any) -> None:
    settings.PROGRAM_SECONDS = 0.5
    with pytest.raises(ShardFailed, match=r"0\.5 seconds: .* MOTHERLODE_PROGRAM_SECONDS") as caught:
        run(tmp_path, do="hang", deaf=True)
    assert caught.value.code == "program_time"


@pytest.mark.parametrize("todo", ["write", "talk", "talk in one line"])
def test_a_program_that_writes_without_end_is_stopped_and_the_job_says_so(
    todo: str, tmp_path: Path, settings: Any
) -> None:
    settings.PROGRAM_OUTPUT = 8 << 20
    with pytest.raises(ShardFailed, match=r"8 MiB: .* MOTHERLODE_PROGRAM_OUTPUT") as caught:
        run(tmp_path, do=todo)
    assert caught.value.code == "program_output"


def test_what_was_stopped_at_a_limit_is_not_tried_again(tmp_path: Path, settings: Any) -> None:
    job = create_job("programs", "a program", shards=[ShardSpec({"do": "hang"})])
    settings.PROGRAM_SECONDS = 0.3
    assert work_on(job.pk)
    job.refresh_from_db()
    assert job.error is not None
    assert (job.state, job.error["code"]) == (Job.State.FAILED, "program_time")
    assert "MOTHERLODE_PROGRAM_SECONDS" in job.error["detail"]
    assert not work_on(job.pk)
