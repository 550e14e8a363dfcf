"""How many labels mining saves a detector: traffic signs, paired seeds.

`python -m bench.mining.signs FOLDER [--seeds 3] [--quick]`, where FOLDER keeps the set and the features of its images.
Each arm trains the head of `centre_lite0` anew for every batch and is judged by its mean average precision on signs and
photographs that it has not seen.
"""

import argparse
import time
from collections.abc import Sequence
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
from training.network import Network

TASK, NAME, PARAMS = "detection", "centre_lite0", {"depth": 1}
SPLITS = ("train", "test")
STEPS, ROUNDS = 300, 3
Rows = NDArray[np.int64]
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
    rounds: int = ROUNDS
    steps: int = STEPS


@dataclass(frozen=True, slots=True)
class Run:
    """What is the same in all trainings of a seed."""

    classes: int
    seed: int
    steps: int
    threads: int


QUICK = Size(images=120, seeds=1, start=10, count=10, rounds=1, steps=20)


def embedded(folder: Path, size: Size) -> tuple[dict[str, Features], tuple[str, ...]]:
    """Train and test split as features of the frozen trunk, kept in `folder`; and the classes."""
    signs = signs_dataset(folder / f"signs-{size.images}", size.images)
    network, family = build(NAME, PARAMS, classes=len(signs.classes), seed=0), architecture(NAME, PARAMS)
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
        splits[split] = Features(np.load(kept), targets, TASK)
    return splits, signs.classes


Trained = tuple[Network, tuple[float, float]]
"""A network, and its mAP and mAP50."""


def trained(splits: dict[str, Features], known: Rows, run: Run) -> Trained:
    """A new head, trained on some images and judged on the test split."""
    task, train, test = task_type(TASK), splits["train"], splits["test"]
    network = build(NAME, PARAMS, classes=run.classes, seed=run.seed)
    recipe = Recipe(learning_rate=3e-3, batch_size=16, steps=run.steps, seed=run.seed, shift=0)
    fit(network, _part(train, known), recipe, threads=run.threads)
    torch.set_num_threads(run.threads)
    judged = task.metrics.judged(task.learning.activated(logits_of(network, test)).numpy(), test.labels)
    return network, (task.metrics.figure("map", judged) or 0.0, task.metrics.figure("map50", judged) or 0.0)


def curve(
    splits: dict[str, Features], classes: Sequence[str], arm: str, first: Trained, run: Run, size: Size
) -> list[tuple[float, float]]:
    """mAP and mAP50 after each training; all arms of a seed begin with the same one."""
    (strategy, params), train = ARMS[arm], splits["train"]
    known, (network, figures) = first_rows(len(train.labels), run, size), first
    found = [figures]
    for number in range(size.rounds):
        rest = np.setdiff1d(np.arange(len(train.labels)), known)
        asked = Pool(
            ids=rest,
            probabilities=task_type(TASK).learning.activated(logits_of(network, _part(train, rest))).numpy(),
            embeddings=_described(train, rest),
            labelled=_described(train, known),
            classes=classes,
            task=TASK,
        )
        control = 0.0 if arm == "random" else 0.1
        batch = compose(asked, strategy, count=size.count, seed=run.seed + number, control=control, params=params)
        known = np.concatenate([known, [pick.id for pick in batch]])
        network, figures = trained(splits, known, run)
        found.append(figures)
    return found


def first_rows(total: int, run: Run, size: Size) -> Rows:
    """What is labelled at the beginning."""
    return np.random.default_rng(run.seed).permutation(total)[: size.start]


def _part(source: Features, rows: Rows) -> Features:
    return Features(np.array(source.features[rows]), source.labels[rows], TASK)


def _described(source: Features, rows: Rows) -> NDArray[np.float32]:
    """Embeddings (n, 320)."""
    family = architecture(NAME, PARAMS)
    made = [family.described(family.unpacked(torch.from_numpy(source.features[row][None]))) for row in rows.tolist()]
    return torch.cat(made).numpy()


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--arm", action="append", choices=list(ARMS))
    parser.add_argument("--quick", action="store_true")
    told = parser.parse_args()
    size = QUICK if told.quick else Size(seeds=told.seeds, steps=told.steps, rounds=told.rounds)
    splits, classes = embedded(told.folder, size)
    curves: dict[str, list[list[tuple[float, float]]]] = {arm: [] for arm in told.arm or ARMS}
    for seed in range(told.first_seed, told.first_seed + size.seeds):
        run = Run(len(classes), seed, size.steps, told.threads)
        first = trained(splits, first_rows(len(splits["train"].labels), run, size), run)
        for arm, runs in curves.items():
            started = time.perf_counter()
            runs.append(curve(splits, classes, arm, first, run, size))
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
