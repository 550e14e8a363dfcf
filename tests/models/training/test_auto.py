"""`auto` on real digits: what it chooses and says, that it repeats, and what it refuses."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from sklearn.datasets import load_digits

from training import TrainingConfig, load_checkpoint, train
from training.auto import AUTO, Auto, AutoParams, learner, learner_recipe, longest_comparison, own_network
from training.folds import Judged, dealt, splits, spread
from worker_programs.config import ConfigError, parse
from worker_programs.events import Silent
from worker_programs.manifest import Sample, read_manifest, write_manifest

LABELS, TESTED = 60, 60
QUICK = {"trunks": ["efficientnet_lite0"], "scratch_from": 100, "fine_tune": "never"}


@pytest.fixture(scope="module")
def digits():
    found = load_digits()
    images = (found.images * 15.9).astype(np.uint8)
    return [cv2.resize(image, (28, 28)) for image in images], [str(digit) for digit in found.target]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """One cache of features for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def config(tmp_path, blob_folder, digits, cache, monkeypatch):
    """A config that trains on so many digits, and is judged on others."""
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(cache))
    monkeypatch.setenv("MOTHERLODE_CACHE_BYTES", str(1 << 30))

    def make(labels: int = LABELS, params: dict[str, object] | None = None, **fields: object) -> TrainingConfig:
        images, classes = digits
        rows = []
        for number in range(labels + TESTED):
            ref = blob_folder.put(cv2.imencode(".png", images[number])[1].tobytes())
            rows.append(Sample.of(f"{number}.png", ref, label={"class": classes[number]}, size=(28, 28)))
        document = {
            "out_dir": str(tmp_path / "out"),
            "train": str(write_manifest(tmp_path / "train.jsonl", rows[:labels])),
            "validation": str(write_manifest(tmp_path / "validation.jsonl", rows[labels:])),
            "classes": [str(digit) for digit in range(10)],
            "architecture": AUTO,
            "params": QUICK | (params or {}),
            "blobs": str(tmp_path / "blobs"),
            "threads": 1,
        }
        return parse(TrainingConfig, document | fields)

    return make


def bytes_of(config: TrainingConfig) -> bytes:
    return (Path(config.out_dir) / "checkpoint.safetensors").read_bytes()


def test_few_labels_train_a_head_on_frozen_features_and_the_run_says_why(config):
    asked = config()
    metrics = train(asked)
    choice = metrics["choice"]
    assert choice["architecture"] == "efficientnet_lite0"
    (candidate,) = choice["candidates"]
    low, high = candidate["interval"]
    assert low < candidate["accuracy"] < high
    assert candidate["labels"] == LABELS
    assert f"{100 * candidate['accuracy']:.1f} % right ({100 * low:.1f} to {100 * high:.1f})" in choice["reason"]
    assert {one["name"] for one in choice["left_out"]} == {
        "efficientnet_lite0, fine-tuned", "a network of the images' own size", "pseudo-labels",
    }  # fmt: skip
    assert "it needs 100 labels, and there are 60" in choice["reason"]
    assert low - 0.1 < metrics["validation"]["accuracy"] < high + 0.1
    assert load_checkpoint(asked.out_dir).config.architecture == "efficientnet_lite0"


def test_its_logits_are_calibrated_without_a_validation_split(config):
    asked = config(validation=None)
    assert train(asked)["validation"] is None
    kept = bytes_of(asked)
    judged = train(config())["validation"]
    assert bytes_of(asked) == kept
    assert judged["ece"] < 0.25


def test_the_same_labels_and_seed_give_the_same_bytes_from_the_cache_or_computed(config, tmp_path, monkeypatch):
    asked = config(20, validation=None)
    first = train(asked)
    kept = bytes_of(asked)
    assert train(asked)["choice"] == first["choice"]
    assert bytes_of(asked) == kept
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", str(tmp_path / "another"))
    assert train(asked)["choice"] == first["choice"]
    assert bytes_of(asked) == kept


def test_a_network_of_the_images_own_size_is_trained_where_cross_validation_shows_that_it_is_better(config):
    asked = config(150, {"folds": 2}, recipe={"steps": 150})
    choice = train(asked)["choice"]
    frozen, own = choice["candidates"]
    assert [frozen["name"], own["name"]] == ["efficientnet_lite0, frozen", "small_cnn from scratch"]
    assert own["accuracy"] > frozen["accuracy"]
    assert choice["name"] == "small_cnn from scratch"
    assert choice["params"] == {"size": 28, "channels": 1}
    assert "likely better than efficientnet_lite0, frozen" in choice["reason"]
    made = load_checkpoint(asked.out_dir)
    assert (made.config.architecture, made.config.recipe["steps"]) == ("small_cnn", 150)
    assert choice["pseudo_labels"] == {}


def test_a_comparison_that_takes_too_long_is_left_out_and_the_run_says_so(config):
    choice = train(config(100, {"compare_minutes": 0.001, "fine_tune": "compare", "semi_supervised": "never"}))[
        "choice"
    ]
    assert [one["name"] for one in choice["candidates"]] == ["efficientnet_lite0, frozen"]
    why = {one["name"]: one["why"] for one in choice["left_out"]}
    assert why.pop("pseudo-labels") == "`semi_supervised` is never"
    assert len(why) == 2
    assert all("seconds here, and with 100 labels 0 are allowed" in words for words in why.values())


def test_the_fewer_labels_the_shorter_a_comparison_may_be():
    params = AutoParams()
    assert [longest_comparison(params, labels) for labels in (40, 100, 600, 5000)] == [20, 50, 300, 300]
    assert longest_comparison(AutoParams(compare_minutes=0.1), 40) == 6


def test_fewer_labels_than_a_cross_validation_needs_train_the_default(config):
    choice = train(config(6))["choice"]
    assert choice["candidates"] == []
    assert "allow no cross-validation" in choice["reason"]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"trunks": ["small_cnn"]}, "params.trunks.0"),
        ({"trunks": ["none"]}, "params.architecture"),
        ({"size": 28}, "params.size"),
        ({"folds": 1}, "params.folds"),
    ],
)
def test_bad_params_are_named(params, field):
    with pytest.raises(ConfigError) as fault:
        learner(AUTO, params)
    assert list(fault.value.errors) == [field]


def test_it_learns_one_class_an_image_in_one_process():
    auto = Auto(AutoParams())
    with pytest.raises(ConfigError, match="auto learns classification, not multilabel"):
        auto.check_task("multilabel")
    with pytest.raises(ConfigError, match="one process"):
        learner_recipe(auto, {"processes": 2}, task="classification")


def test_large_images_have_no_network_of_their_own_size():
    assert own_network(65, gray=True) is None
    assert own_network(20, gray=True) == ("small_cnn", {"size": 28, "channels": 1})
    assert own_network(64, gray=False) == ("small_cnn", {"size": 64, "channels": 3})


def test_folds_deal_each_class_out_evenly_and_keep_copies_together():
    labels = np.repeat(np.arange(3), [10, 5, 2])
    blobs = [f"{row}" for row in range(17)]
    blobs[1] = blobs[0]
    places = dealt(labels, blobs, folds=5, seed=3)
    assert places[0] == places[1]
    for name in range(3):
        counts = np.bincount(places[labels == name], minlength=5)
        assert counts.max() - counts.min() <= (2 if name == 0 else 1)
    assert (places == dealt(labels, blobs, folds=5, seed=3)).all()
    assert (places != dealt(labels, blobs, folds=5, seed=4)).any()
    judged = np.concatenate([judge for _, judge in splits(places)])
    assert sorted(judged) == list(range(17))


def test_a_spread_takes_rare_classes_first():
    labels = np.repeat(np.arange(3), [100, 10, 1])
    rows = spread(labels, count=15, seed=0)
    assert np.bincount(labels[rows]).tolist() == [7, 7, 1]
    assert len(spread(labels, count=500, seed=0)) == 111


def test_a_difference_within_its_interval_is_no_win():
    base, same, better = (Judged("", (np.arange(100) < right).astype(float)) for right in (70, 72, 90))
    assert not same.surely_beats(base)
    assert better.surely_beats(base)


def test_pseudo_labels_of_the_pool_are_used_where_they_are_better_and_the_curves_say_their_shares(config, tmp_path):
    asked = config(40, {"scratch_from": 20, "folds": 2}, recipe={"steps": 80})
    rows = read_manifest(Path(asked.train)) + read_manifest(Path(asked.validation or ""))
    pool = [row._replace(label=None) for row in rows[40:]]
    heard = Points()
    asked = replace(asked, unlabelled=write_manifest(tmp_path / "unlabelled.jsonl", pool))
    metrics = train(asked, listener=heard)
    choice = metrics["choice"]
    names = {one["name"]: one["accuracy"] for one in choice["candidates"]}
    assert names.keys() == {
        "efficientnet_lite0, frozen", f"efficientnet_lite0, frozen, with pseudo-labels for {TESTED} images",
        "small_cnn from scratch", "small_cnn from scratch, with pseudo-labels",
    }  # fmt: skip
    assert choice["name"] == "small_cnn from scratch, with pseudo-labels"
    assert sum(choice["pseudo_labels"].values()) == pytest.approx(1)
    assert heard.points[0] == {f"pseudo_labels_{name}": share for name, share in choice["pseudo_labels"].items()}
    assert metrics["train"]["samples"] > 40
    kept = bytes_of(asked)
    pool.reverse()
    write_manifest(tmp_path / "unlabelled.jsonl", pool)
    assert train(asked)["choice"] == choice
    assert bytes_of(asked) == kept


class Points(Silent):
    """Keeps the points of the curves, by step."""

    def __init__(self) -> None:
        self.points: dict[int, dict[str, float]] = {}

    def point(self, step: int, values: Mapping[str, float]) -> None:
        self.points[step] = dict(values)
