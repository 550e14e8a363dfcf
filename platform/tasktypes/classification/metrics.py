"""Evaluate a classifier on a labelled set. NumPy only: the shipped ONNX file is evaluated by the same code."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tasktypes.bootstrap import Kinds, class_intervals
from tasktypes.calibration import Temperature, confidences, fit_temperature
from tasktypes.classification.figures import FIGURES
from tasktypes.classification.predictions import TOP, ClassPredictions
from tasktypes.model_parts import Calibration, Floats, LabelUnfit, Metrics
from tasktypes.outcomes import NOTHING, Outcomes
from tasktypes.predictions import EvaluationError, Predictions
from tasktypes.rates import calibration_error, wilson

MATRIX_CLASSES = 200
"""With more classes the confusion matrix is left out: its pairs are enough, and it would be most of the document."""
PAIRS = 50


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """One class: how many samples have it, and how well it is found. None where no sample has the class or none was
    predicted to have it."""

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
    """Mean F1 of the classes that samples have; a sample predicted as another class counts as missed by its own."""
    loss: float
    """Mean negative log-likelihood."""
    ece: float
    """Expected calibration error over 15 equal bins of confidence."""
    per_class: dict[str, ClassMetrics]
    confusion: list[list[int]] | None
    """confusion[true][predicted], in the order of the classes; None with more than 200 of them."""
    confused: list[tuple[str, str, int]]
    """The classes most often taken for another: (true, predicted, samples), at most 50 pairs."""


def evaluate(probabilities: NDArray[np.float32], labels: NDArray[np.int64], classes: Sequence[str]) -> Evaluation:
    """Judge probabilities (N, K) against labels (N,), which index `classes`. Raises EvaluationError."""
    if probabilities.shape != (len(labels), len(classes)):
        raise EvaluationError(f"{len(labels)} labels and probabilities of shape {probabilities.shape} do not fit")
    return summed_up(ClassPredictions.of(probabilities, labels), classes)


def summed_up(predictions: ClassPredictions, classes: Sequence[str]) -> Evaluation:
    """Compute the figures of predictions, of which there must be at least one."""
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
        confusion=matrix(predictions, count).tolist() if count <= MATRIX_CLASSES else None,
        confused=_pairs(predictions, classes),
    )


def class_counts(
    predictions: ClassPredictions, classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count per class (K,): samples predicted rightly, samples that have it, samples predicted to have it."""
    hits = np.bincount(predictions.label[predictions.right], minlength=classes)
    return (
        hits,
        np.bincount(predictions.label, minlength=classes),
        np.bincount(predictions.predicted, minlength=classes),
    )


def _one_class(hit: int, support: int, answered: int) -> ClassMetrics:
    return ClassMetrics(
        support=support,
        precision=hit / answered if answered else None,
        recall=hit / support if support else None,
        f1=2 * hit / (support + answered) if support + answered else None,
    )


def matrix(predictions: ClassPredictions, classes: int) -> NDArray[np.int64]:
    """Count samples (K, K) by [true][predicted]."""
    cells = predictions.label.astype(np.int64) * classes + predictions.predicted
    return np.bincount(cells, minlength=classes**2).reshape(classes, classes).astype(np.int64)


def _pairs(predictions: ClassPredictions, classes: Sequence[str]) -> list[tuple[str, str, int]]:
    wrong = predictions.rows(~predictions.right)
    cells, counts = np.unique(wrong.label.astype(np.int64) * len(classes) + wrong.predicted, return_counts=True)
    most = np.argsort(-counts, kind="stable")[:PAIRS]
    return [(classes[cell // len(classes)], classes[cell % len(classes)], int(n)) for cell, n in
            zip(cells[most].tolist(), counts[most], strict=True)]  # fmt: skip


class ClassificationMetrics(Metrics):
    """The metrics of classification; the headline is accuracy."""

    headline = "accuracy"
    right_share = "accuracy"
    whole = ("accuracy", "top5", "macro_f1", "ece", "loss")
    of_class = ("precision", "recall", "f1")
    predictions_type: ClassVar[type[Predictions]] = ClassPredictions
    has_confusion = True

    def bounds(self, document: Mapping[str, Any]) -> tuple[float, float]:
        """Return the Wilson interval of the headline if the document has it."""
        low, high = document.get("accuracy_low"), document.get("accuracy_high")
        return (low, high) if low is not None and high is not None else super().bounds(document)

    def known(self, classes: int) -> tuple[str, ...]:
        """Return all figures, without top-5 if there are five classes or fewer."""
        return tuple(name for name in self.whole if name != "top5" or classes > TOP)

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        classes: Sequence[str],
        sizes: Sequence[tuple[int, int] | None] = (),  # noqa: ARG002 - a class has no place in the image
    ) -> NDArray[np.int64]:
        """Return the index of each sample's class (N,)."""
        index = {name: number for number, name in enumerate(classes)}
        found = np.empty(len(labels), np.int64)
        for row, label in enumerate(labels):
            name = (label or {}).get("class")
            if name is None:
                raise LabelUnfit(row, "has no label with a class")
            if name not in index:
                raise LabelUnfit(row, f"has the unknown class {name!r}; the classes are {', '.join(classes)}")
            found[row] = index[name]
        return found

    def strata(self, targets: NDArray[Any]) -> list[NDArray[np.intp]]:
        """Return the samples of each class."""
        by_class = np.argsort(targets, kind="stable")
        _, first = np.unique(targets[by_class], return_index=True)
        return np.split(by_class, first[1:])

    def judged(
        self,
        probabilities: Floats,
        targets: NDArray[Any],
        calibration: Calibration | None = None,  # noqa: ARG002 - the likeliest class stays so at any temperature
    ) -> ClassPredictions:
        """See `ClassPredictions.of`."""
        return ClassPredictions.of(probabilities, targets)

    def calibrate(self, logits: Floats, targets: NDArray[Any]) -> Temperature:
        """Fit temperature scaling."""
        return fit_temperature(logits, targets)

    def calibrated(
        self,
        predictions: Any,
        logits: Floats,
        calibration: Any,
        classes: Sequence[str],  # noqa: ARG002
    ) -> dict[str, Any]:
        """Return the expected calibration errors before and after."""
        after = confidences(logits, calibration.temperature)
        return {
            "temperature": calibration.temperature,
            "samples": calibration.samples,
            "ece_before": calibration_error(predictions.confidence, predictions.right),
            "ece_after": calibration_error(after, predictions.right),
            **calibration.document(),
        }

    def summary(self, predictions: Any, classes: Sequence[str]) -> dict[str, Any]:
        """Return the fields of `Evaluation`."""
        return asdict(summed_up(predictions, classes))

    def class_intervals(self, predictions: Any, classes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the intervals of precision, recall and F1 by class."""
        columns = (counts.tolist() for counts in class_counts(predictions, len(classes)))
        return {
            name: class_intervals(hit, has, said, total=len(predictions))
            for name, hit, has, said in zip(classes, *columns, strict=True)
        }

    def kinds(self, metric: str, sides: Sequence[Any], index: int | None = None) -> Kinds:
        """See `figures.FIGURES`."""
        return FIGURES[metric](sides, index)

    def exact(self, metric: str, predictions: Any) -> float | None:
        """Return the exact calibration error too, because the bootstrap brings it into cells."""
        if metric == "ece":
            return calibration_error(predictions.confidence, predictions.right)
        return super().exact(metric, predictions)

    def support(self, predictions: Any, index: int) -> int:
        """Count the samples of a class."""
        return int((predictions.label == index).sum())

    def told(self, predictions: Any, row: int, classes: Sequence[str]) -> dict[str, Any]:
        """Describe a sample by the names of its true and its predicted class."""
        return {
            "label": classes[predictions.label[row]],
            "predicted": classes[predictions.predicted[row]],
            "confidence": float(predictions.confidence[row]),
        }

    def outcomes(self, predictions: Any, threshold: float | None = None) -> Outcomes:
        """Return one outcome for each sample; with a threshold, less confident predictions count as no answer."""
        nowhere = np.full(len(predictions), NOTHING, np.int64)
        sure = predictions.confidence >= np.float32(0 if threshold is None else threshold)
        return Outcomes(
            sample=np.arange(len(predictions)),
            label=predictions.label.astype(np.int64),
            predicted=np.where(sure, predictions.predicted, NOTHING).astype(np.int64),
            right=predictions.right & sure,
            score=predictions.confidence,
            said=nowhere,
            truth=nowhere,
        )

    def confusion(self, predictions: Any, classes: int) -> NDArray[np.int64]:
        """See `matrix`."""
        return matrix(predictions, classes)
