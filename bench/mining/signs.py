"""How many labels mining saves a detector: traffic signs, paired seeds.

`python -m bench.mining.signs FOLDER [--seeds 3] [--quick]`, where FOLDER keeps the set and the features of its images.
Each arm trains the head of `centre_lite0` anew for every batch and is judged by its mean average precision on signs and
photographs that it has not seen.
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from acquisition import Pool, compose
from blobs.decoding import load
from demo.signs import signs_dataset
from tasktypes import task_type
from training import Recipe, build, fit
from training.architectures import architecture
from training.batches import Features
from training.features import computed
from training.loop import logits_of

TASK, NAME = "detection", "centre_lite0"
SPLITS = ("train", "test")
ARMS: dict[str, tuple[str, dict[str, Any]]] = {
    "random": ("random", {}),
    "entropy, sum": ("entropy", {"reduce": "sum"}),
    "entropy, max": ("entropy", {"reduce": "max"}),
    "entropy, mean": ("entropy", {"reduce": "mean"}),
    "noisy or": ("margin", {"reduce": "noisy_or"}),
    "margin, top": ("margin", {"reduce": "top"}),
    "typiclust": ("typiclust", {}),
    "k_center": ("k_center", {}),
    "max_herding": ("max_herding", {}),
}


@dataclass(frozen=True, slots=True)
class Size:
    """What is measured."""

    images: int = 1500
    seeds: int = 3
    start: int = 60
    count: int = 60
    rounds: int = 3
    steps: int = 250


QUICK = Size(images=120, seeds=1, start=10, count=10, rounds=1, steps=20)


def embedded(folder: Path, size: Size) -> tuple[dict[str, Features], tuple[str, ...]]:
    """Train and test split as features of the frozen trunk, kept in `folder`; and the classes."""
    signs = signs_dataset(folder / f"signs-{size.images}", size.images)
    network, family = build(NAME, {}, classes=len(signs.classes), seed=0), architecture(NAME, {})
    network.eval()
    splits = {}
    for split in SPLITS:
        kept = folder / f"features-{size.images}-{split}.npy"
        if not kept.exists():
            rows = [computed(network, load(path.read_bytes(), family.input_size)) for path in signs.images_of(split)]
            np.save(kept, np.stack(rows))
        labels = signs.labels(split)
        sizes = [(row["width"], row["height"]) for row in signs.coco(split)["images"]]
        targets = task_type(TASK).metrics.targets(list(labels.values()), signs.classes, sizes)
        splits[split] = Features(np.load(kept, mmap_mode="r"), targets, TASK)
    return splits, signs.classes


def curve(
    splits: dict[str, Features], classes: tuple[str, ...], arm: str, seed: int, size: Size, threads: int
) -> list[tuple[float, float]]:
    """mAP and mAP at IoU .5 after each training."""
    task, (strategy, params) = task_type(TASK), ARMS[arm]
    train, test = splits["train"], splits["test"]
    known: NDArray[np.int64] = np.random.default_rng(seed).permutation(len(train.labels))[: size.start]
    found = list[tuple[float, float]]()
    for number in range(size.rounds + 1):
        network = build(NAME, {}, classes=len(classes), seed=seed)
        source = Features(np.array(train.features[known]), train.labels[known], TASK)
        fit(network, source, Recipe(learning_rate=2e-3, batch_size=16, steps=size.steps, seed=seed, shift=0),
            threads=threads)  # fmt: skip
        torch.set_num_threads(threads)
        judged = task.metrics.judged(task.learning.activated(logits_of(network, test)).numpy(), test.labels)
        found.append((task.metrics.figure("map", judged) or 0.0, task.metrics.figure("map50", judged) or 0.0))
        if number == size.rounds:
            break
        rest = np.setdiff1d(np.arange(len(train.labels)), known)
        asked = Pool(
            ids=rest,
            probabilities=task.learning.activated(logits_of(network, _part(train, rest))).numpy(),
            embeddings=_described(train, rest),
            labelled=_described(train, known),
            classes=classes,
            task=TASK,
        )
        batch = compose(
            asked,
            strategy,
            count=size.count,
            seed=seed + number,
            control=0.0 if strategy == "random" else 0.1,
            params=params,
        )
        known = np.concatenate([known, [pick.id for pick in batch]])
    return found


def _part(source: Features, rows: NDArray[np.int64]) -> Features:
    return Features(np.array(source.features[rows]), source.labels[rows], TASK)


def _described(source: Features, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Embeddings (n, 320): the mean over the places of the coarsest map, which comes last."""
    return np.stack([source.features[row][-320 * 100 :].reshape(320, 100).mean(1) for row in rows.tolist()])


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=Size.steps)
    parser.add_argument("--arm", action="append", choices=list(ARMS))
    parser.add_argument("--quick", action="store_true")
    told = parser.parse_args()
    size = QUICK if told.quick else Size(seeds=told.seeds, steps=told.steps)
    splits, classes = embedded(told.folder, size)
    curves: dict[str, list[list[tuple[float, float]]]] = {arm: [] for arm in told.arm or ARMS}
    for seed in range(told.first_seed, told.first_seed + size.seeds):
        for arm, runs in curves.items():
            started = time.perf_counter()
            runs.append(curve(splits, classes, arm, seed, size, told.threads))
            words = ", ".join(f"{whole:.3f}/{half:.3f}" for whole, half in runs[-1])
            print(f"seed {seed}, {arm}: {words} ({time.perf_counter() - started:.0f} s)", flush=True)
    _summarise(curves, size)


def _summarise(curves: dict[str, list[list[tuple[float, float]]]], size: Size) -> None:
    labels = [size.start + size.count * number for number in range(size.rounds + 1)]
    print(f"\n{size.seeds} seeds; mAP / mAP50 at {', '.join(map(str, labels))} labels")
    for arm, runs in curves.items():
        means = np.mean(runs, axis=0)
        print(f"{arm:<16}{'  '.join(f'{whole:.3f}/{half:.3f}' for whole, half in means)}")
    if "random" not in curves:
        return
    for arm, runs in curves.items():
        gains = np.array(runs)[:, 1:, 1].mean(axis=1) - np.array(curves["random"])[:, 1:, 1].mean(axis=1)
        better = int((gains > 0).sum())
        print(f"{arm}: {gains.mean():+.3f} mAP50 over the rounds, better than random with {better} of {size.seeds}")


if __name__ == "__main__":
    main()
