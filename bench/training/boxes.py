"""Boxes that the exported file says beside those of the same network in torch, on images of signs it has not seen."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bench.versioning.table import Line
from blobs.decoding import load
from demo.signs import SignsDataset, signs_dataset
from export.graph import to_onnx
from export.proto import set_facts
from export.runtime import Session
from tasktypes import task_type
from tasktypes.detection.answers import CLASS, SCORE
from training import Recipe, build, fit
from training.batches import Features
from training.features import computed
from training.loop import predict
from training.network import Network

TASK, PARAMS = "detection", {"depth": 1}
NETWORKS = ("centre_lite0", "fcos_lite0")
PIXELS, SCORES = 0.5, 1e-3
"""Largest differences that are promised: of a side, in pixels of the model's input, and of a score."""
SURE = 0.05
"""Boxes below this score are not compared: where scores hardly differ, which of them is among the 100 is chance."""
BATCH = 20
Answers = NDArray[np.float32]


def compare(folder: Path, *, images: int, steps: int, threads: int) -> list[Line]:
    """For each network: train its head on `images` images, export it, answer as many of the test split twice."""
    signs = signs_dataset(folder / "signs", 5 * images)
    return [line for name in NETWORKS for line in _compared(name, signs, images, steps=steps, threads=threads)]


def differences(ours: Answers, theirs: Answers, size: int) -> tuple[int, float, float]:
    """Of answers (N, M, 6) of the same images: boxes of both together, and by how much a box is off the one of its
    class that lies nearest among the other's: pixels of the worst side, and score, at most."""
    count, off, odds = 0, 0.0, 0.0
    for one, other in zip(ours, theirs, strict=True):
        for some, all_of in ((one, other), (other, one)):
            sure = some[some[:, SCORE] >= SURE]
            apart = np.abs(sure[:, None, :SCORE] - all_of[None, :, :SCORE]).max(2) * size
            apart = np.where(sure[:, None, CLASS] == all_of[None, :, CLASS], apart, np.inf)
            if len(sure):
                nearest = apart.argmin(1)
                off = max(off, float(apart.min(1).max()))
                odds = max(odds, float(np.abs(sure[:, SCORE] - all_of[nearest, SCORE]).max()))
            count += len(sure)
    return count, off, odds


def _compared(name: str, signs: SignsDataset, images: int, *, steps: int, threads: int) -> list[Line]:
    network = build(name, PARAMS, classes=len(signs.classes), seed=0)
    network.eval()
    size = network.family.input_size
    learn = [load(path.read_bytes(), size) for path in signs.images_of("train")[:images]]
    sizes = [(row["width"], row["height"]) for row in signs.coco("train")["images"][:images]]
    labels = list(signs.labels("train").values())[:images]
    targets = task_type(TASK).metrics.targets(labels, signs.classes, sizes)
    features = np.stack([computed(network, image) for image in learn])
    fit(
        network,
        Features(features, targets, TASK),
        Recipe(learning_rate=3e-3, batch_size=16, steps=steps, shift=0),
        threads=threads,
    )
    session = _session(network, signs.classes, threads)
    seen = np.stack([load(path.read_bytes(), size) for path in signs.images_of("test")])
    parts = [seen[at : at + BATCH] for at in range(0, len(seen), BATCH)]
    ours = np.concatenate([session.run(part).probabilities for part in parts])
    maps = torch.from_numpy(np.concatenate([predict(network, part)[0] for part in parts]))
    count, off, odds = differences(ours, task_type(TASK).learning.activated(maps).numpy(), size[-1])
    what = f"{name}, {len(seen)} images, {count:,} boxes"
    return [
        Line(f"{what}: a side, px", f"{PIXELS:g} allowed", f"{off:.2g}", PIXELS / max(off, 1e-12), 1.0),
        Line(f"{what}: a score", f"{SCORES:g} allowed", f"{odds:.2g}", SCORES / max(odds, 1e-12), 1.0),
    ]


def _session(network: Network, classes: tuple[str, ...], threads: int) -> Session:
    proto = to_onnx(network, TASK)
    set_facts(proto, {"classes": list(classes), "input_size": list(network.family.input_size), "task": TASK})
    return Session(proto.SerializeToString(), threads=threads)
