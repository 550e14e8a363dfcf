"""What a classifier is worth on a labelled set. NumPy only: the shipped ONNX file is judged by the same code."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
BINS = 15


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """One class: how many samples have it, and how well it is found. None where nothing was asked or answered."""

    support: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of one evaluation; rates are 0..1."""

    samples: int
    accuracy: float
    accuracy_low: float
    """Lower end of the 95 % Wilson interval."""
    accuracy_high: float
    loss: float
    """Mean negative log-likelihood."""
    ece: float
    """Expected calibration error over 15 equal bins of confidence."""
    per_class: dict[str, ClassMetrics]
    confusion: list[list[int]]
    """confusion[true][predicted], in the order of the classes."""


class EvaluationError(Exception):
    """There is nothing to evaluate, or the arrays do not fit each other."""

    code = "evaluation_impossible"


def evaluate(probabilities: NDArray[np.float32], labels: NDArray[np.int64], classes: list[str]) -> Evaluation:
    """Judge probabilities (N, K) against labels (N,), which index `classes`."""
    if not len(labels) or probabilities.shape != (len(labels), len(classes)):
        raise EvaluationError(f"{len(labels)} labels and probabilities of shape {probabilities.shape} do not fit")
    predicted = probabilities.argmax(1)
    confusion = np.zeros((len(classes), len(classes)), np.int64)
    np.add.at(confusion, (labels, predicted), 1)
    right = int(np.trace(confusion))
    low, high = wilson(right, len(labels))
    likelihood = probabilities[np.arange(len(labels)), labels].astype(np.float64)
    return Evaluation(
        samples=len(labels),
        accuracy=right / len(labels),
        accuracy_low=low,
        accuracy_high=high,
        loss=float(-np.log(np.clip(likelihood, 1e-12, None)).mean()),
        ece=calibration_error(probabilities.max(1), predicted == labels),
        per_class={name: _one_class(confusion, index) for index, name in enumerate(classes)},
        confusion=confusion.tolist(),
    )


def wilson(right: int, total: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a rate; 0..1."""
    rate, share = right / total, z * z / total
    middle = (rate + share / 2) / (1 + share)
    half = z / (1 + share) * float(np.sqrt(rate * (1 - rate) / total + share / (4 * total)))
    return max(0.0, middle - half), min(1.0, middle + half)


def calibration_error(confidence: NDArray[np.float32], right: NDArray[np.bool_]) -> float:
    """Mean gap of confidence and accuracy over equal bins, weighted by their samples (Guo et al. 2017)."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    hits = np.bincount(bins, right, BINS)
    trust = np.bincount(bins, confidence.astype(np.float64), BINS)
    return float(np.abs(hits - trust).sum() / len(confidence))


def _one_class(confusion: NDArray[np.int64], index: int) -> ClassMetrics:
    hit, support, answered = (int(confusion[index, index]), int(confusion[index].sum()), int(confusion[:, index].sum()))
    return ClassMetrics(
        support=support,
        precision=hit / answered if answered else None,
        recall=hit / support if support else None,
        f1=2 * hit / (support + answered) if support + answered else None,
    )
