"""How many labels, boxes and seconds of annotators mining saves a detector: traffic signs, paired seeds.

`python -m bench.mining.signs FOLDER [--seeds 5] [--quick] [--plot FILE]`, where FOLDER keeps the set, the features of
its images, and the curves that are done: a run that was stopped goes on where it was. Each arm trains the head of
`centre_lite0` anew for every batch and is judged by its mean average precision on signs and photographs that it has not
seen. Of an arm "verified" the model's boxes are shown first (`annotators`).
"""

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from acquisition import Pool, Strategy, compose, strategy
from acquisition.objects import surest
from backtest.statistics import first_reached
from bench.mining.annotators import Seconds, Work, drawn, verified
from blobs.decoding import decode, load
from demo.signs import signs_dataset
from scoring.crops import cut
from tasktypes import task_type
from training import Recipe, build, fit
from training.architectures import architecture
from training.batches import Features
from training.features import computed
from training.loop import logits_of
from training.network import Network

TASK, NAME, PARAMS = "detection", "centre_lite0", {"depth": 1}
SPLITS = ("train", "test")
RANDOM = "random"
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Arm:
    """How images are chosen, and labelled."""

    strategy: str
    params: dict[str, Any] = field(default_factory=dict)
    verify: bool = False


ARMS = {
    RANDOM: Arm("random"),
    "random, verified": Arm("random", verify=True),
    "entropy, sum": Arm("entropy", {"reduce": "sum"}),
    "entropy, sum, verified": Arm("entropy", {"reduce": "sum"}, verify=True),
    "entropy, max": Arm("entropy", {"reduce": "max"}),
    "entropy, mean": Arm("entropy", {"reduce": "mean"}),
    "noisy or": Arm("margin", {"reduce": "noisy_or"}),
    "margin, top": Arm("margin", {"reduce": "top"}),
    "ppal": Arm("ppal"),
    "typiclust": Arm("typiclust"),
    "k_center": Arm("k_center"),
    "max_herding": Arm("max_herding"),
}


@dataclass(frozen=True, slots=True)
class Size:
    """What is measured."""

    images: int = 1500
    seeds: int = 5
    start: int = 60
    count: int = 60
    rounds: int = 3
    steps: int = 300


@dataclass(frozen=True, slots=True)
class Run:
    """What is the same in all trainings of a seed."""

    classes: int
    seed: int
    steps: int
    threads: int


@dataclass(frozen=True, slots=True)
class Point:
    """One training: what its labels took, and its figures."""

    work: Work
    map: float
    map50: float


QUICK = Size(images=120, seeds=1, start=10, count=10, rounds=1, steps=20)
COSTS: dict[str, Callable[[Work, Seconds], float]] = {
    "images": lambda work, _: work.images,
    "boxes": lambda work, _: work.boxes,
    "seconds": lambda work, price: work.seconds(price),
}


def embedded(folder: Path, size: Size) -> tuple[dict[str, Features], list[Path], tuple[str, ...]]:
    """Train and test split as features of the frozen trunk, kept in `folder`; the files of train; and the classes."""
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
    return splits, [*signs.images_of("train")], signs.classes


Trained = tuple[Network, tuple[float, float]]
"""A network, and its mAP and mAP50."""


def trained(train: Features, test: Features, run: Run) -> Trained:
    """A new head, judged on the test split."""
    task = task_type(TASK)
    network = build(NAME, PARAMS, classes=run.classes, seed=run.seed)
    recipe = Recipe(learning_rate=3e-3, batch_size=16, steps=run.steps, seed=run.seed, shift=0)
    fit(network, train, recipe, threads=run.threads)
    torch.set_num_threads(run.threads)
    judged = task.metrics.judged(_answers(network, test), test.labels)
    return network, (task.metrics.figure("map", judged) or 0.0, task.metrics.figure("map50", judged) or 0.0)


def curve(
    splits: dict[str, Features], images: Sequence[Path], classes: Sequence[str], arm: Arm, first: Trained, run: Run,
    size: Size,
) -> list[Point]:  # fmt: skip
    """A point after each training; all arms of a seed begin with the same one, its labels drawn."""
    train, labels = splits["train"], splits["train"].labels.copy()
    known, (network, figures) = first_rows(len(labels), run, size), first
    work = drawn(labels[known])
    found = [Point(work, *figures)]
    for number in range(size.rounds):
        rest = np.setdiff1d(np.arange(len(labels)), known)
        answers = _answers(network, _part(train, labels, rest))
        asked = Pool(
            ids=rest,
            probabilities=answers,
            embeddings=_described(train, rest),
            labelled=_described(train, known),
            classes=classes,
            task=TASK,
        )
        chosen = strategy(arm.strategy, arm.params)
        if "objects" in chosen.needs:
            asked = _with_objects(asked, chosen, size.count, images)
        control = 0.0 if arm.strategy == RANDOM else 0.1
        seed = run.seed + number
        batch = compose(asked, arm.strategy, count=size.count, seed=seed, control=control, params=arm.params)
        rows = np.array([pick.id for pick in batch])
        done = drawn(labels[rows])
        if arm.verify:
            labels[rows], done = verified(labels[rows], answers[np.searchsorted(rest, rows)])
        work, known = work + done, np.concatenate([known, rows])
        network, figures = trained(_part(train, labels, known), splits["test"], run)
        found.append(Point(work, *figures))
    return found


def first_rows(total: int, run: Run, size: Size) -> Rows:
    """What is labelled at the beginning."""
    return np.random.default_rng(run.seed).permutation(total)[: size.start]


def _answers(network: Network, images: Features) -> NDArray[np.float32]:
    made: NDArray[np.float32] = task_type(TASK).learning.activated(logits_of(network, images)).numpy()
    return made


def _part(source: Features, labels: NDArray[np.float32], rows: Rows) -> Features:
    return Features(np.array(source.features[rows]), labels[rows], TASK)


def _with_objects(asked: Pool, chosen: Strategy, count: int, images: Sequence[Path]) -> Pool:
    """The pool with the surest objects of its shortlist, cut out and shown to the trunk."""
    rows = chosen.shortlist(asked, count)
    assert asked.probabilities is not None
    network, family = build(NAME, PARAMS, classes=len(asked.classes), seed=0).eval(), architecture(NAME, PARAMS)
    most = chosen.params.objects
    found, facts = surest(TASK, asked.probabilities[rows], most)
    looks = np.zeros((len(rows), most, family.embedding_dim), np.float32)
    for at, (row, regions) in enumerate(zip(asked.ids[rows].tolist(), found, strict=True)):
        pixels = cut(decode(images[row].read_bytes(), family.input_size[0]), regions, family.input_size)
        crops = [family.unpacked(torch.from_numpy(computed(network, crop)[None])) for crop in pixels]
        if crops:
            there = ~np.isnan(regions[:, 0])
            looks[at, there] = torch.cat([family.described(crop) for crop in crops]).numpy()
    return replace(asked, objects=looks, object_facts=facts, object_ids=asked.ids[rows])


def _described(source: Features, rows: Rows) -> NDArray[np.float32]:
    """Embeddings (n, 320)."""
    family = architecture(NAME, PARAMS)
    made = [family.described(family.unpacked(torch.from_numpy(source.features[row][None]))) for row in rows.tolist()]
    return torch.cat(made).numpy()


def main() -> None:
    """The tables."""
    usual = Size()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=usual.seeds)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=usual.steps)
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--arm", action="append", choices=list(ARMS))
    parser.add_argument("--drawing", type=float, default=7.0, help="seconds a drawn box (%(default)s)")
    parser.add_argument("--asking", type=float, default=3.5, help="seconds a yes or no (%(default)s)")
    parser.add_argument("--plot", type=Path, help="a picture of mAP50 by images, boxes and seconds")
    parser.add_argument("--quick", action="store_true")
    told = parser.parse_args()
    price = Seconds(told.drawing, told.asking)
    size = QUICK if told.quick else Size(seeds=told.seeds, steps=told.steps, rounds=told.rounds)
    splits, images, classes = embedded(told.folder, size)
    train = splits["train"]
    curves: dict[str, list[list[Point]]] = {arm: [] for arm in told.arm or ARMS}
    for seed in range(told.first_seed, told.first_seed + size.seeds):
        run = Run(len(classes), seed, size.steps, told.threads)
        rows = first_rows(len(train.labels), run, size)
        first: Trained | None = None
        for arm, runs in curves.items():
            started, kept = time.perf_counter(), _kept(told.folder, arm, run, size)
            if not kept.exists():
                first = first or trained(_part(train, train.labels, rows), splits["test"], run)
                points = curve(splits, images, classes, ARMS[arm], first, run, size)
                kept.write_text(json.dumps([asdict(point) for point in points]))
            runs.append([Point(Work(**row.pop("work")), **row) for row in json.loads(kept.read_text())])
            words = ", ".join(
                f"{point.map:.3f}/{point.map50:.3f} ({point.work.images} images, {point.work.asked} asked, "
                f"{point.work.kept} kept, {point.work.drawn} drawn)"
                for point in runs[-1]
            )
            print(f"seed {seed}, {arm}: {words} ({time.perf_counter() - started:.0f} s)", flush=True)
    _summarise(curves, price)
    if RANDOM in curves:
        _compare(curves, price)
    if told.plot:
        _plot(curves, price, told.plot)


def _kept(folder: Path, arm: str, run: Run, size: Size) -> Path:
    facts = asdict(size) | {"seeds": None, "seed": run.seed, "arm": asdict(ARMS[arm])}
    return folder / f"curve-{hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]}.json"


def _summarise(curves: dict[str, list[list[Point]]], price: Seconds) -> None:
    print(f"\nMeans of {len(next(iter(curves.values())))} seeds after each training")
    print(f"{'':<24}{'images':>8}{'boxes':>8}{'kept':>8}{'asked':>8}{'seconds':>9}{'mAP':>8}{'mAP50':>8}")
    for arm, runs in curves.items():
        for points in zip(*runs, strict=True):
            works = [(one.work.images, one.work.boxes, one.work.kept, one.work.asked) for one in points]
            counts = "".join(f"{mean:8.0f}" for mean in np.mean(works, axis=0))
            figures = "".join(f"{mean:8.3f}" for mean in np.mean([(one.map, one.map50) for one in points], axis=0))
            print(f"{arm:<24}{counts}{np.mean([one.work.seconds(price) for one in points]):9.0f}{figures}")


def _compare(curves: dict[str, list[list[Point]]], price: Seconds) -> None:
    """What each arm needs for the mAP50 that random ends with, seed by seed; interpolated between trainings."""
    print("\nNeeded for the mAP50 random ends with, medians of the seeds (share of random's); - where most never do")
    print(f"{'':<24}" + "".join(f"{name:>20}" for name in COSTS) + "   mAP50 over the rounds")
    for arm, runs in curves.items():
        cells = []
        for cost in COSTS.values():
            pairs = []
            for mine, fair in zip(runs, curves[RANDOM], strict=True):
                target, whole = fair[-1].map50, cost(fair[-1].work, price)
                spent = [cost(point.work, price) for point in mine]
                needed = first_reached(spent, [point.map50 for point in mine], target)
                pairs.append((np.inf, np.inf) if needed is None else (needed, needed / whole))
            needed, share = np.median(pairs, axis=0)
            cells.append(f"{'-':>20}" if np.isinf(needed) else f"{needed:12.0f} ({share:4.0%})")
        gains = [_height(mine) - _height(fair) for mine, fair in zip(runs, curves[RANDOM], strict=True)]
        better = sum(gain > 0 for gain in gains)
        print(f"{arm:<24}" + "".join(f"{cell:>20}" for cell in cells)
              + f"   {np.mean(gains):+.3f}, better in {better} of {len(gains)}")  # fmt: skip


def _height(points: Sequence[Point]) -> float:
    """The mean mAP50 of the trainings after the first."""
    return float(np.mean([point.map50 for point in points[1:]]))


def _plot(curves: dict[str, list[list[Point]]], price: Seconds, file: Path) -> None:
    """Means over the seeds, with the range of all seeds."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4), layout="constrained")
    for axes, (name, cost) in zip(figure.subplots(1, len(COSTS), sharey=True), COSTS.items(), strict=True):
        for arm, runs in curves.items():
            spent = np.mean([[cost(point.work, price) for point in run] for run in runs], axis=0)
            heights = np.array([[point.map50 for point in run] for run in runs])
            (line,) = axes.plot(spent, heights.mean(axis=0), marker="o", label=arm)
            axes.fill_between(spent, heights.min(axis=0), heights.max(axis=0), alpha=0.12, color=line.get_color())
        axes.set_xlabel(name)
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("mAP50")
    figure.axes[0].legend()
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
