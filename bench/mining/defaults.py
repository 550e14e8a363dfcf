"""Labels that the default strategy needs beside the others, from few labels on: `python -m bench.mining.defaults`.

Each replay trains a linear probe on the features of digits (scikit-learn's pixels; MNIST's first 50 principal
components) after every batch, with the control arm that mining jobs have. All strategies of a seed start from the same
labels. Printed are the mean accuracy at some budgets, the area under the curve over that of random, and the labels for
what random ends with, as a share of random's (the median over the seeds; a seed that never gets there counts as more).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits as small_digits
from sklearn.decomposition import PCA

from backtest import Curve, Plan, replay
from backtest.probe import Embedded, Probe
from backtest.statistics import censored_median, first_reached
from demo.mnist import load_digits

CLASSES = [str(digit) for digit in range(10)]
STRATEGIES = ("random", "margin", "badge", "typiclust", "uherding", "auto")
START, COUNT, ROUNDS = 20, 20, 14
SHOWN = (20, 60, 100, 200, 300)
POOL, TESTS, COMPONENTS = 5000, 2000, 50


def sets(digits: Path | None) -> Iterator[tuple[str, Embedded]]:
    """Yield a name and the data of each set."""
    pixels, labels = small_digits(return_X_y=True)
    yield "scikit-learn digits, pixels", Embedded(pixels[:1200], labels[:1200], pixels[1200:], labels[1200:])
    found = load_digits(digits)
    pool, test = (images.reshape(len(images), -1) / 255 for images in (found.train_images[:POOL], found.test_images))
    components = PCA(COMPONENTS, random_state=0).fit(pool)
    yield (
        f"{found.source}, {COMPONENTS} components",
        Embedded(
            components.transform(pool),
            found.train_labels[:POOL],
            components.transform(test[:TESTS]),
            found.test_labels[:TESTS],
        ),
    )


def curves(data: Embedded, seeds: int) -> dict[str, list[Curve]]:
    """Return the curves of each strategy, by seed."""
    probe = Probe(data, CLASSES)
    return {
        name: [
            replay(probe, Plan(strategy=name, seed=seed, start=START, count=COUNT, rounds=ROUNDS))
            for seed in range(seeds)
        ]
        for name in STRATEGIES
    }


def show(found: dict[str, list[Curve]]) -> None:
    """Print a line for each strategy."""
    print(
        f"  {'strategy':10}"
        + "".join(f"{f'at {labels}':>9}" for labels in SHOWN)
        + f"{'over random':>13}{'labels':>10}"
    )
    fair = found["random"]
    for name, replays in found.items():
        accuracy: NDArray[np.float64] = np.array([one.accuracy for one in replays])
        at = [replays[0].labels.index(labels) for labels in SHOWN]
        gain = 100 * (accuracy.mean() - np.mean([one.accuracy for one in fair]))
        shares = [
            None if (labels := first_reached(one.labels, one.accuracy, other.accuracy[-1])) is None
            else labels / other.labels[-1]
            for one, other in zip(replays, fair, strict=True)
        ]  # fmt: skip
        median = censored_median(shares).median
        points = "".join(f"{100 * value:>8.1f}%" for value in accuracy.mean(axis=0)[at])
        print(f"  {name:10}{points}{gain:>+12.1f} {'more' if median is None else f'{median:.0%}':>9}", flush=True)


def main() -> None:
    """Replay and print, set by set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="paired seeds (default: %(default)s)")
    parser.add_argument("--digits", type=Path, help="folder that keeps the downloaded digits")
    told = parser.parse_args()
    for name, data in sets(told.digits):
        print(f"\n{name}: {told.seeds} paired seeds, {len(data.labels):,} candidates", flush=True)
        show(curves(data, told.seeds))


if __name__ == "__main__":
    main()
