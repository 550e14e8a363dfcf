"""Evaluate a model of several classes per sample on a labelled set. NumPy only."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tasktypes.bootstrap import CONFIDENCE, DRAWS, Kinds, class_intervals, ends
from tasktypes.model_parts import Calibration, Floats, LabelUnfit, Metrics
from tasktypes.multilabel.figures import FIGURES, average_precisions, gaps
from tasktypes.multilabel.predictions import SetPredictions
from tasktypes.multilabel.thresholds import Thresholds, fit_thresholds
from tasktypes.outcomes import NOTHING, Outcomes
from tasktypes.predictions import Predictions


class MultilabelMetrics(Metrics):
    """The metrics of multilabel; the headline is mean average precision, which needs no threshold.

    `map` is the mean average precision of the classes that samples have, `micro_f1` that of all decisions together,
    `macro_f1` the mean over those classes, `exact_match` the share of samples whose classes are all predicted rightly.
    """

    headline = "map"
    right_share = "exact_match"
    whole = ("map", "micro_f1", "macro_f1", "exact_match", "ece", "loss")
    of_class = ("ap", "precision", "recall", "f1")
    predictions_type: ClassVar[type[Predictions]] = SetPredictions

    @property
    def headline_words(self) -> str:
        """Mean average precision, as it is usually written."""
        return "mAP"

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        classes: Sequence[str],
        sizes: Sequence[tuple[int, int] | None] = (),  # noqa: ARG002 - a class has no place in the image
    ) -> NDArray[np.float32]:
        """Return (N, K): 1 for the classes of each sample."""
        index = {name: number for number, name in enumerate(classes)}
        found = np.zeros((len(labels), len(classes)), np.float32)
        for row, label in enumerate(labels):
            named = (label or {}).get("classes")
            if named is None:
                raise LabelUnfit(row, "has no label with classes")
            for name in named:
                if name not in index:
                    raise LabelUnfit(row, f"has the unknown class {name!r}; the classes are {', '.join(classes)}")
                found[row, index[name]] = 1
        return found

    def strata(self, targets: NDArray[Any]) -> list[NDArray[np.intp]]:
        """Return the samples of each class (a sample of several classes is in each of them), and those of none."""
        columns = [*(targets > 0).T, ~(targets > 0).any(axis=1)]
        return [rows for rows in (np.flatnonzero(column) for column in columns) if len(rows)]

    def judged(
        self, probabilities: Floats, targets: NDArray[Any], calibration: Calibration | None = None
    ) -> SetPredictions:
        """Return the predictions by the thresholds of the calibration."""
        bars = calibration.bars if isinstance(calibration, Thresholds) else None
        return SetPredictions.of(probabilities, targets, bars)

    def calibrate(self, logits: Floats, targets: NDArray[Any]) -> Thresholds:
        """See `fit_thresholds`."""
        return fit_thresholds(logits, targets)

    def calibrated(self, predictions: Any, logits: Floats, calibration: Any, classes: Sequence[str]) -> dict[str, Any]:
        """Return the calibration errors before and after, and the thresholds by class."""
        after = 1 / (1 + np.exp(-logits.astype(np.float64) / calibration.temperature))
        tempered = SetPredictions.of(after.astype(np.float32), predictions.label)
        before, now = (float(np.abs(gaps(side).sum(axis=0)).sum() / len(side)) for side in (predictions, tempered))
        return {
            "temperature": calibration.temperature,
            "samples": calibration.samples,
            "ece_before": before,
            "ece_after": now,
            "thresholds": calibration.by_class(classes),
            **calibration.document(),
        }

    def summary(self, predictions: Any, classes: Sequence[str]) -> dict[str, Any]:
        """Return all figures, and the mean number of true and of predicted classes per sample."""
        return {
            "samples": len(predictions),
            **{name: self.figure(name, predictions) for name in self.whole},
            "classes_a_sample": float(predictions.label.sum(axis=1).mean()),
            "named_a_sample": float(predictions.said.sum(axis=1).mean()),
            "per_class": {
                name: {"support": self.support(predictions, index)}
                | {metric: self.figure(metric, predictions, index) for metric in self.of_class}
                for index, name in enumerate(classes)
            },
        }

    def class_intervals(self, predictions: Any, classes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the intervals of average precision, precision, recall and F1 by class."""
        kinds = self.kinds("map", [predictions])
        all_of_it = Kinds(kinds.counts, 1, lambda drawn, _: average_precisions(predictions, drawn))
        areas = all_of_it.drawn(DRAWS)[0]
        label, said = predictions.label, predictions.said
        counts = [(label & said).sum(axis=0), label.sum(axis=0), said.sum(axis=0)]
        return {
            name: {"ap": ends(areas[:, index], CONFIDENCE)}
            | class_intervals(*(int(column[index]) for column in counts), total=len(predictions))
            for index, name in enumerate(classes)
        }

    def kinds(self, metric: str, sides: Sequence[Any], index: int | None = None) -> Kinds:
        """See `figures.FIGURES`."""
        return FIGURES[metric](sides, index)

    def support(self, predictions: Any, index: int) -> int:
        """Count the samples that have the class."""
        return int(predictions.label[:, index].sum())

    def told(self, predictions: Any, row: int, classes: Sequence[str]) -> dict[str, Any]:
        """Describe a sample by class names joined by plus signs, and the probability of the decision that is furthest
        off."""
        label, probabilities = predictions.label[row], predictions.probabilities[row]
        likelihood = np.where(label, probabilities, 1 - probabilities)
        furthest = int(likelihood.argmin())
        named = (" + ".join(np.array(classes)[mask]) or "none" for mask in (label, predictions.said[row]))
        true, said = named
        return {"label": true, "predicted": said, "confidence": float(1 - likelihood[furthest])}

    def outcomes(self, predictions: Any, threshold: float | None = None) -> Outcomes:
        """Return one outcome for each class that a sample has or is predicted to have, at the thresholds of the classes
        or one for all."""
        label, probabilities = predictions.label, predictions.probabilities
        said = predictions.said if threshold is None else probabilities >= np.float32(threshold)
        sample, index = np.nonzero(label | said)
        has, named = label[sample, index], said[sample, index]
        nowhere = np.full(len(sample), NOTHING, np.int64)
        return Outcomes(
            sample=sample,
            label=np.where(has, index, NOTHING).astype(np.int64),
            predicted=np.where(named, index, NOTHING).astype(np.int64),
            right=has & named,
            score=probabilities[sample, index],
            said=nowhere,
            truth=nowhere,
        )
