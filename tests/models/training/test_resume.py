"""A training that is killed and goes on ends with the weights of one that never was."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.laws import FULL

from training import Images, Recipe, RecoveryError, TrainingConfig, fit, recovery, train
from training.checkpointing import CheckpointPlan
from training.data import Batch
from worker_programs.config import parse

STEPS, EVERY = 24, 5
RECIPES: dict[str, dict[str, Any]] = {
    "adamw": {},
    "sgd": {"optimiser": "sgd", "learning_rate": 0.05},
    "lars": {"optimiser": "lars", "learning_rate": 2.0, "micro_batch": 3, "mixup": 0.2},
    "lamb": {"optimiser": "lamb", "learning_rate": 0.01},
    "all at once": {
        "ema": 0.7, "mixup": 0.4, "cutmix": 1.0, "label_smoothing": 0.1, "balance": "loss", "patience": 9,
    },
    "bfloat16": {"precision": "bfloat16"},
}  # fmt: skip
STOP: dict[str, Any] = {"patience": 2, "learning_rate": 0.3, "precision": "float32"}


class KilledError(Exception):
    """Stands for a kill: nothing after it runs."""


@dataclass
class Mortal:
    """A source that kills its training instead of giving the batch after `last` steps."""

    images: Images
    last: int
    task: str = "classification"

    @property
    def labels(self):
        return self.images.labels

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        for step, batch in enumerate(self.images.batches(recipe, start=start), start + 1):
            if step > self.last:
                raise KilledError
            yield batch


class Points:
    """Keeps the points of the curve, the log and the checkpoints."""

    def __init__(self) -> None:
        self.points: dict[int, dict[str, float]] = {}
        self.lines: list[str] = []
        self.kept: list[tuple[str, int]] = []

    def point(self, step, values):
        names = {"loss", "train_accuracy", "lr", "validation_accuracy", "validation_loss"}
        self.points[step] = {name: value for name, value in values.items() if name in names}

    def log(self, message):
        self.lines.append(message)

    def checkpoint(self, path, *, kind, step, values):
        assert path.exists()
        self.kept.append((kind, step))

    def progress(self, done, total, *, unit):
        """Not looked at."""


@pytest.fixture
def run(small_images, small_network, tmp_path):
    """Trains under a recipe, killed after `last` steps and resumed where given; gives weights, result and listener."""
    images, held_out = small_images(30), small_images(12, seed=1)

    def fitted(name: str, *, last: int | None = None, **changes):
        recipe = Recipe(steps=STEPS, batch_size=8, recover_every=EVERY, evaluate_every=4, **changes)
        network, keep, points = small_network(), CheckpointPlan(tmp_path / name, {"data": "d1"}), Points()
        if last is not None:
            with pytest.raises(KilledError):
                fit(network, Mortal(images, last), recipe, held_out=held_out, keep=keep)
            network, keep = small_network(), CheckpointPlan(keep.folder, keep.identity, keep.folder / "recovery")
        result = fit(network, images, recipe, held_out=held_out, keep=keep, listener=points)
        return network.state_dict(), result, points

    return fitted


def same(one, other) -> bool:
    return all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def known():
    """By recipe, what a training that is never killed comes to."""
    return {}


@pytest.mark.parametrize("last", [1, 4, 5, 6, 14, 15, 23] if FULL else [1, 5, 14])
@pytest.mark.parametrize("name", RECIPES)
def test_whatever_step_it_is_killed_after_it_ends_with_the_same_weights_and_curve(run, known, name, last):
    if name not in known:
        known[name] = run("whole", **RECIPES[name])
    whole, result, points = known[name]
    resumed, again, more = run("killed", last=last, **RECIPES[name])
    assert same(whole, resumed)
    assert (again.loss, again.train_accuracy, again.best_step) == (result.loss, result.train_accuracy, result.best_step)
    first = last // EVERY * EVERY
    assert more.points == {step: values for step, values in points.points.items() if step > first}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU here: resuming on one was not tested")
def test_a_training_on_a_gpu_goes_on_there_to_nearly_the_same_weights(run):
    whole, _, _ = run("whole", device="cuda", ema=0.7, mixup=0.4)
    resumed, again, _ = run("killed", last=13, device="cuda", ema=0.7, mixup=0.4)
    assert again.device == "cuda"
    assert all(torch.allclose(whole[name], resumed[name], atol=1e-3) for name in whole)


@pytest.mark.parametrize("last", [6, 11])
def test_early_stopping_goes_on_counting_after_a_kill(run, last):
    whole, result, _ = run("whole", **STOP)
    assert last < result.steps < STEPS
    resumed, again, _ = run("killed", last=last, **STOP)
    assert (again.steps, again.best_step) == (result.steps, result.best_step)
    assert same(whole, resumed)


def without(path: Path, *parts: str) -> None:
    """Rewrite a recovery file, sound, without the tensors of some parts."""
    content, identity = recovery._read(path)
    tensors = {name: value for name, value in content.tensors.items() if name.split("/")[0] not in parts}
    assert len(tensors) < len(content.tensors)
    recovery.write(path, recovery.Content(tensors, content.facts), identity=identity)


@pytest.mark.parametrize("part", ["random", "optimiser"])
def test_without_its_random_state_or_its_moments_the_weights_differ(run, tmp_path, small_images, small_network, part):
    whole, _, _ = run("whole")
    recipe = Recipe(steps=STEPS, batch_size=8, recover_every=EVERY, evaluate_every=4)
    keep = CheckpointPlan(tmp_path / "killed", {"data": "d1"})
    images, held_out = small_images(30), small_images(12, seed=1)
    with pytest.raises(KilledError):
        fit(small_network(), Mortal(images, 12), recipe, held_out=held_out, keep=keep)
    newest = sorted((tmp_path / "killed" / "recovery").iterdir())[-1]
    network = small_network()
    without(newest, part)
    fit(network, images, recipe, held_out=held_out, keep=CheckpointPlan(keep.folder, keep.identity, newest))
    assert not same(whole, network.state_dict())


def test_at_most_two_recovery_files_lie_on_disk_and_a_damaged_newest_one_falls_back(
    run, tmp_path, small_images, small_network
):
    whole, _, points = run("whole")
    assert [step for kind, step in points.kept if kind == "recovery"] == [5, 10, 15, 20]
    folder = tmp_path / "whole" / "recovery"
    assert [path.name for path in sorted(folder.iterdir())] == [
        "step-00000015.safetensors",
        "step-00000020.safetensors",
    ]
    newest = folder / "step-00000020.safetensors"
    data = bytearray(newest.read_bytes())
    data[-40] ^= 1  # one bit of one tensor: safetensors itself would not see it
    newest.write_bytes(data)
    network, said = small_network(), Points()
    recipe = Recipe(steps=STEPS, batch_size=8, recover_every=EVERY, evaluate_every=4)
    keep = CheckpointPlan(tmp_path / "whole", {"data": "d1"}, folder)
    fit(network, small_images(30), recipe, held_out=small_images(12, seed=1), keep=keep, listener=said)
    assert "step-00000020.safetensors is damaged" in said.lines[0]
    assert said.lines[1] == "training goes on after step 15"
    assert same(whole, network.state_dict())


@pytest.mark.parametrize("cut", [0, 3, 200])
def test_with_nothing_but_a_torn_file_it_starts_from_the_beginning_and_says_so(run, tmp_path, cut):
    (tmp_path / "torn").mkdir()
    recovery.write(tmp_path / "whole.safetensors", recovery.Content({"a": torch.zeros(9)}, {"step": 1}), identity={})
    torn = tmp_path / "torn" / "step-00000003.safetensors"
    torn.write_bytes((tmp_path / "whole.safetensors").read_bytes()[:cut])
    said: list[str] = []
    assert recovery.newest(torn.parent, identity={}, log=said.append) is None
    assert "is damaged" in said[0]
    assert "starts from the beginning" in said[1]


def test_a_file_of_other_code_is_passed_over_as_it_would_not_end_with_the_same_weights(tmp_path):
    for step, code in [(1, "git:a"), (2, "git:b")]:
        content = recovery.Content({"a": torch.zeros(9)}, {"step": step})
        recovery.write(recovery.path_of(tmp_path, step), content, identity={"data": "d1", "code": code})
    said: list[str] = []
    found = recovery.newest(tmp_path, identity={"data": "d1", "code": "git:a"}, log=said.append)
    assert found is not None
    assert found.facts["step"] == 1
    assert "step-00000002.safetensors was made by other code" in said[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"recipe": {"steps": 12, "batch_size": 8, "recover_every": 5, "seed": 3}}, "other recipe"),
        ({"params": {"width": 4, "dropout": 0.5}}, "other architecture"),
        ({"classes": ["light", "middle", "dark"]}, "other architecture"),
        ({"validation": None}, "other data"),
    ],
)
def test_a_recovery_file_of_another_run_is_refused(training_config, tmp_path, change, words):
    config = training_config | {"params": {"width": 4}, "recipe": {"steps": 12, "batch_size": 8, "recover_every": 5}}
    kept: list[Path] = []

    class Hold(Points):
        def checkpoint(self, path, *, kind, step, values):
            if kind == "recovery":
                kept.append(tmp_path / "held.safetensors")
                kept[-1].write_bytes(path.read_bytes())

    train(parse(TrainingConfig, config), listener=Hold())
    assert not (tmp_path / "out" / "recovery").exists(), "there is nothing left to go on with"
    with pytest.raises(RecoveryError, match=words):
        train(parse(TrainingConfig, config | change | {"resume": str(kept[-1])}))


def killed_program(config: Path, *, after: int) -> list[dict[str, Any]]:
    """Run the program and kill it as soon as it tells of a step beyond `after`; all its events."""
    command = [sys.executable, "-m", "training", str(config)]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    events = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        for line in process.stdout:
            events.append(json.loads(line))
            if events[-1]["event"] == "progress" and events[-1]["done"] > after:
                process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return events


def test_the_program_killed_between_two_recovery_files_ends_with_the_same_bytes(training_config, run_program, tmp_path):
    recipe = {"steps": 90, "batch_size": 16, "recover_every": 30, "mixup": 0.2, "ema": 0.9}
    config = training_config | {"params": {"width": 8, "dropout": 0.3}, "recipe": recipe}
    whole = tmp_path / "whole"
    assert run_program("training", config | {"out_dir": str(whole)})[0] == 0

    (tmp_path / "killed.json").write_text(json.dumps(config))
    events = killed_program(tmp_path / "killed.json", after=33)
    reached = max(event["done"] for event in events if event["event"] == "progress")
    recovered = [event["step"] for event in events if event["event"] == "checkpoint" and event["kind"] == "recovery"]
    assert recovered
    assert recovered[-1] < reached < 90, "the kill fell after the first recovery file and between two"
    out = tmp_path / "out"
    assert not (out / "checkpoint.safetensors").exists()

    code, events = run_program("training", config | {"resume": str(out / "recovery")})
    assert code == 0
    assert f"training goes on after step {recovered[-1]}" in [event.get("message") for event in events]
    assert min(event["done"] for event in events if event["event"] == "progress") > recovered[-1]
    assert (out / "checkpoint.safetensors").read_bytes() == (whole / "checkpoint.safetensors").read_bytes()
