"""How many labels mining saves: margin with a random control arm against random picks, on real digits.

`python -m bench.loop [--seeds 3] [--rounds 5] [--pool 60000]`. Each round trains from scratch, exports to ONNX, scores
the whole pool with that file on ONNX Runtime and picks; the libraries do the work, without the platform around them.
Both arms of a seed start from the same labels. Prints accuracy by labels, the labels margin needs for random's final
accuracy, and where the time went.
"""

import argparse
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from acquisition import Pool, compose
from export import Session, export_onnx
from motherlode.examples.mnist import Digits, load_digits
from training import Checkpoint, Images, build, evaluate, fit, save_checkpoint
from training.architectures import architecture
from training.checkpoint import CheckpointConfig

CLASSES = [str(digit) for digit in range(10)]
CONTROL, BLOCK = 0.1, 256


@dataclass(slots=True)
class Arm:
    """One strategy with one seed: accuracy after each round, and seconds by step."""

    strategy: str
    seed: int
    accuracy: list[float] = field(default_factory=list)
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    images: Counter[str] = field(default_factory=Counter)


def run_arm(arm: Arm, digits: Digits, *, start: int, batch: int, rounds: int, folder: Path) -> Arm:
    """Label `start` at random, then `rounds` times `batch` by the arm's strategy; fills and gives the arm."""
    labelled = np.random.default_rng(arm.seed).permutation(len(digits.train_labels))[:start]
    for number in range(rounds + 1):
        session = _model(arm, digits, labelled, folder)
        outputs = _scored(arm, "test", session, digits.test_images)
        arm.accuracy.append(evaluate(outputs, digits.test_labels, CLASSES).accuracy)
        if number == rounds:
            break
        pool = np.setdiff1d(np.arange(len(digits.train_labels)), labelled)
        probabilities = None if arm.strategy == "random" else _scored(arm, "score", session, digits.train_images[pool])
        started = time.perf_counter()
        candidates = Pool(ids=pool, probabilities=probabilities, classes=CLASSES)
        picks = compose(candidates, arm.strategy, count=batch, seed=100 * arm.seed + number, control=CONTROL)
        labelled = np.concatenate([labelled, [pick.id for pick in picks]])
        arm.seconds["select"] += time.perf_counter() - started
        print(f"  {arm.strategy} seed {arm.seed}: {len(labelled) - batch} labels, {arm.accuracy[-1]:.2%}", flush=True)
    return arm


def _model(arm: Arm, digits: Digits, labelled: NDArray[np.int64], folder: Path) -> Session:
    started = time.perf_counter()
    recipe = replace(architecture("small_cnn").recipe, seed=arm.seed)
    network = build("small_cnn", {}, classes=10, seed=arm.seed)
    fitted = fit(network, Images(digits.train_images[labelled][..., None], digits.train_labels[labelled]), recipe)
    arm.seconds["train"] += time.perf_counter() - started
    arm.images["train"] += fitted.steps * min(recipe.batch_size, len(labelled))
    started = time.perf_counter()
    facts = CheckpointConfig(architecture="small_cnn", params={}, classes=CLASSES, recipe={}, threads=1, torch="")
    save_checkpoint(Checkpoint(network, facts), folder)
    session = Session(export_onnx(folder, folder / "model.onnx"))
    arm.seconds["export"] += time.perf_counter() - started
    return session


def _scored(arm: Arm, step: str, session: Session, images: NDArray[np.uint8]) -> NDArray[np.float32]:
    started = time.perf_counter()
    blocks = [session.run(images[at : at + BLOCK, ..., None]).probabilities for at in range(0, len(images), BLOCK)]
    arm.seconds[step] += time.perf_counter() - started
    arm.images[step] += len(images)
    return np.concatenate(blocks)


def labels_to_reach(target: float, labels: list[int], accuracy: list[float]) -> float | None:
    """Labels at which a curve first reaches `target`, interpolated between rounds; None when it never does."""
    for at, reached in enumerate(accuracy):
        if reached >= target:
            if at == 0 or reached == accuracy[at - 1]:
                return float(labels[at])
            share = (target - accuracy[at - 1]) / (reached - accuracy[at - 1])
            return labels[at - 1] + share * (labels[at] - labels[at - 1])
    return None


def report(arms: list[Arm], labels: list[int]) -> None:
    """Print the tables."""
    by_name = {name: [arm for arm in arms if arm.strategy == name] for name in ("margin", "random")}
    print(f"\naccuracy in %, mean ± standard deviation over {len(by_name['random'])} seeds\n")
    print(f"{'labels':>8}{'margin':>16}{'random':>16}{'difference':>13}")
    for at, count in enumerate(labels):
        columns = {name: [100 * arm.accuracy[at] for arm in found] for name, found in by_name.items()}
        gap = statistics.mean(columns["margin"]) - statistics.mean(columns["random"])
        print(f"{count:>8}" + "".join(f"{_spread(values):>16}" for values in columns.values()) + f"{gap:>+13.2f}")
    print("\nlabels that margin needs to reach random's final accuracy, by seed")
    for mined, fair in zip(by_name["margin"], by_name["random"], strict=True):
        needed = labels_to_reach(fair.accuracy[-1], labels, mined.accuracy)
        saved = (
            "not reached" if needed is None else f"{needed:.0f} of {labels[-1]}: {1 - needed / labels[-1]:.0%} saved"
        )
        print(f"  seed {mined.seed}: random ends at {fair.accuracy[-1]:.2%}; margin needs {saved}")
    means = {name: np.mean([arm.accuracy for arm in found], axis=0).tolist() for name, found in by_name.items()}
    needed = labels_to_reach(means["random"][-1], labels, means["margin"])
    if needed is not None:
        print(f"  mean curves: {needed:.0f} of {labels[-1]} labels, {labels[-1] - needed:.0f} saved")
    _times(arms)


def _times(arms: list[Arm]) -> None:
    print("\nwhere the time went (one thread)")
    for step in arms[0].seconds:
        spent, images = sum(arm.seconds[step] for arm in arms), sum(arm.images[step] for arm in arms)
        rate = f"{images / spent:>12,.0f} images/s" if images else ""
        print(f"{step:>8}{spent:>9.1f} s{rate}")


def _spread(values: list[float]) -> str:
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.2f} ± {deviation:.2f}"


def main() -> None:
    """Run both arms for each seed and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("seeds", 3), ("start", 100), ("batch", 100), ("rounds", 5), ("pool", 60_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--cache", type=Path, help="folder that keeps the downloaded digits")
    asked = parser.parse_args()
    digits = load_digits(asked.cache)
    digits = replace(
        digits, train_images=digits.train_images[: asked.pool], train_labels=digits.train_labels[: asked.pool]
    )
    print(f"{digits.source}: pool of {len(digits.train_labels):,}, test set of {len(digits.test_labels):,}")
    sizes = {"start": asked.start, "batch": asked.batch, "rounds": asked.rounds}
    arms = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.seeds):
            arms += [run_arm(Arm(n, seed), digits, **sizes, folder=Path(folder)) for n in ("margin", "random")]
    report(arms, [asked.start + asked.batch * number for number in range(asked.rounds + 1)])


if __name__ == "__main__":
    main()
