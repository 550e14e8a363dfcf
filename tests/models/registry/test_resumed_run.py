"""A run whose program is killed goes on from its newest snapshot, and ends with the weights of one that never was."""

import base64
import os
import signal
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from django.db import connection
from tests.workers import wait_until
from tests.working import work_on

from catalog.models import Dataset
from jobs import services
from jobs.context import ShardContext
from jobs.models import Shard
from registry.models import Model, Run, Snapshot
from registry.services import TRAIN, RunSpec, start_run
from registry.snapshots import fetch_recovery, keep_snapshot

pytestmark = pytest.mark.django_db(transaction=True)
RECIPE = {"steps": 300, "batch_size": 16, "recover_every": 40, "evaluate_every": 30, "keep_best": 2, "mixup": 0.2}


@pytest.fixture
def make_run(api, alice, object_store):
    """Makes runs of one model on one dataset version of 24 images to train on and 9 to judge by."""
    common = {"task": "classification", "classes": ["dark", "middle", "light"]}
    assert api.post("/datasets", {"name": "shades"} | common, format="json").status_code == 201
    assert api.post("/models", {"name": "shades-cnn"} | common, format="json").status_code == 201
    rng, samples = np.random.default_rng(0), []
    for number in range(33):
        image = (rng.integers(0, 200, (28, 28)) + 25 * (number % 3)).astype(np.uint8)
        data = base64.b64encode(cv2.imencode(".png", image)[1].tobytes()).decode()
        label = {"class": common["classes"][number % 3]}
        samples.append(
            {"key": f"{number}.png", "data": data, "split": "val" if number > 23 else "train", "label": label}
        )
    assert api.post("/datasets/shades", {"samples": samples}, format="json").status_code == 201
    model, version = Model.objects.get(), Dataset.objects.get().versions.get(number=1)

    def make() -> Run:
        config = {"params": {"width": 8}, "recipe": RECIPE}
        return start_run(model, version, RunSpec("small_cnn", config, seed=5), author=alice)

    return make


def programs() -> list[int]:
    """The training programs that this process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"-m\0training\0" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def work(run: Run) -> None:
    try:
        assert work_on(run.job_id)
    finally:
        connection.close()


def trained(run: Run) -> Shard:
    return run.job.shards.get(phase=TRAIN)


def result_of(run: Run) -> dict[str, Any]:
    result: dict[str, Any] | None = trained(run).result
    assert result is not None
    return result


def log_of(run: Run) -> list[str]:
    return [event.data["message"] for event in run.job.events.filter(kind="log").order_by("pk")]


def kill(run: Run) -> None:
    for pid in programs():
        os.kill(pid, signal.SIGKILL)


def cancel(run: Run) -> None:
    services.cancel(run.job_id)


@pytest.mark.usefixtures("fresh_programs")
@pytest.mark.clock
@pytest.mark.parametrize("stop", [kill, cancel])
def test_a_run_stopped_in_the_middle_resumes_from_its_snapshot_with_equal_weights(stop, make_run, api):
    whole, broken = make_run(), make_run()
    work(whole)

    thread = threading.Thread(target=work, args=(broken,))
    thread.start()
    wait_until(lambda: broken.snapshots.filter(kind=Snapshot.Kind.RECOVERY).exists(), seconds=120)
    stop(broken)
    thread.join()
    if stop is cancel:
        assert trained(broken).state == Shard.State.CANCELLED
        assert api.post(f"/runs/{broken.pk}/resume").status_code == 202
    assert trained(broken).state == Shard.State.TODO, "it was stopped before it was done"
    step = broken.snapshots.get(kind=Snapshot.Kind.RECOVERY).step
    assert step in range(40, 300, 40)

    wait_until(lambda: services.claimable_count(broken.job_id) == 1)
    work(broken)
    assert f"training goes on after step {step}" in log_of(broken)
    assert trained(broken).state == Shard.State.DONE
    files, others = result_of(broken)["files"], result_of(whole)["files"]
    assert files["checkpoint.safetensors"]["sha256"] == others["checkpoint.safetensors"]["sha256"]
    assert "tensorboard/events.out.tfevents.run" in files
    lock = result_of(broken)["lock"]
    assert lock == result_of(whole)["lock"]
    assert (lock["dataset"], lock["version"], lock["seed"], lock["config"]["recipe"]["steps"]) == ("shades", 1, 5, 300)
    assert lock["code"].startswith(("git:", "sha256:"))
    assert {"torch", "numpy", "python"} <= set(lock["environment"])

    assert not Snapshot.objects.filter(kind=Snapshot.Kind.RECOVERY).exists(), "there is nothing left to go on with"
    best = [list(run.snapshots.order_by("step").values_list("step", "blob__sha256")) for run in (whole, broken)]
    assert len(best[0]) == 2
    assert best[0] == best[1]


@pytest.fixture
def context(make_run):
    """Of a claimed training shard, nothing running."""
    held = services.claim(make_run().job_id, worker="me")
    assert held
    return ShardContext(held)


def told(path: Path, kind: str, step: int, accuracy: float = 0.5) -> dict[str, Any]:
    path.write_bytes(f"{kind} {step}".encode())
    return {"path": str(path), "kind": kind, "step": step, "values": {"validation_accuracy": accuracy}}


def test_the_newest_recovery_and_the_best_n_are_kept(context, tmp_path):
    run = context.job.run
    for step, accuracy in [(1, 0.3), (2, 0.9), (3, 0.5), (4, 0.9)]:
        keep_snapshot(run, told(tmp_path / "a", "recovery", step), context=context, best=2)
        keep_snapshot(run, told(tmp_path / "a", "best", step, accuracy), context=context, best=2)
    kept = run.snapshots.order_by("kind", "step").values_list("kind", "step")
    assert list(kept) == [("best", 2), ("best", 4), ("recovery", 4)]
    fetched = fetch_recovery(run, tmp_path / "back", context=context)
    assert fetched is not None
    assert fetched == tmp_path / "back" / "step-00000004.safetensors"
    assert fetched.read_bytes() == b"recovery 4"


def test_a_worker_that_lost_its_shard_writes_no_snapshot(context, tmp_path):
    run, shard = context.job.run, context.claim.shard
    keep_snapshot(run, told(tmp_path / "a", "recovery", 1), context=context, best=1)
    Shard.objects.filter(pk=shard.pk).update(token=shard.token + 1)  # somebody else has claimed it
    keep_snapshot(run, told(tmp_path / "a", "recovery", 2), context=context, best=1)
    assert [row.step for row in run.snapshots.all()] == [1]


def test_a_file_that_a_newer_one_has_replaced_is_passed_over(context, tmp_path):
    event = told(tmp_path / "a", "best", 1)
    (tmp_path / "a").unlink()
    keep_snapshot(context.job.run, event, context=context, best=1)
    assert not Snapshot.objects.exists()
