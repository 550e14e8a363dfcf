"""How many labels mining saves where an image has several classes: sheets of two to four real digits, paired seeds.

`python -m bench.mining.multilabel [--seeds 5] [--quick]`. A sheet is 2 x 2 places, some of them empty; its label is
which digits it shows, of which some are rare. Each arm trains `small_cnn` anew for every batch and is judged by the
mean average precision on sheets of other digits.
"""

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from acquisition import Pool, compose
from backtest.statistics import first_reached
from bench.versioning.table import Line, show
from demo.mnist import load_digits
from tasktypes import task_type
from training import Images, Recipe, build, fit, predict

TASK, SIDE = "multilabel", 28
CLASSES = [str(digit) for digit in range(10)]
ARMS: dict[str, dict[str, str]] = {"random": {}, "entropy": {"reduce": "max"}, "entropy, mean": {"reduce": "mean"}}
SHARES = np.array([0.16, 0.16, 0.16, 0.16, 0.1, 0.1, 0.06, 0.04, 0.03, 0.03])
"""How often each digit is drawn."""


@dataclass(frozen=True, slots=True)
class Size:
    """What is measured."""

    seeds: int = 5
    start: int = 60
    count: int = 60
    rounds: int = 5
    pool: int = 3000
    test: int = 1000
    steps: int = 250


QUICK = Size(seeds=1, rounds=2, pool=400, test=200, steps=60)


def sheets(images: NDArray[np.uint8], labels: NDArray[np.int64], count: int, seed: int) -> Images:
    """`count` sheets (56, 56, 1) with their targets (count, 10)."""
    rng = np.random.default_rng(seed)
    of = [np.flatnonzero(labels == digit) for digit in range(10)]
    pixels = np.zeros((count, 2 * SIDE, 2 * SIDE, 1), np.uint8)
    targets = np.zeros((count, 10), np.float32)
    for row in range(count):
        drawn = rng.choice(10, size=rng.integers(2, 5), replace=False, p=SHARES)
        for place, digit in zip(rng.permutation(4), drawn, strict=False):
            top, left = SIDE * (place // 2), SIDE * (place % 2)
            pixels[row, top : top + SIDE, left : left + SIDE, 0] = images[rng.choice(of[digit])]
        targets[row, drawn] = 1
    return Images(pixels, targets, TASK)


def curve(pool: Images, test: Images, arm: str, seed: int, size: Size) -> tuple[list[int], list[float]]:
    """Labels, and the mean average precision after each training."""
    metrics, outputs = task_type(TASK).metrics, task_type(TASK).outputs
    known = np.random.default_rng(seed).permutation(len(pool))[: size.start]
    labels, found = list[int](), list[float]()
    for turn in range(size.rounds + 1):
        network = build("small_cnn", {"size": 2 * SIDE, "width": 8}, classes=10, seed=seed)
        learned = Images(pool.pixels[known], pool.labels[known], TASK)
        fit(network, learned, Recipe(steps=size.steps, seed=seed), threads=1)
        judged = metrics.judged(outputs.probabilities(predict(network, test.pixels)[0]), test.labels)
        labels.append(len(known))
        found.append(metrics.figure("map", judged) or 0.0)
        if turn == size.rounds:
            break
        rest = np.setdiff1d(np.arange(len(pool)), known)
        asked = Pool(
            ids=rest,
            probabilities=outputs.probabilities(predict(network, pool.pixels[rest])[0]),
            classes=CLASSES,
            task=TASK,
        )
        strategy = arm.partition(",")[0]
        batch = compose(asked, strategy, count=size.count, seed=seed + turn, control=0.1, params=ARMS[arm])
        known = np.concatenate([known, [pick.id for pick in batch]])
    return labels, found


def measure(size: Size, *, promised: bool) -> list[Line]:
    """The curves of all arms, and what each needs for random's end."""
    digits = load_digits()
    pool = sheets(digits.train_images, digits.train_labels, size.pool, 1)
    test = sheets(digits.test_images, digits.test_labels, size.test, 2)
    curves: dict[str, list[list[float]]] = {arm: [] for arm in ARMS}
    labels: list[int] = []
    for seed in range(size.seeds):
        for arm, told in curves.items():
            started = time.perf_counter()
            labels, found = curve(pool, test, arm, seed, size)
            told.append(found)
            spent = time.perf_counter() - started
            print(f"seed {seed}, {arm}: {', '.join(f'{one:.3f}' for one in found)} ({spent:.0f} s)", flush=True)
    print(f"\n{digits.source}, {size.seeds} seeds; mean average precision at {', '.join(map(str, labels))} labels")
    fair, lines = np.array(curves["random"]), list[Line]()
    for arm, told in curves.items():
        print(f"{arm:<16}{'  '.join(f'{one:.3f}' for one in np.mean(told, axis=0))}")
    for arm in ARMS:
        if arm == "random":
            continue
        ours = np.array(curves[arm])
        needed = [first_reached(labels, found, end) for found, end in zip(ours.tolist(), fair[:, -1], strict=True)]
        shares = [labels[-1] / one if one else 0.0 for one in needed]
        better = int((ours.mean(axis=1) > fair.mean(axis=1)).sum())
        gain = float((ours.mean(axis=1) - fair.mean(axis=1)).mean())
        middle = float(np.median(shares))
        words = f"{np.median([one or np.inf for one in needed]):.0f} labels"
        lines.append(
            Line(f"labels for random's end, {arm}", f"{labels[-1]} labels", words, middle, 1.0 if promised else None)
        )
        print(f"{arm}: {gain:+.3f} mAP over the curve, better than random with {better} of {size.seeds} seeds")
    return lines


def main() -> int:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    told = parser.parse_args()
    size = QUICK if told.quick else Size(seeds=told.seeds)
    lines = measure(size, promised=not told.quick)
    show("Several classes an image: mined against random", lines)
    return int(any(line.verdict == "NO" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
