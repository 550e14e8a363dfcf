"""Two processes that train together, by what they send each other: bytes, accuracy and seconds of each way."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.training.corpus import CLASSES, OnDisk

PROCESSES = 2
WAYS: dict[str, dict[str, Any]] = {
    "float32": {},
    "float16": {"exchange": "float16"},
    "bfloat16": {"exchange": "bfloat16"},
    "powersgd, rank 1": {"exchange": "powersgd"},
    "powersgd, rank 4": {"exchange": "powersgd", "exchange_rank": 4},
    "post_local_sgd, period 8": {"exchange": "post_local_sgd"},
}


@dataclass(frozen=True, slots=True)
class Way:
    """What a training of two processes came to; bytes are those that each of them hands to its all-reduce calls."""

    name: str
    steps: int
    sent: int
    accuracy: float
    seconds: float


def compare(data: OnDisk, folder: Path, *, epochs: float) -> list[Way]:
    """Train by the program itself, each way with one seed and one thread for each process."""
    return [
        _trained(name, recipe, data, folder / f"way-{at}", epochs) for at, (name, recipe) in enumerate(WAYS.items())
    ]


def _trained(name: str, recipe: dict[str, Any], data: OnDisk, folder: Path, epochs: float) -> Way:
    folder.mkdir(parents=True)
    told = {"epochs": epochs, "min_steps": 1, "precision": "float32", "device": "cpu", "processes": PROCESSES}
    config = {
        "out_dir": str(folder),
        "train": str(data.train),
        "validation": str(data.test),
        "classes": CLASSES,
        "blobs": str(data.blobs),
        "threads": PROCESSES,
        "recipe": told | recipe,
    }
    file = folder / "asked.json"
    file.write_text(json.dumps(config))
    done = subprocess.run([sys.executable, "-m", "training", str(file)], stdout=subprocess.PIPE, check=True)
    metrics = json.loads(done.stdout.splitlines()[-1])["metrics"]
    trained = metrics["train"]
    return Way(name, trained["steps"], trained["sent_bytes"], metrics["validation"]["accuracy"], trained["seconds"])


def show(title: str, ways: list[Way]) -> None:
    """Print a table; the share is of what float32 sends."""
    print(f"\n{title}\n\n  {'':<28}{'bytes a step':>14}{'in all':>12}{'share':>9}{'accuracy':>10}{'seconds':>9}")
    for way in ways:
        print(
            f"  {way.name:<28}{way.sent / way.steps:>14,.0f}{way.sent / 1e6:>9.1f} MB{way.sent / ways[0].sent:>9.1%}"
            f"{way.accuracy:>10.2%}{way.seconds:>9.1f}",
            flush=True,
        )
