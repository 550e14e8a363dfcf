"""Workers are killed while a lake is scanned and while its picks become samples: each frame is scored once, and the
picks are those of an exact choice among all frames."""

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest
from django.test import override_settings
from numpy.typing import NDArray
from rest_framework.test import APIClient
from tests.conftest import StartWorker
from tests.mining.conftest import run_job  # noqa: F401 - a fixture
from tests.mining.lakes.conftest import LAKE, filled, sent, shade  # noqa: F401 - fixtures
from tests.models.registry.shipped import CLASSES, shipped, version_of

from accounts.models import User
from acquisition import Pool, strategy
from acquisition.registry import RowStrategy
from blobs.store import BlobStore
from catalog.models import Dataset
from jobs import tasks
from jobs.models import Job, Shard
from labeling.models import Queue
from lakes.models import GroupScores, LakeGroup, LakeScan, ScanKept
from lakes.reading import table_of
from lakes.scores import SCORED, known_scores
from mining_jobs.models import SCORE, SELECT, Pick

pytestmark = pytest.mark.production

GROUPS, FRAMES = 6, 40
COUNT, CONTROL = 20, 0.2
BLOWS = {SCORE: 3, SELECT: 1}
MOST = 12
SECONDS = 150.0
PATIENCE = {
    "MOTHERLODE_JOB_LEASE_SECONDS": "1",
    "MOTHERLODE_JOB_MAX_CLAIMS": str(MOST),
    "MOTHERLODE_JOB_MAX_ATTEMPTS": str(MOST),
    "MOTHERLODE_COMPUTE_SLOTS": "2",
}


@pytest.fixture
def lights(object_store: BlobStore, api: APIClient, alice: User) -> Dataset:
    """An empty dataset, and `shades@1`, which tells light from dark; workers see both."""
    common = {"name": "lights", "task": "classification", "classes": CLASSES}
    assert api.post("/datasets", common, format="json").status_code == 201
    version_of(shipped(), alice)
    return Dataset.objects.get()


def frames(group: int) -> dict[str, bytes]:
    places = range(group * FRAMES, (group + 1) * FRAMES)
    return {f"drive{group}/{place:03}.png": shade(10 + place * 7 % 230, place=place) for place in places}


def strike(job: Job, phase: int) -> bool:
    """Kill a process that works on this phase right now; False when there was none to be hit."""
    owners = list(job.shards.filter(phase=phase, state=Shard.State.RUNNING).values_list("owner", flat=True))
    with suppress(IndexError, ProcessLookupError):
        os.kill(int(random.choice(owners).rpartition(":")[2]), signal.SIGKILL)
        return True
    return False


@override_settings(JOB_MAX_CLAIMS=MOST)
@pytest.mark.timeout(SECONDS + 90)
def test_a_scan_whose_workers_are_killed_picks_what_an_exact_choice_among_all_frames_does(
    worker: StartWorker,
    lights: Dataset,
    filled,  # noqa: F811
    api: APIClient,
) -> None:
    for group in range(GROUPS):
        assert filled(frames(group), name=f"{group}.tar").state == "succeeded"
    body = {"model": "shades@1", "strategy": "margin", "count": COUNT, "control": CONTROL, "queue": "doubtful"}
    answer = api.post(f"{LAKE}/scans", body, format="json")
    assert answer.status_code == 202, answer.content
    scan = LakeScan.objects.get(pk=answer.json()["id"])
    worker(processes=2, queues=("compute",), env=PATIENCE).wait_ready()

    left, deadline = Counter(BLOWS), time.monotonic() + SECONDS
    while is_open(scan.job):
        assert time.monotonic() < deadline, f"{left} are left"
        tasks.sweep()  # beat would do this
        scoring = scan.job.shards.filter(phase=SCORE).exclude(state=Shard.State.DONE).exists()
        phase = SCORE if scoring else SELECT
        time.sleep(random.uniform(0.0, 0.3))
        left[phase] -= left[phase] > 0 and strike(scan.job, phase)
    assert scan.job.state == Job.State.SUCCEEDED, scan.job.error
    claims = sum(scan.job.shards.values_list("token", flat=True))
    assert claims > GROUPS + 1, "no kill hit a shard at work: this proves little"

    told = api.get(f"{LAKE}/scans/{scan.pk}").json()
    assert [told["stats"][name] for name in ("scored", "reused", "eligible", "picked")] == [
        GROUPS * FRAMES, 0, GROUPS * FRAMES, COUNT
    ]  # fmt: skip
    assert GroupScores.objects.count() == GROUPS
    assert not ScanKept.objects.exists()
    picks = list(Pick.objects.filter(mining_job_id=told["mining"]).select_related("sample"))
    assert len({pick.sample.key for pick in picks}) == COUNT == Queue.objects.get(name="doubtful").total
    assert lights.versions.count() == 1
    margins = margin_of_each_frame()
    for pick in picks:
        score = margins.pop(pick.sample.key)  # of those that are left in the end none is less sure
        assert pick.control or pick.score == pytest.approx(score)
    mined = [pick.score for pick in picks if not pick.control and pick.score is not None]
    assert min(mined) >= max(margins.values()) - 1e-6


def is_open(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_open


def margin_of_each_frame() -> dict[str, float]:
    """How unsure the model is of every frame of the lake, ranked by nobody."""
    keys, said = list[str](), list[NDArray[np.float32]]()
    for group in LakeGroup.objects.all():
        known = known_scores(group, LakeScan.objects.get().model_version)
        assert known.probabilities is not None
        assert (known.states == SCORED).all()
        keys += table_of(group, ["key"])["key"].to_pylist()
        said.append(known.probabilities)
    pool = Pool(ids=np.arange(len(keys)), probabilities=np.concatenate(said), classes=CLASSES, task="classification")
    chosen = strategy("margin", {})
    assert isinstance(chosen, RowStrategy)
    return dict(zip(keys, chosen.scored(pool).tolist(), strict=True))
