"""A program that stays between shards: one start for many, a new one after whatever ended it."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from tests.workers import wait_until

from blobs.services import store
from blobs.settings import StoreConfig
from jobs.context import ShardContext
from jobs.errors import JobCancelled, ShardFailed
from jobs.models import Job
from jobs.persistent import PersistentProgram
from jobs.run_program import ProgramCrashed
from jobs.services import ShardSpec, cancel, claim, create_job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def program() -> Iterator[PersistentProgram]:
    made = PersistentProgram("tests.staying_program")
    yield made
    made.close()


def ask(program: PersistentProgram, folder: Path, do: str, job: Job | None = None) -> dict[str, Any]:
    held = claim((job or create_job("practice", "a program", shards=[ShardSpec()])).pk, worker="me")
    assert held is not None
    with ShardContext(held) as context:
        return program.run({"do": do}, folder=folder, context=context, on_progress=context.progress)


def test_one_start_serves_many_shards_and_refusals_are_survived(program: PersistentProgram, tmp_path: Path) -> None:
    first = ask(program, tmp_path, "work")["pid"]
    with pytest.raises(ShardFailed, match="not this one") as caught:
        ask(program, tmp_path, "refuse")
    assert caught.value.code == "refused"
    assert ask(program, tmp_path, "work")["pid"] == first == program.pid


@pytest.mark.parametrize("todo", ["die", "break"])
def test_after_a_death_the_next_shard_has_a_new_one(todo: str, program: PersistentProgram, tmp_path: Path) -> None:
    first = ask(program, tmp_path, "work")["pid"]
    with pytest.raises((ProgramCrashed, ShardFailed)):
        ask(program, tmp_path, todo)
    assert ask(program, tmp_path, "work")["pid"] != first


def test_one_that_left_for_want_of_work_is_started_again(
    program: PersistentProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_IDLE_SECONDS", "0.2")
    first = ask(program, tmp_path, "work")["pid"]
    wait_until(lambda: program.pid is None)
    assert ask(program, tmp_path, "work")["pid"] != first


def test_a_changed_environment_takes_a_new_one(
    program: PersistentProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(program, tmp_path, "work")["pid"]
    monkeypatch.setenv("MOTHERLODE_MAX_IMAGE_PIXELS", "5000000")
    assert ask(program, tmp_path, "work")["pid"] != first


def test_another_store_takes_a_new_one(s3_server: StoreConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The links that it is lent are those of the store it was started for."""
    program, pids = PersistentProgram("tests.staying_program", reads_store=True), list[int]()
    for bucket in ("one", "one", "another"):
        for name, value in replace(s3_server, bucket=bucket).to_env().items():
            monkeypatch.setenv(name, value)
        store.cache_clear()
        pids.append(ask(program, tmp_path, "work")["pid"])
    program.close()
    store.cache_clear()
    assert pids[0] == pids[1] != pids[2]


def test_a_cancelled_job_ends_it_within_seconds(program: PersistentProgram, tmp_path: Path) -> None:
    job = create_job("practice", "hangs", shards=[ShardSpec()])

    def stop() -> None:
        try:
            wait_until(lambda: program.pid is not None)
            time.sleep(0.5)
            cancel(job.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=stop)
    thread.start()
    started = time.monotonic()
    with pytest.raises(JobCancelled):
        ask(program, tmp_path, "hang", job)
    thread.join()
    assert time.monotonic() - started < 30
    assert program.pid is None


def test_one_that_takes_too_much_is_stopped_and_the_next_shard_has_a_new_one(
    program: PersistentProgram, tmp_path: Path, settings: Any
) -> None:
    settings.PROGRAM_MEMORY = 400 << 20
    first = ask(program, tmp_path, "work")["pid"]
    with pytest.raises(ShardFailed, match=r"400 MiB of memory.*MOTHERLODE_PROGRAM_MEMORY") as caught:
        ask(program, tmp_path, "eat")
    assert caught.value.code == "program_memory"
    settings.PROGRAM_SECONDS = 0.5
    with pytest.raises(ShardFailed, match=r"0\.5 seconds.*MOTHERLODE_PROGRAM_SECONDS"):
        ask(program, tmp_path, "hang")
    settings.PROGRAM_SECONDS = 60
    assert ask(program, tmp_path, "work")["pid"] != first
