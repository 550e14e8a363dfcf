"""Replays that learn boxes: the head of a frozen trunk on mapped features, the whole network, the program."""

import json
import subprocess
import sys
from dataclasses import replace as changed

import numpy as np
import pytest
from tests.boxes import CLASSES, SIDE, picture

from acquisition import names, strategy
from acquisition.registry import OF_PLACES, REPLAYED
from backtest import Frozen, Plan, Training, TrainSource, replay, replayable
from backtest.frozen import warm
from blobs.cache import BlobCache
from tasktypes import task_type
from worker_programs.config import ConfigError, document, parse
from worker_programs.events import Silent
from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

TASK = "detection"
PLAN = Plan(strategy="entropy", params={"reduce": "sum"}, seed=1, start=6, count=4, rounds=2)
PARAMS = {"size": SIDE, "width": 16, "depth": 1}
RECIPE = {"steps": 25, "batch_size": 4, "learning_rate": 0.01}


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> dict[str, object]:
    """24 candidates, 12 test images, 8 that tell how often boxes are right; a folder of blobs."""
    folder = tmp_path_factory.mktemp("pictures")
    blobs, samples = Folder(folder / "blobs"), []
    for seed in range(44):
        data, label = picture(seed)
        samples.append(Sample.of(f"{seed}.png", blobs.put(data), label=label, size=(SIDE, SIDE)))
    parts = {"candidates": samples[:24], "test": samples[24:36], "evidence": samples[36:]}
    manifests = {name: str(write_manifest(folder / f"{name}.jsonl", part)) for name, part in parts.items()}
    return {
        "kind": "train", "architecture": "centre_lite0", "params": PARAMS, "recipe": RECIPE,
        "blobs": str(folder / "blobs"), **manifests,
    }  # fmt: skip


@pytest.fixture(scope="module")
def learner(source) -> Frozen:
    return Frozen.read(parse(TrainSource, source), CLASSES, task=TASK, threads=1)


def run(tmp_path, **config):
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"classes": CLASSES, "task": TASK} | config))
    done = subprocess.run([sys.executable, "-m", "backtest", str(file)], capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_the_program_counts_images_and_boxes_and_tells_of_each_training(tmp_path, source, learner):
    code, events = run(tmp_path, learner=source, plan=document(PLAN))
    assert code == 0, events
    told, known = events[-1], replay(learner, PLAN)
    assert (told["labels"], told["accuracy"], told["objects"]) == (known.labels, known.accuracy, known.objects)
    assert known.labels == [6, 10, 14]
    first = np.random.default_rng(PLAN.seed).permutation(24)[:6]
    assert known.objects is not None
    assert known.objects[0] == sum(len(picture(seed)[1]["boxes"]) for seed in first.tolist())
    assert known.objects == sorted(known.objects)
    assert max(known.accuracy) > 0.05, "25 steps teach something"
    logged = [event["message"] for event in events if event["event"] == "log"]
    assert [message.split(":")[0] for message in logged if message.startswith("trained")] == [
        "trained on 6 labels", "trained on 10 labels", "trained on 14 labels"
    ]  # fmt: skip
    progress = [event["done"] for event in events if event["event"] == "progress"]
    assert progress == sorted(progress)
    assert {24, 48, 72} < set(progress), "within a training it is told too"


IN_SHORT = {"random", "entropy", "k_center", "badge"}
"""Of those that are replayed: one of each way to pick; `make test-full` takes all."""


def replayed(name: str) -> bool:
    made = strategy(name)
    return made.fits(task_type(TASK).mining) and set(made.needs) <= {*REPLAYED, *OF_PLACES}


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.clock] * (replayed(one) and one not in IN_SHORT)) for one in names()]
)
def test_every_strategy_is_replayed_or_refused_with_what_it_lacks(learner, name):
    plan, made = changed(PLAN, strategy=name, params={}, rounds=1), strategy(name)
    if not made.fits(task_type(TASK).mining):
        with pytest.raises(ConfigError, match="use one of"):
            replayable(plan, task=TASK)
    elif set(made.needs) <= {*REPLAYED, *OF_PLACES}:
        curve = replay(learner, plan)
        assert curve.labels == [6, 10]
        assert curve.accuracy[0] == replay(learner, changed(PLAN, rounds=1)).accuracy[0], "a seed begins alike for all"
    else:
        with pytest.raises(ConfigError, match="a back-test has not"):
            replayable(plan, task=TASK)


def test_evidence_is_of_validation_images_or_else_of_what_is_labelled(source, learner):
    rows = np.arange(6)
    alone = Frozen.read(parse(TrainSource, source | {"evidence": None}), CLASSES, task=TASK, threads=1)
    head = learner.learn(rows, seed=0)
    own = alone.learn(rows, seed=0).evidence(rows)
    assert len(head.evidence(rows)) == len(head.evidence(rows[:1])) > 0
    assert not np.array_equal(head.evidence(rows), own)
    assert set(np.unique(own[:, 3])) <= {0.0, 1.0}


@pytest.mark.clock
def test_what_is_asked_of_the_head_is_what_the_exported_file_says(source, learner):
    """The same weights, once on mapped features and once as an ONNX file of pixels."""
    whole = Training.read(parse(TrainSource, source), CLASSES, task=TASK, threads=1)
    rows = np.arange(8)
    ours, theirs = (made.learn(rows, seed=3) for made in (learner, whole))
    assert ours.accuracy() == pytest.approx(theirs.accuracy(), abs=1e-3)
    one, other = ours.answers(np.arange(24)), theirs.answers(np.arange(24))
    np.testing.assert_allclose(one.probabilities[..., 4], other.probabilities[..., 4], atol=1e-3)
    np.testing.assert_allclose(one.embeddings, other.embeddings, atol=1e-3)
    assert one.cells is not None
    assert other.cells is not None
    surest = one.cells[:, 0] - other.cells[:, 0]  # boxes of nearly equal scores may change places
    assert np.abs(surest).max() <= 1


@pytest.mark.clock  # half a minute of training
def test_all_weights_of_a_detector_can_be_trained_too(source):
    told = source | {"params": PARAMS | {"freeze": False}, "recipe": {"steps": 2, "batch_size": 2}}
    learned = Training.read(parse(TrainSource, told), CLASSES, task=TASK, threads=1).learn(np.arange(6), seed=0)
    assert 0 <= learned.accuracy() <= 1
    answers = learned.answers(np.arange(24))
    assert (answers.probabilities.shape, answers.embeddings.shape) == ((24, 100, 6), (24, 320))
    assert len(learned.evidence(np.arange(6))) == len(learned.evidence(np.arange(1)))


def test_features_that_do_not_fit_are_refused_with_what_helps(tmp_path, source):
    code, events = run(tmp_path, learner=source | {"disk": 1000}, plan=document(PLAN))
    assert (code, events[-1]["code"]) == (1, "invalid_config")
    for words in ("learner.config.params", "44 images", "90,112 bytes each", "smaller input", "learner.disk"):
        assert words in events[-1]["message"]


@pytest.mark.clock
def test_features_wait_in_the_cache_of_the_machine(tmp_path, source, monkeypatch):
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "cache"))
    code, events = run(tmp_path, learner=source)
    assert code == 0, events
    assert events[-1]["images"] == 24
    cache = BlobCache.from_env()
    assert cache is not None
    kept = sum(path.stat().st_size for path in cache.directory.rglob("*") if path.is_file())
    assert kept > 24 * 90_112
    code, events = run(tmp_path, learner=source, plan=document(changed(PLAN, rounds=1)))
    assert code == 0, events
    assert "features: 24 of 24 samples found in the cache" in [event.get("message") for event in events]


def test_without_a_cache_nothing_is_brought_anywhere(source, monkeypatch):
    monkeypatch.delenv("MOTHERLODE_CACHE_DIR", raising=False)
    assert warm(parse(TrainSource, source), CLASSES, threads=1, listener=Silent()) == 0


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"architecture": "small_cnn", "params": {}}, "architecture"),
        ({"recipe": {"mixup": 0.2}}, "recipe.mixup"),
        ({"recipe": {"crop": 0.5}}, "recipe.crop"),
    ],
)
def test_a_fault_names_the_field(tmp_path, source, terms, field):
    code, events = run(tmp_path, learner=source | terms, plan=document(PLAN))
    assert (code, events[-1]["code"]) == (1, "invalid_config"), events
    assert field in events[-1]["message"]
