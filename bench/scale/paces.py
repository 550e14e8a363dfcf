"""What an optimiser step of the training program takes: alone, beside another that it has nothing to do with, and
together with another."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.scale.links import PROCESSES
from bench.training.corpus import CLASSES, OnDisk

RECIPE = {"precision": "float32", "device": "cpu", "compile": "never", "shift": 0}


@dataclass(frozen=True, slots=True)
class Network:
    """What is trained, and how many images of a step each process gets."""

    architecture: str
    params: dict[str, Any]
    batch: int


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of a step of one process, of one while another works beside it on its own, and of two together, each on
    as many images as the one; and the bytes that each of the two hands to its all-reduce calls in a step."""

    network: Network
    alone: float
    beside: float
    together: float
    sent: int


def pace(network: Network, data: OnDisk, folder: Path, *, steps: int) -> Pace:
    """Of a training of `steps` less the quarter of them that a shorter one takes: what comes once is left out."""
    alone, _ = _seconds(network, data, folder / "alone", steps=steps)
    beside, _ = _seconds(network, data, folder / "beside", steps=steps, copies=PROCESSES)
    together, sent = _seconds(network, data, folder / "together", steps=steps, processes=PROCESSES)
    return Pace(network, alone, beside, together, sent)


def _seconds(
    network: Network, data: OnDisk, folder: Path, *, steps: int, processes: int = 1, copies: int = 1
) -> tuple[float, int]:
    """(Seconds, bytes sent) of a step, the mean of the copies."""
    few = max(1, steps // 4)
    short = _trained(network, data, folder / "short", steps=few, processes=processes, copies=copies)
    long = _trained(network, data, folder / "long", steps=steps, processes=processes, copies=copies)
    spent = sum(told["seconds"] for told in long) - sum(told["seconds"] for told in short)
    return spent / copies / (steps - few), long[0]["sent_bytes"] // steps


def _trained(
    network: Network, data: OnDisk, folder: Path, *, steps: int, processes: int, copies: int
) -> list[dict[str, Any]]:
    started = []
    for copy in range(copies):
        place = folder / str(copy)
        place.mkdir(parents=True)
        told = {"steps": steps, "evaluate_every": steps, "batch_size": network.batch * processes}
        config = {
            "out_dir": str(place),
            "train": str(data.train),
            "validation": str(data.test),
            "classes": CLASSES,
            "blobs": str(data.blobs),
            "threads": processes,
            "architecture": network.architecture,
            "params": network.params,
            "recipe": RECIPE | told | {"processes": processes},
        }
        (place / "asked.json").write_text(json.dumps(config))
        argv = [sys.executable, "-m", "training", str(place / "asked.json")]
        started.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
    said = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        raise RuntimeError(f"a training of {network.architecture} failed: {said}")
    return [json.loads(one.splitlines()[-1])["metrics"]["train"] for one in said]
