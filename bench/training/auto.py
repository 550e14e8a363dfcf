"""The learner `auto` beside what one would name in its place, from few labels on: `python -m bench.training.auto`.

Digits (MNIST; scikit-learn's with `--small`), so many labels drawn at random, the same for all of a seed, the rest
without a label; judged on test digits. The alternatives are a network of the images' own size and the head of a frozen
pretrained network, trained step by step. Printed are the mean accuracies, the mean of the paired differences of `auto`
to the best alternative with its 95 % interval (Student), the mean seconds of the whole training program, and what
`auto` chose. The program fails where `auto` is surely behind.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from demo.mnist import Digits, load_digits, sklearn_digits
from training import TrainingConfig, train
from training.auto import AUTO, own_network
from worker_programs.config import parse
from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

CLASSES = [str(digit) for digit in range(10)]
POOL, TESTS = 2000, 1000
FROZEN = "efficientnet_lite0"
CONFIDENCE = 0.95


class Trial:
    """The digits as files of a folder, and trainings on some of them."""

    def __init__(self, digits: Digits, folder: Path) -> None:
        self.folder, self._blobs = folder, Folder(folder / "blobs")
        rng = np.random.default_rng(0)
        self._pool = self._samples(digits.train_images, digits.train_labels, rng, POOL)
        tests = self._samples(digits.test_images, digits.test_labels, rng, TESTS)
        self._test = write_manifest(folder / "test.jsonl", tests)

    def _samples(self, images: NDArray[np.uint8], labels: NDArray[np.int64], rng: Any, most: int) -> list[Sample]:
        rows = []
        for row in rng.permutation(len(labels))[:most]:
            ref = self._blobs.put(cv2.imencode(".png", images[row])[1].tobytes())
            side: tuple[int, int] = images[row].shape[::-1]
            rows.append(Sample.of(f"{row}.png", ref, label={"class": CLASSES[labels[row]]}, size=side))
        return rows

    def trained(self, labels: int, seed: int, **learner: Any) -> tuple[dict[str, Any], float]:
        """Return the metrics of a training on so many labels, and its seconds."""
        order = np.random.default_rng(seed).permutation(len(self._pool))
        chosen = [self._pool[row] for row in order[:labels]]
        rest = [self._pool[row]._replace(label=None) for row in order[labels:]]
        config = {
            "out_dir": str(self.folder / "out"),
            "train": str(write_manifest(self.folder / "train.jsonl", chosen)),
            "validation": str(self._test),
            "classes": CLASSES,
            "recipe": {"seed": seed},
            "blobs": str(self.folder / "blobs"),
            "threads": 1,
        }
        if learner["architecture"] == AUTO:
            config["unlabelled"] = str(write_manifest(self.folder / "unlabelled.jsonl", rest))
        started = time.perf_counter()
        metrics = train(parse(TrainingConfig, config | learner))
        return metrics, time.perf_counter() - started


def interval(differences: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of paired differences; without an end for a single one."""
    if len(differences) < 2:
        return float("-inf"), float("inf")
    reach = float(stdtrit(len(differences) - 1, (1 + CONFIDENCE) / 2)) * stdev(differences) / len(differences) ** 0.5
    return mean(differences) - reach, mean(differences) + reach


def compared(trial: Trial, budgets: list[int], seeds: int, params: dict[str, Any]) -> bool:
    """Print a line for each number of labels; return whether `auto` is surely behind at any."""
    name, own = own_network(28, gray=True) or ("", {})
    rivals: dict[str, dict[str, Any]] = {name: {"architecture": name, "params": own}, FROZEN: {"architecture": FROZEN}}
    learners = rivals | {AUTO: {"architecture": AUTO, "params": params}}
    heads = "".join(f"{one:>20}" for one in learners)
    print(f"  {'labels':>6}{heads}{'to the best (95 %)':>26}{'seconds':>20}  chosen")
    behind = False
    for labels in budgets:
        accuracies: dict[str, list[float]] = {one: [] for one in learners}
        seconds: dict[str, list[float]] = {one: [] for one in learners}
        chosen = Counter[str]()
        for seed in range(seeds):
            for one, learner in learners.items():
                found, took = trial.trained(labels, seed, **learner)
                accuracies[one].append(found["validation"]["accuracy"])
                seconds[one].append(took)
            chosen[found["choice"]["name"]] += 1
            shown = " ".join(f"{values[-1]:.3f}" for values in accuracies.values())
            print(f"    seed {seed}: {shown} {found['choice']['reason']}", flush=True)
        best = max(rivals, key=lambda one: mean(accuracies[one]))
        differences = [100 * (ours - theirs) for ours, theirs in zip(accuracies[AUTO], accuracies[best], strict=True)]
        low, high = interval(differences)
        behind |= high < 0
        means = "".join(f"{mean(values):>20.1%}" for values in accuracies.values())
        gap = f"{mean(differences):+.1f} ({low:+.1f} to {high:+.1f})"
        times = " / ".join(f"{mean(values):.0f}" for values in seconds.values())
        words = ", ".join(f"{one} ({count})" for one, count in chosen.most_common())
        print(f"  {labels:>6}{means}{gap:>26}{times:>20}  {words}{'  BEHIND' if high < 0 else ''}", flush=True)
    return behind


def main() -> int:
    """Print the comparison; returns 1 where `auto` is surely behind the best alternative."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--labels", type=int, nargs="+", default=[40, 100, 300])
    parser.add_argument("--small", action="store_true", help="scikit-learn's digits instead of MNIST")
    parser.add_argument("--digits", type=Path, help="folder with MNIST, or to download it to")
    parser.add_argument("--set", nargs="*", default=[], metavar="PARAM=VALUE", help="params of auto")
    asked = parser.parse_args()
    digits = sklearn_digits() if asked.small else load_digits(asked.digits)
    print(digits.source)
    params = {name: int(value) if value.isdigit() else value for name, value in (one.split("=") for one in asked.set)}
    with tempfile.TemporaryDirectory() as name:
        os.environ.setdefault("MOTHERLODE_CACHE_DIR", f"{name}/cache")
        os.environ.setdefault("MOTHERLODE_CACHE_BYTES", str(1 << 30))
        return int(compared(Trial(digits, Path(name)), asked.labels, asked.seeds, params))


if __name__ == "__main__":
    sys.exit(main())
