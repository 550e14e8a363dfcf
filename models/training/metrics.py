"""What a classifier is worth on a labelled set. NumPy only: the shipped ONNX file is judged by the same code."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.predictions import TOP, EvaluationError, Predictions

__all__ = ["ClassMetrics", "Evaluation", "EvaluationError", "calibration_error", "evaluate", "summed_up", "wilson"]

Z95 = 1.959963984540054
BINS = 15
MATRIX_CLASSES = 200
"""With more classes the confusion matrix is left out: its pairs are enough, and it would be most of the document."""
PAIRS = 50


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
    top5: float | None
    """Share of samples whose class is among the five most probable; None with five classes or fewer."""
    macro_f1: float
    """Mean F1 of the classes that samples have; what was wrongly taken for another class is missed by its own."""
    loss: float
    """Mean negative log-likelihood."""
    ece: float
    """Expected calibration error over 15 equal bins of confidence."""
    per_class: dict[str, ClassMetrics]
    confusion: list[list[int]] | None
    """confusion[true][predicted], in the order of the classes; None with more than 200 of them."""
    confused: list[tuple[str, str, int]]
    """The classes most often taken for another: (true, predicted, samples), at most 50 pairs."""


def evaluate(probabilities: NDArray[np.float32], labels: NDArray[np.int64], classes: list[str]) -> Evaluation:
    """Judge probabilities (N, K) against labels (N,), which index `classes`. Raises EvaluationError."""
    if probabilities.shape != (len(labels), len(classes)):
        raise EvaluationError(f"{len(labels)} labels and probabilities of shape {probabilities.shape} do not fit")
    return summed_up(Predictions.of(probabilities, labels), classes)


def summed_up(predictions: Predictions, classes: list[str]) -> Evaluation:
    """The figures of predictions, of which there must be one."""
    total, count = len(predictions), len(classes)
    right = int(predictions.right.sum())
    low, high = wilson(right, total)
    hits, support, answered = class_counts(predictions, count)
    asked = support > 0
    return Evaluation(
        samples=total,
        accuracy=right / total,
        accuracy_low=low,
        accuracy_high=high,
        top5=float(predictions.top5.mean()) if count > TOP else None,
        macro_f1=float((2 * hits[asked] / (support + answered)[asked]).mean()),
        loss=float(predictions.losses.mean()),
        ece=calibration_error(predictions.confidence, predictions.right),
        per_class={
            name: _one_class(int(hits[index]), int(support[index]), int(answered[index]))
            for index, name in enumerate(classes)
        },
        confusion=_matrix(predictions, count) if count <= MATRIX_CLASSES else None,
        confused=_pairs(predictions, classes),
    )


def class_counts(
    predictions: Predictions, classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Per class (K,): samples told right, samples that have it, samples that were said to have it."""
    hits = np.bincount(predictions.label[predictions.right], minlength=classes)
    return (
        hits,
        np.bincount(predictions.label, minlength=classes),
        np.bincount(predictions.predicted, minlength=classes),
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


def _one_class(hit: int, support: int, answered: int) -> ClassMetrics:
    return ClassMetrics(
        support=support,
        precision=hit / answered if answered else None,
        recall=hit / support if support else None,
        f1=2 * hit / (support + answered) if support + answered else None,
    )


def _matrix(predictions: Predictions, classes: int) -> list[list[int]]:
    cells = predictions.label.astype(np.int64) * classes + predictions.predicted
    matrix: list[list[int]] = np.bincount(cells, minlength=classes**2).reshape(classes, classes).tolist()
    return matrix


def _pairs(predictions: Predictions, classes: list[str]) -> list[tuple[str, str, int]]:
    wrong = predictions.rows(~predictions.right)
    cells, counts = np.unique(wrong.label.astype(np.int64) * len(classes) + wrong.predicted, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:PAIRS]
    return [(classes[cell // len(classes)], classes[cell % len(classes)], int(n)) for cell, n in
            zip(cells[most].tolist(), counts[most], strict=True)]  # fmt: skip
