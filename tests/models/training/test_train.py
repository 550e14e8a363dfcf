"""A whole training: what it writes, what it refuses, and that it repeats."""

import json
from pathlib import Path

import pytest
import safetensors.numpy
import torch

from training import CheckpointError, DataError, TrainingConfig, load_checkpoint, train
from training.checkpoint import Checkpoint, CheckpointConfig, warm_start
from training.checkpoint import save as save_checkpoint
from training.network import build
from worker_programs.config import ConfigError, parse
from worker_programs.manifest import Sample, write_manifest


def weights_of(training_config):
    return (Path(training_config["out_dir"]) / "checkpoint.safetensors").read_bytes()


def test_it_learns_and_writes_checkpoint_config_and_metrics(training_config):
    metrics = train(parse(TrainingConfig, training_config))
    out = Path(training_config["out_dir"])
    made = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert made[1:] == ["checkpoint.safetensors", "config.json", "metrics.json", "tensorboard/events.out.tfevents.run"]
    assert made[0].startswith("best/step-")
    assert metrics["validation"]["accuracy"] == 1.0
    assert json.loads((out / "metrics.json").read_text()) == metrics
    kept = json.loads((out / "config.json").read_text())
    assert kept["classes"] == ["dark", "middle", "light"]
    assert kept["recipe"]["steps"] == 50
    assert kept["recipe"]["shift"] == 2


def test_the_same_config_gives_the_same_bytes_and_another_seed_others(training_config):
    training_config["recipe"]["steps"] = 30
    train(parse(TrainingConfig, training_config))
    first = weights_of(training_config)
    torch.rand(5)  # the state of the caller's generator must not matter
    train(parse(TrainingConfig, training_config))
    assert weights_of(training_config) == first
    training_config["recipe"]["seed"] = 1
    train(parse(TrainingConfig, training_config))
    assert weights_of(training_config) != first


def test_a_moving_average_and_label_smoothing_change_the_weights_and_still_learn(training_config):
    train(parse(TrainingConfig, training_config))
    plain = weights_of(training_config)
    training_config["recipe"] |= {"ema": 0.8, "label_smoothing": 0.1}
    assert train(parse(TrainingConfig, training_config))["validation"]["accuracy"] == 1.0
    assert weights_of(training_config) != plain


def test_a_training_set_may_lack_classes(training_config, labelled_images):
    write_manifest(Path(training_config["train"]), labelled_images(12, classes=("dark", "light")))
    metrics = train(parse(TrainingConfig, training_config))
    assert metrics["validation"]["per_class"]["dark"]["recall"] == 1.0
    assert metrics["validation"]["per_class"]["middle"]["support"] == 3


def test_a_single_labelled_image_is_enough_to_run(training_config, labelled_images):
    write_manifest(Path(training_config["train"]), labelled_images(1))
    assert train(parse(TrainingConfig, training_config))["train"]["samples"] == 1


def test_an_empty_training_set_is_an_error_that_says_so(training_config):
    write_manifest(Path(training_config["train"]), [])
    with pytest.raises(DataError, match=r"train\.jsonl is empty"):
        train(parse(TrainingConfig, training_config))


@pytest.mark.parametrize(
    ("label", "words"),
    [({"class": "purple"}, "'odd.png' has the unknown class 'purple'"), (None, "'odd.png' has no label")],
)
def test_a_label_that_does_not_fit_is_named(training_config, blob_folder, label, words):
    write_manifest(Path(training_config["train"]), [Sample.of("odd.png", blob_folder.put(b"x"), label=label)])
    with pytest.raises(DataError, match=words):
        train(parse(TrainingConfig, training_config))


def test_an_image_that_cannot_be_decoded_is_named(training_config, blob_folder):
    write_manifest(
        Path(training_config["train"]), [Sample.of("odd.png", blob_folder.put(b"text"), label={"class": "dark"})]
    )
    with pytest.raises(DataError, match=r"'odd.png': not_an_image"):
        train(parse(TrainingConfig, training_config))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"recipe": {"batch_size": 0}}, "recipe.batch_size"),
        ({"recipe": {"momentum": 1}}, "recipe.momentum"),
        ({"architecture": "vgg"}, "architecture"),
        ({"params": {"width": "wide"}}, "params.width"),
        ({"classes": []}, "classes"),
        ({"classes": ["a", "a"]}, "classes"),
        ({"epochs": 3}, "epochs"),
    ],
)
def test_a_faulty_field_is_named(training_config, change, field):
    with pytest.raises(ConfigError) as caught:
        train(parse(TrainingConfig, {**training_config, **change}))
    assert list(caught.value.errors) == [field]


def test_a_warm_start_takes_over_what_fits_and_the_head_of_the_classes_that_stayed(
    training_config, tmp_path, labelled_images
):
    training_config["recipe"]["steps"] = 10
    train(parse(TrainingConfig, training_config))
    child = {**training_config, "out_dir": str(tmp_path / "child"), "warm_start": training_config["out_dir"]}
    child["classes"] = ["dark", "light"]
    write_manifest(Path(training_config["train"]), labelled_images(12, classes=("dark", "light")))
    child |= {"validation": None, "recipe": {"steps": 1, "learning_rate": 1e-9}}
    metrics = train(parse(TrainingConfig, child))
    parent, grown = load_checkpoint(Path(training_config["out_dir"])), load_checkpoint(tmp_path / "child")
    assert metrics["train"]["warm_started"] == len(parent.network.state_dict())
    first = "trunk.0.0.weight"
    kept = parent.network.get_parameter(first)
    assert torch.allclose(kept, grown.network.get_parameter(first), atol=1e-6)
    head = parent.network.head.get_parameter("weight")[[0, 2]]
    assert torch.allclose(head, grown.network.head.get_parameter("weight"), atol=1e-6)


@pytest.mark.parametrize("architecture", ["small_cnn", "centre_lite0"])
@pytest.mark.parametrize("classes", [["c", "b", "a"], ["b", "new", "c"], ["b", "c", "new", "other"], ["x", "y", "z"]])
def test_a_warm_start_copies_the_heads_rows_by_the_name_of_the_class(tmp_path, architecture, classes):
    before = ["a", "b", "c"]
    parent = build(architecture, {}, classes=len(before), seed=1)
    facts = {"architecture": architecture, "params": {}, "recipe": {}, "threads": 1, "torch": torch.__version__}
    save_checkpoint(Checkpoint(parent, CheckpointConfig(classes=before, **facts)), tmp_path)
    child, drawn = (build(architecture, {}, classes=len(classes), seed=2) for _ in range(2))
    taken = warm_start(child, tmp_path, classes)
    rows = child.class_rows()
    assert {len(child.state_dict()[name]) for name in rows} == {len(classes)}
    assert set(taken) == set(child.state_dict()) - (set() if set(before) & set(classes) else rows)
    for name, value in child.state_dict().items():
        if name not in rows:
            assert torch.equal(value, parent.state_dict()[name])
            continue
        for row, of in zip(value, classes, strict=True):
            known = of in before
            other = (
                parent.state_dict()[name][before.index(of)] if known else drawn.state_dict()[name][classes.index(of)]
            )
            assert torch.equal(row, other)


def test_a_warm_start_from_another_architecture_is_refused(training_config, tmp_path):
    (tmp_path / "other").mkdir()
    safetensors.numpy.save_file({}, tmp_path / "other" / "checkpoint.safetensors")
    with pytest.raises(CheckpointError, match="no weight in"):
        train(parse(TrainingConfig, {**training_config, "warm_start": str(tmp_path / "other")}))


def test_a_damaged_checkpoint_is_refused(training_config):
    training_config["recipe"]["steps"] = 3
    train(parse(TrainingConfig, training_config))
    path = Path(training_config["out_dir"]) / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_checkpoint(path.parent)


def test_a_pickle_is_never_a_checkpoint(training_config):
    training_config["recipe"]["steps"] = 3
    train(parse(TrainingConfig, training_config))
    torch.save({"head.weight": torch.zeros(1)}, Path(training_config["out_dir"]) / "checkpoint.safetensors")
    with pytest.raises(CheckpointError):
        load_checkpoint(Path(training_config["out_dir"]))


def test_the_program_tells_its_progress_and_ends_with_its_metrics(training_config, run_program):
    code, events = run_program("training", training_config)
    assert code == 0
    kinds = [event["event"] for event in events]
    assert {"progress", "point", "log", "checkpoint", "result"} == set(kinds)
    assert kinds[-1] == "result"
    assert events[-1]["metrics"]["validation"]["accuracy"] == 1.0
    points = [event["values"] for event in events if event["event"] == "point"]
    always = {"loss", "train_accuracy", "lr", "images_per_second", "eta_seconds"}
    assert all(always <= set(values) for values in points)
    assert set(points[-1]) == always | {"validation_accuracy", "validation_loss"}
    assert points[0]["eta_seconds"] > points[-1]["eta_seconds"] == 0


def test_the_program_says_what_is_wrong_with_its_config(training_config, run_program):
    code, events = run_program("training", {**training_config, "recipe": {"batch_size": 0}})
    assert code == 1
    assert events[-1]["event"] == "error"
    assert events[-1]["code"] == "invalid_config"
    assert list(events[-1]["errors"]) == ["recipe.batch_size"]
