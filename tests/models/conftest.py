"""A folder of small labelled images, and the config of a short training on them."""

import json
import subprocess
import sys
from typing import Any

import cv2
import numpy as np
import pytest

from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

SHADES = {"dark": 0, "middle": 90, "light": 180}


@pytest.fixture
def blob_folder(tmp_path):
    return Folder(tmp_path / "blobs")


@pytest.fixture
def labelled_images(blob_folder):
    """Makes `count` images whose brightness tells their class."""

    def make(count: int, classes=tuple(SHADES), seed=0) -> list[Sample]:
        rng, samples = np.random.default_rng(seed), []
        for number in range(count):
            name = classes[number % len(classes)]
            image = (rng.integers(0, 60, (28, 28)) + SHADES[name]).astype(np.uint8)
            ref = blob_folder.put(cv2.imencode(".png", image)[1].tobytes())
            samples.append(Sample.of(f"{number}.png", ref, label={"class": name}))
        return samples

    return make


@pytest.fixture
def training_config(tmp_path, labelled_images):
    """The document of a training config; its manifests are written."""
    write_manifest(tmp_path / "train.jsonl", labelled_images(24))
    write_manifest(tmp_path / "validation.jsonl", labelled_images(9, seed=1))
    return {
        "out_dir": str(tmp_path / "out"),
        "train": str(tmp_path / "train.jsonl"),
        "validation": str(tmp_path / "validation.jsonl"),
        "classes": list(SHADES),
        "params": {"width": 8},
        "recipe": {"steps": 80, "batch_size": 8},
        "blobs": str(tmp_path / "blobs"),
        "threads": 1,
    }


@pytest.fixture
def run_program(tmp_path):
    """Runs `python -m module` on a config document; gives exit status and events."""

    def run(module: str, document: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
        (tmp_path / "config.json").write_text(json.dumps(document))
        command = [sys.executable, "-m", module, str(tmp_path / "config.json")]
        environment = {"PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    return run
