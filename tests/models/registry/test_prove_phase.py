"""What an export is told to evaluate: splits and slices as the dataset version has them."""

import base64
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from catalog.curation.slices import create_slice
from registry.models import Alias
from registry.prove_phase import evaluated_on, figures

pytestmark = pytest.mark.django_db


def samples_of(split, count):
    """Images of noise: no two are near-duplicates."""
    made = []
    for number in range(count):
        noise = np.random.default_rng((len(split), number)).integers(0, 256, (16, 16), np.uint8)
        data = base64.b64encode(cv2.imencode(".png", noise)[1].tobytes()).decode()
        facts = {"label": {"class": str(number % 2)}, "meta": {"night": number < 2}}
        made.append({"key": f"{split}-{number}.png", "data": data, "split": split} | facts)
    return made


@pytest.fixture
def version(api, object_store, dataset):
    """Makes a version of the dataset with so many labelled samples by split."""

    def make(**counts):
        samples = [row for split, count in counts.items() for row in samples_of(split, count)]
        answer = api.post(f"/datasets/{dataset.name}", {"samples": samples}, format="json")
        assert answer.status_code == 201, answer.content
        dataset.refresh_from_db()
        return dataset.head

    return make


def keys(path):
    return [json.loads(line)["key"] for line in Path(path).read_text().splitlines()]


def test_the_test_split_is_judged_and_the_temperature_fitted_on_validation(version, tmp_path):
    told, read = evaluated_on(version(train=3, val=3, test=5), tmp_path)
    assert keys(told["test"]) == [f"test-{n}.png" for n in range(5)]
    assert keys(told["validation"]) == [f"val-{n}.png" for n in range(3)]
    assert {split: one["samples"] for split, one in read.items()} == {"validation": 3, "test": 5}
    assert read["test"]["sha256"] != read["validation"]["sha256"]


def test_without_a_test_split_validation_stands_in_and_nothing_is_fitted_on_it(version, tmp_path):
    told, read = evaluated_on(version(train=3, val=3), tmp_path)
    assert keys(told["test"]) == [f"val-{n}.png" for n in range(3)]
    assert "validation" not in told
    assert read["test"]["samples"] == 0


def test_without_either_there_is_nothing_to_evaluate(version, tmp_path):
    assert evaluated_on(version(train=3), tmp_path).fields.keys() == {"slices"}


def test_slices_are_the_keys_of_the_split_or_why_there_are_none(alice, dataset, model, version, version_with, tmp_path):
    head = version(train=3, test=5)
    create_slice(dataset, "night", {"meta": {"night": True}}, author=alice)
    create_slice(dataset, "training", {"split": ["train", "val"]}, author=alice)
    Alias.objects.create(model=model, name="production", version=version_with(0.9))
    asked = {"prediction": {"model": "digits-cnn@production", "class": "1"}}
    create_slice(dataset, "doubtful", asked, author=alice)
    Alias.objects.all().delete()
    found = json.loads(Path(evaluated_on(head, tmp_path).fields["slices"]).read_bytes())
    assert found["night"] == ["test-0.png", "test-1.png"]
    assert "digits-cnn" in found["doubtful"]
    assert "training" not in found, "a slice of another split has no part in this one"


def test_the_evaluation_of_each_variant_is_among_the_figures():
    trained = {"training": {"train": {"samples": 3}}, "seconds": 1.0}
    result = {"evaluation": {"accuracy": 0.9, "images_per_second": 7.0}, "variants": {"int8": {"accuracy": 0.8}}}
    found = figures(trained, result, 2.0)
    assert (found["accuracy"], found["variants"]["int8"]["accuracy"]) == (0.9, 0.8)
    assert found["images_per_second"] == {"train": None, "evaluate": 7.0}
