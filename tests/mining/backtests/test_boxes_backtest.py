"""Back-tests of boxes through the API: a curve for each strategy, images and boxes counted; stop, kill, refusals."""

import base64
import os
import signal
from typing import Any

import numpy as np
import pytest
from tests.boxes import CLASSES, picture
from tests.mining.half_detector import registered
from tests.working import work_on

from backtests import services
from backtests.models import Backtest, Replay
from catalog.models import Dataset
from jobs import run_program
from jobs.models import Job, Shard
from pipelines.models import Pipeline
from pipelines.rounds.choices import choose
from registry.models import Model
from worker_programs.confinement import Watch

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SPLITS = {"train": 24, "test": 10, "val": 6}
CONFIG = {
    "params": {"size": 128, "width": 16, "depth": 1},
    "recipe": {"steps": 15, "batch_size": 4, "learning_rate": 0.01},
}
LEARNER: dict[str, Any] = {"kind": "train", "architecture": "centre_lite0", "config": CONFIG}
SUM = {"name": "entropy", "params": {"reduce": "sum"}}
BODY = {
    "dataset": "shapes", "learner": LEARNER, "strategies": [SUM, "pal"],
    "seeds": 2, "rounds": 1, "count": 4, "start": 6,
}  # fmt: skip


@pytest.fixture
def shapes(api, object_store) -> dict[str, int]:
    """The dataset `shapes`; how many boxes each of its images has."""
    body = {"name": "shapes", "task": "detection", "classes": CLASSES}
    assert api.post("/datasets", body, format="json").status_code == 201
    known, samples, seed = {}, [], 0
    for split, size in SPLITS.items():
        for place in range(size):
            data, label = picture(seed)
            key, seed = f"{split}-{place:02}.png", seed + 1
            known[key] = len(label["boxes"])
            samples.append({"key": key, "data": base64.b64encode(data).decode(), "split": split, "label": label})
    answer = api.post("/datasets/shapes", {"samples": samples, "near_duplicates": "allow"}, format="json")
    assert (answer.status_code, answer.json()["rejected"]) == (201, []), answer.content
    return known


def started(api, **terms) -> Job:
    answer = api.post("/backtests", BODY | terms, format="json")
    assert answer.status_code == 202, answer.content
    return Job.objects.get(pk=answer.json()["job"]["id"])


def shown(api, job: Job) -> dict[str, Any]:
    told: dict[str, Any] = api.get(f"/backtests/{Backtest.objects.get(job=job).pk}").json()
    return told


def finished(api, run_job, **terms) -> dict[str, Any]:
    job = run_job(started(api, **terms))
    assert job.state == "succeeded", job.error
    return shown(api, job)


def figures(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in ("curves", "labels_to_target", "tests", "best", "target")}


@pytest.mark.clock
def test_each_strategy_has_a_curve_over_paired_seeds_in_images_and_boxes(api, shapes, run_job):
    told = finished(api, run_job)
    assert (told["task"], told["metric"]) == ("detection", "map")
    assert [row["strategy"] for row in told["curves"]] == ["random", "entropy", "pal"]
    for row in told["curves"]:
        assert [point["labels"] for point in row["points"]] == [6, 10]
        assert [point["n"] for point in row["points"]] == [2, 2]
        objects = [point["objects"] for point in row["points"]]
        assert objects == sorted(objects)
        assert row["points"][0] == told["curves"][0]["points"][0], "a seed begins alike for all"
    boxes = np.array([count for key, count in sorted(shapes.items()) if key.startswith("train")])
    drawn = [boxes[np.random.default_rng(seed).permutation(24)[:6]].sum() for seed in range(2)]
    assert told["curves"][0]["points"][0]["objects"] == np.mean(drawn)
    assert "mAP" in told["best"]["headline"]
    assert "accuracy" not in told["best"]["headline"] + told["best"]["reason"]
    reached = {row["strategy"]: row for row in told["labels_to_target"]}
    assert reached["random"]["objects_saved"] is None
    assert all(row["objects"] is None or row["objects"] > 0 for row in reached.values())
    progress = told["job"]["progress"]
    assert (progress["unit"], progress["done"]) == ("samples", 3 * 2 * 2 * 24 + 34), "34 images were looked at first"

    more = finished(api, run_job, seeds=3, strategies=[SUM])
    assert (more["job"]["result"]["replays"], more["job"]["result"]["reused"]) == (6, 4)
    chosen = choose(Pipeline(dataset=Dataset.objects.get(), params={"strategies": [SUM]}))
    assert "mean mAP" in chosen[2]
    moved = {"key": "val-00.png", "label": {"boxes": []}}
    assert api.post("/datasets/shapes", {"labels": [moved]}, format="json").status_code == 201
    later = finished(api, run_job)
    assert later["job"]["result"]["reused"] == 4, "validation labels are evidence of pal alone"


class Seen(Watch):
    """A watch that remembers which processes it looks after."""

    processes: list[Any] = []

    def __init__(self, process, *arguments, **others) -> None:
        super().__init__(process, *arguments, **others)
        self.processes.append(process)


@pytest.fixture
def killed(monkeypatch) -> list[int]:
    """The first replay that tells of its progress is killed, once; the processes that were."""
    done: list[int] = []
    usual = run_program.routes

    def routes(context, *, tracked):
        followed = usual(context, tracked=tracked)

        def progress(event):
            followed["progress"](event)
            if context.claim.shard.phase == services.REPLAY and not done:
                done.append(Seen.processes[-1].pid)
                os.killpg(done[0], signal.SIGKILL)

        return followed | {"progress": progress}

    monkeypatch.setattr(run_program, "Watch", Seen)
    monkeypatch.setattr(run_program, "routes", routes)
    return done


@pytest.mark.clock
def test_a_replay_that_is_killed_is_run_again_with_the_same_figures(api, shapes, run_job, killed):
    first = finished(api, run_job, strategies=[SUM])
    assert len(killed) == 1
    shards = Shard.objects.filter(job__kind="backtest", phase=services.REPLAY)
    assert sorted(shards.values_list("attempts", flat=True)) == [1, 1, 1, 2]
    Replay.objects.all().delete()
    second = finished(api, run_job, strategies=[SUM])
    assert second["job"]["result"]["reused"] == 0
    assert figures(second) == figures(first)


@pytest.mark.clock
def test_it_can_be_stopped_and_what_is_done_is_kept(api, shapes, run_job):
    job = started(api, strategies=["entropy"])
    while Shard.objects.filter(job=job, phase=services.REPLAY, state="done").count() < 1:
        assert work_on(job.pk)
    assert api.post(f"/jobs/{job.pk}/cancel").status_code == 202
    told = shown(api, job)
    assert told["job"]["state"] == "cancelled"
    assert [len(row["points"]) for row in told["curves"]] == [2, 0]
    assert finished(api, run_job, strategies=["entropy"])["job"]["result"]["reused"] == 1


def test_what_does_not_fit_is_refused_by_its_field(api, shapes, subtests):
    terms: Any
    for terms, field, words in [
        ({"learner": {"kind": "train", "architecture": "small_cnn"}}, "learner.architecture", "use centre_lite0"),
        ({"strategies": ["margin", "badge"]}, "strategies.1", "use one of"),
        ({"strategies": ["bald"]}, "strategies.0", "needs members"),
        ({"strategies": ["label_errors"]}, "strategies.0", "leave it out"),
        ({"strategies": [{"name": "entropy", "params": {"weights": {"green": 2}}}]}, "strategies.0", "unknown class"),
        ({"learner": LEARNER | {"config": {"recipe": {"mixup": 0.1}}}}, "learner.config.recipe.mixup", "leave it out"),
        ({"learner": LEARNER | {"config": {"params": {"size": 100}}}}, "learner.config.params.size", "at least"),
        ({"rounds": 9}, "rounds", "of 24 labelled samples"),
    ]:
        with subtests.test(terms=terms, field=field, words=words):
            answer = api.post("/backtests", BODY | terms, format="json")
            assert answer.status_code == 400, answer.content
            assert field in answer.json()["errors"], answer.json()
            assert words in answer.json()["errors"][field][0], answer.json()
            assert not Job.objects.filter(kind="backtest").exists()


def test_a_probe_learns_no_boxes_and_says_what_does(api, shapes, alice):
    body = {"name": "finder", "task": "detection", "classes": CLASSES}
    assert api.post("/models", body, format="json").status_code == 201
    registered(Model.objects.get(), alice, right=0.5)
    answer = api.post("/backtests", BODY | {"learner": {"kind": "probe", "model": "finder@1"}}, format="json")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["learner.kind"]), answer.content
    assert "use the kind `train`" in answer.json()["detail"]


def test_features_that_no_replay_may_write_are_refused_before_anything_runs(api, shapes, settings):
    settings.PROGRAM_OUTPUT = 4_000_000
    answer = api.post("/backtests", BODY, format="json")
    assert answer.status_code == 400, answer.content
    (words,) = answer.json()["errors"]["learner.config.params"]
    for part in ("40 images", "90,112 bytes each", "smaller input", "MOTHERLODE_PROGRAM_OUTPUT"):
        assert part in words
    assert not Job.objects.filter(kind="backtest").exists()
