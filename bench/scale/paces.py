"""What an optimiser step of the training program takes: alone, beside another that it has nothing to do with, and
together with another."""

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
    """Of trainings of `steps`: the median of those after the first quarter, by the program's own clock."""
    alone, _ = _seconds(network, data, folder / "alone", steps=steps)
    beside, _ = _seconds(network, data, folder / "beside", steps=steps, copies=PROCESSES)
    together, sent = _seconds(network, data, folder / "together", steps=steps, processes=PROCESSES)
    return Pace(network, alone, beside, together, sent)


def _seconds(
    network: Network, data: OnDisk, folder: Path, *, steps: int, processes: int = 1, copies: int = 1
) -> tuple[float, int]:
    """(Seconds, bytes sent) of a step; of copies the mean of their medians."""
    events = _trained(network, data, folder, steps=steps, processes=processes, copies=copies)
    medians = [statistics.median(durations(one, network.batch * processes)[steps // 4 :]) for one in events]
    return statistics.mean(medians), int(events[0][-1]["metrics"]["train"]["sent_bytes"]) // steps


def durations(events: Sequence[Mapping[str, Any]], batch: int) -> list[float]:
    """Seconds of each step after the first, of a training whose curve has a point at every step.

    A point says how many images a second there were up to it, without evaluations: so many seconds had passed then.
    """
    points = [(one["step"], one["values"]["images_per_second"]) for one in events if one["event"] == "point"]
    if [step for step, _ in points] != [*range(1, len(points) + 1)]:
        raise ValueError(f"the curve has no point at every step, but at {[step for step, _ in points]}")
    passed = [step * batch / pace for step, pace in points]
    return [later - earlier for earlier, later in pairwise(passed)]


def _trained(
    network: Network, data: OnDisk, folder: Path, *, steps: int, processes: int, copies: int
) -> list[list[dict[str, Any]]]:
    """What each of the copies told, event by event."""
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
    return [[json.loads(line) for line in one.splitlines()] for one in said]
