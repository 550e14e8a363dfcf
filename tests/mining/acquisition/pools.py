"""Pools with every field a strategy may read."""

from dataclasses import replace

import numpy as np

from acquisition import Pool, facts
from acquisition.pool import Floats
from tasktypes import task_type


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


def pool_of(rng: np.random.Generator, rows: int, classes: int = 4, *, members: int = 3, coarse: bool = False) -> Pool:
    """Of random numbers; `coarse` ones have many ties. Ids are in no order."""
    logits = rng.normal(size=(rows, classes)) * 2
    opinions = logits[:, None, :] + rng.normal(size=(rows, members, classes))
    if coarse:
        logits, opinions = np.round(logits), np.round(opinions)
    return Pool(
        ids=rng.permutation(rows * 3)[:rows],
        probabilities=softmax(logits),
        embeddings=np.round(rng.normal(size=(rows, 6)), 1),
        members=softmax(opinions),
        labels=rng.integers(0, classes, rows),
        groups=np.array([f"drive {at % 3}" for at in range(rows)], dtype=np.str_),
        times=np.arange(rows, dtype=np.float64),
        sources=np.array([f"camera {at % 2}" for at in range(rows)], dtype=np.str_),
        costs=rng.uniform(0.5, 2, rows),
        slices={"night": rng.random(rows) < 0.3},
        labelled=np.round(rng.normal(size=(5, 6)), 1),
        labelled_classes=np.arange(5) % classes,
        wanted=np.round(rng.normal(size=(2, 6)), 1),
        unwanted=np.round(rng.normal(size=(2, 6)), 1),
        classes=[f"class {index}" for index in range(classes)],
    )


def targets_of(rng: np.random.Generator, rows: int, classes: int) -> Floats:
    """Labels of images of 100 x 100 pixels: up to three boxes each."""
    made = np.zeros((rows, 3, 8), np.float32)
    made[..., :2] = rng.uniform(0, 0.6, (rows, 3, 2))
    made[..., 2:4] = made[..., :2] + 0.3
    made[..., 4] = rng.integers(0, classes, (rows, 3))
    made[..., 5] = rng.integers(0, 2, (rows, 3))
    made[..., 6:] = 100
    return made


def boxes_of(rng: np.random.Generator, rows: int, classes: int = 4, *, members: int = 3, coarse: bool = False) -> Pool:
    """The same of a detector's answers: up to five boxes an image, some with none; what is known of 80 others, and what
    was looked at closely: three objects of every second image, some with none."""
    low = rng.uniform(0, 0.6, (rows, members, 5, 2))
    score = rng.random((rows, members, 5)) ** 3
    if coarse:
        low, score = np.round(low, 1), np.round(score, 1)
    label = rng.integers(0, classes, (rows, members, 5)).astype(np.float64)
    boxes = np.concatenate([low, low + 0.3, -np.sort(-score)[..., None], label[..., None]], axis=-1)
    right = rng.random(80)
    plain = pool_of(rng, rows, classes, members=members, coarse=coarse)
    looked = rng.permutation(plain.ids)[: (rows + 1) // 2]
    facts = np.stack([rng.integers(0, classes, (len(looked), 3)), rng.random((len(looked), 3)).round(1)], axis=-1)
    evidence = [rng.integers(0, classes, 80), right, rng.integers(0, 30, 80), rng.random(80) < right]
    return replace(
        plain,
        probabilities=boxes[:, 0],
        members=task_type("detection").mining.aligned(boxes),
        labels=targets_of(rng, rows, classes),
        labelled_classes=None,
        cells=rng.integers(0, 30, (rows, 5), np.int32),
        evidence=np.stack(evidence, axis=1).astype(np.float64),
        objects=np.round(rng.normal(size=(len(looked), 3, 4)), 1),
        object_facts=facts * (rng.random((len(looked), 1, 1)) < 0.8),
        object_ids=looked,
        task="detection",
    )


def pool_for(name: str, rng: np.random.Generator, rows: int, classes: int = 4, *, members: int = 3,
             coarse: bool = False) -> Pool:  # fmt: skip
    """A pool that a strategy can be asked about: of images with one class, if it mines for those."""
    made = pool_of if "classification" in facts(name)["tasks"] else boxes_of
    return made(rng, rows, classes, members=members, coarse=coarse)
