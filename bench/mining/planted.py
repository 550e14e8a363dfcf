"""How many wrong labels of boxes are found: errors planted among traffic signs, precision and recall.

`python -m bench.mining.planted FOLDER [--seeds 3] [--quick]`, with the folder of `bench.mining.signs`. A detector
learns from some images; among the labels of others, which it has not seen, every tenth object loses its box, a
tenth of the boxes is moved by about half of its size, and a tenth gets another class. `label_errors` ranks the images.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from acquisition import Pool, compose
from bench.mining.signs import QUICK, TASK, Run, Size, embedded, first_rows, trained
from tasktypes import task_type
from tasktypes.detection.doubts import MISSED, MOVED, WRONG_CLASS
from tasktypes.detection.targets import CLASS, KIND, NOTHING, OBJECT
from training.batches import Features
from training.loop import logits_of

KINDS = (MISSED, MOVED, WRONG_CLASS)
SHARE = 0.1
"""Of objects, for each kind."""


def planted(targets: NDArray[np.float32], classes: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Targets (N, G, 8) with errors, and where there is one of each of KINDS (N, 3)."""
    made, rng = targets.copy(), np.random.default_rng(seed)
    wrong = np.zeros((len(targets), len(KINDS)), bool)
    for row, place in np.argwhere(targets[..., KIND] == OBJECT).tolist():
        kind, one = int(rng.random() // SHARE), made[row, place]
        if kind >= len(KINDS):
            continue
        wrong[row, kind] = True
        if KINDS[kind] == MISSED:
            one[KIND] = NOTHING
        elif KINDS[kind] == MOVED:
            width, height = one[2] - one[0], one[3] - one[1]
            by = rng.choice([-1, 1], 2) * rng.uniform(0.35, 0.5, 2) * (width, height)
            one[:4] = np.clip(one[:4] + np.tile(by, 2), 0, 1)
        else:
            one[CLASS] = (one[CLASS] + rng.integers(1, classes)) % classes
    return made, wrong


def main() -> None:
    """The table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--learned", type=int, default=400, help="images that the detector learns from (%(default)s)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    told = parser.parse_args()
    size = QUICK if told.quick else Size(start=told.learned)
    splits, _, classes = embedded(told.folder, size)
    train, found = splits["train"], []
    for seed in range(told.seeds):
        run = Run(len(classes), seed, size.steps, told.threads)
        learned = first_rows(len(train.labels), run, size)
        part = Features(np.array(train.features[learned]), train.labels[learned], TASK)
        network, (_, map50) = trained(part, splits["test"], run)
        rest = np.setdiff1d(np.arange(len(train.labels)), learned)
        labels, wrong = planted(train.labels[rest], len(classes), seed)
        asked = Features(np.array(train.features[rest]), labels, TASK)
        answers = task_type(TASK).learning.activated(logits_of(network, asked)).numpy()
        pool = Pool(ids=np.arange(len(rest)), probabilities=answers, labels=labels, classes=classes, task=TASK)
        count = int(wrong.any(axis=1).sum())
        picks = compose(pool, "label_errors", count=count, seed=0)
        chosen = np.array([pick.id for pick in picks])
        kinds = [float(np.mean(np.isin(np.flatnonzero(wrong[:, kind]), chosen))) for kind in range(len(KINDS))]
        found.append([map50, len(rest), count, float(wrong[chosen].any(axis=1).mean()), *kinds])
        print(f"seed {seed}: mAP50 {map50:.3f}, {count} of {len(rest)} images wrong; of as many picks "
              f"{found[-1][3]:.0%} are; found: " + ", ".join(f"{name} {share:.0%}" for name, share in
              zip(KINDS, kinds, strict=True)), flush=True)  # fmt: skip
    mean = np.mean(found, axis=0)
    print(f"\nmeans: mAP50 {mean[0]:.3f}; precision = recall at {mean[2]:.0f} picks {mean[3]:.0%} (by chance "
          f"{mean[2] / mean[1]:.0%}); recall of images with " + ", ".join(
          f"{name} {share:.0%}" for name, share in zip(KINDS, mean[4:], strict=True)))  # fmt: skip


if __name__ == "__main__":
    main()
