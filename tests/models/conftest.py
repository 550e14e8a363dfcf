"""A folder of small labelled images, and the config of a short training on them."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

SHADES = {"dark": 0, "middle": 90, "light": 180}


def labelled(folder: Folder, count: int, classes=tuple(SHADES), seed=0) -> list[Sample]:
    """`count` images whose brightness tells their class, put in a folder."""
    rng, samples = np.random.default_rng(seed), []
    for number in range(count):
        name = classes[number % len(classes)]
        image = (rng.integers(0, 60, (28, 28)) + SHADES[name]).astype(np.uint8)
        ref = folder.put(cv2.imencode(".png", image)[1].tobytes())
        samples.append(Sample.of(f"{number}.png", ref, label={"class": name}))
    return samples


def short_training(folder: Path) -> dict[str, Any]:
    """The document of a training config; its manifests are written."""
    blobs = Folder(folder / "blobs")
    write_manifest(folder / "train.jsonl", labelled(blobs, 24))
    write_manifest(folder / "validation.jsonl", labelled(blobs, 9, seed=1))
    return {
        "out_dir": str(folder / "out"),
        "train": str(folder / "train.jsonl"),
        "validation": str(folder / "validation.jsonl"),
        "classes": list(SHADES),
        "params": {"width": 8},
        "recipe": {"steps": 50, "batch_size": 8},
        "blobs": str(folder / "blobs"),
        "threads": 1,
    }


@pytest.fixture
def blob_folder(tmp_path):
    return Folder(tmp_path / "blobs")


@pytest.fixture
def labelled_images(blob_folder):
    """Makes `count` images whose brightness tells their class."""
    return partial(labelled, blob_folder)


@pytest.fixture
def training_config(tmp_path):
    """The document of a training config; its manifests are written."""
    return short_training(tmp_path)


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
