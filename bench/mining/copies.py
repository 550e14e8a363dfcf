"""Labels to equal accuracy on a pool a third of which are copies, before and after copies are left out:
`python -m bench.mining.copies --seeds 10`.

scikit-learn's digits: 1,000 different pictures, of which 50 are there ten times more; 500 others to test on. A linear
probe on the pixels is trained after every 20 labels. Before: copies are picked like any sample, and each costs a label.
After: as a mining job picks, one of the same bytes and none whose bytes are labelled.
"""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from acquisition import Pool, compose
from backtest.probe import Embedded, Linear, Probe

PICTURES, COPIED, TIMES, TESTS, STEP, MOST = 1000, 50, 10, 500, 20, 300
STRATEGIES = ("random", "margin", "badge")
TARGETS = (0.85, 0.88, 0.90)
CLASSES = [str(digit) for digit in range(10)]
Rows = NDArray[np.intp]


def pool_of(seed: int) -> tuple[Probe, Rows]:
    """Return a probe over the pool, and the content (N,) of each of its samples."""
    pixels, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(pixels))
    own, test = order[:PICTURES], order[PICTURES : PICTURES + TESTS]
    contents = rng.permutation(np.concatenate([np.arange(PICTURES), np.repeat(np.arange(COPIED), TIMES)]))
    data = Embedded(pixels[own[contents]], labels[own[contents]], pixels[test], labels[test])
    return Probe(data, CLASSES), contents


def curve(probe: Probe, contents: Rows, name: str, *, seed: int, distinct: bool) -> list[float]:
    """Return the accuracy after 20, 40, .. labels."""
    labelled = np.random.default_rng(seed).permutation(len(contents))[:STEP]
    found = []
    while True:
        learned: Linear = probe.learn(labelled, seed=seed)
        found.append(learned.accuracy())
        if len(labelled) >= MOST:
            return found
        rest = np.setdiff1d(np.arange(len(contents)), labelled)
        if distinct:
            rest = rest[~np.isin(contents[rest], contents[labelled])]
        answers = learned.answers(rest)
        told: dict[str, Any] = {"copies": contents[rest]} if distinct else {}
        pool = Pool(ids=rest, probabilities=answers.probabilities, embeddings=answers.embeddings, **told)
        batch = compose(pool, name, count=STEP, seed=1000 * seed + len(labelled))
        labelled = np.concatenate([labelled, [pick.id for pick in batch]])


def needed(accuracies: list[float], target: float) -> int | None:
    """Return the labels with which a curve first reaches a target."""
    reached = [at for at, accuracy in enumerate(accuracies, start=1) if accuracy >= target]
    return STEP * reached[0] if reached else None


def main() -> None:
    """Print the labels to each target of the mean curve, for each strategy, before and after."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    pools = [pool_of(seed) for seed in range(seeds)]
    print(f"{'strategy':10} {'copies':10} {'at 100':>8} {'at 300':>8} " + " ".join(f"{t:>8.0%}" for t in TARGETS))
    for name in STRATEGIES:
        for distinct in (False, True):
            curves = [
                curve(probe, contents, name, seed=seed, distinct=distinct)
                for seed, (probe, contents) in enumerate(pools)
            ]
            mean = np.mean(curves, axis=0).tolist()
            labels = " ".join(f"{needed(mean, target) or '-':>8}" for target in TARGETS)
            words = "left out" if distinct else "picked"
            print(f"{name:10} {words:10} {mean[4]:8.1%} {mean[-1]:8.1%} {labels}", flush=True)


if __name__ == "__main__":
    main()
