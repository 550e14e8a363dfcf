"""Evaluate a detector on a labelled set: COCO's figures, and counts at thresholds. Imports only NumPy."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from formats.polygons import bounds_of
from tasktypes.bootstrap import CONFIDENCE, DRAWS, SHARES, Kinds, ends
from tasktypes.detection.average_precision import curve, rankings
from tasktypes.detection.confusion import matrix, outcomes, places
from tasktypes.detection.figures import FIGURES, class_areas
from tasktypes.detection.predictions import BoxPredictions
from tasktypes.detection.targets import CLASS, COLUMNS, EVERY_CLASS, KIND, OBJECT, REGION, SIZE, moved
from tasktypes.detection.thresholds import BoxThresholds, fit_box_thresholds
from tasktypes.detection.worst import told
from tasktypes.model_parts import Calibration, Floats, LabelUnfit, Metrics
from tasktypes.outcomes import Outcomes
from tasktypes.predictions import EvaluationError, Predictions
from tasktypes.rates import calibration_error

MATRIX_CLASSES, PAIRS, CURVE_CLASSES = 200, 50, 50
"""With more classes the matrix, or the curves, are left out of the document: they would be most of it."""
COUNTED = (*SHARES, "recall_at_p90")
"""Figures of all classes and of each class, beside average precision."""
DIGITS = 4
"""Decimal digits of the precisions of a curve."""


class DetectionMetrics(Metrics):
    """The metrics of detection; the headline is COCO's mean average precision, which needs no threshold.

    `map` is its mean over IoU .5 to .95 and the classes that have objects, `map50` and `map75` those at one IoU, and
    `map_small`, `map_medium`, `map_large` those of objects up to 32², up to 96², and above, in pixels of the upright
    image. `precision`, `recall` and `f1` count detections at the thresholds of their classes, at IoU .5, of all classes
    together, and `recall_at_p90` is the highest recall of a class at IoU .5 at which nine of ten detections are right,
    the mean of the classes. `exact_match` is the share of images in which every object and nothing else is found at
    these thresholds.
    """

    headline = "map"
    right_share = "exact_match"
    whole = ("map", "map50", "map75", "map_small", "map_medium", "map_large", *COUNTED, "exact_match", "loss")
    of_class = ("ap", "ap50", *COUNTED)
    predictions_type: ClassVar[type[Predictions]] = BoxPredictions
    targets_have_places = True
    has_confusion = True
    background = True

    @property
    def headline_words(self) -> str:
        """Mean average precision, as it is usually written."""
        return "mAP"

    def targets(
        self,
        labels: Sequence[Mapping[str, Any] | None],
        classes: Sequence[str],
        sizes: Sequence[tuple[int, int] | None] = (),
    ) -> NDArray[np.float32]:
        """Return targets (N, G, 8) as for `BoxPredictions.of`; a polygon becomes the box around it."""
        index = {name: number for number, name in enumerate(classes)}
        rows = [_rows(row, label, index) for row, label in enumerate(labels)]
        found = np.zeros((len(rows), max([1, *map(len, rows)]), COLUMNS), np.float32)
        for row, objects in enumerate(rows):
            size = sizes[row] if row < len(sizes) else None
            if size is None or min(size) < 1:
                raise LabelUnfit(row, "has no known size in pixels: boxes are judged as parts of their image")
            found[row, :, SIZE] = size
            if objects:
                found[row, : len(objects), :6] = objects
                found[row, : len(objects), :4] = np.array(objects)[:, :4] / np.tile(np.array(size, np.float64), 2)
        return found

    def moved(self, targets: NDArray[Any], scale: NDArray[np.float64], offset: NDArray[np.float64]) -> NDArray[Any]:
        """See `targets.moved`."""
        return moved(targets, scale, offset)

    def objects(self, targets: NDArray[Any]) -> NDArray[np.int64]:
        """Count the objects of each label, without regions to ignore."""
        return np.asarray((targets[..., KIND] == OBJECT).sum(axis=1), np.int64)

    def strata(self, targets: NDArray[Any]) -> list[NDArray[np.intp]]:
        """Return the images of each class (an image of several classes is in each of them), and those without
        objects."""
        objects = targets[..., KIND] == OBJECT
        columns = [
            (objects & (targets[..., CLASS] == name)).any(axis=1) for name in np.unique(targets[..., CLASS][objects])
        ]
        return [np.flatnonzero(column) for column in (*columns, ~objects.any(axis=1)) if column.any()]

    def judged(
        self, probabilities: Floats, targets: NDArray[Any], calibration: Calibration | None = None
    ) -> BoxPredictions:
        """Return the predictions of answers (N, M, 6), by the thresholds of the calibration."""
        bars = calibration.bars if isinstance(calibration, BoxThresholds) else None
        return BoxPredictions.of(probabilities, targets, bars)

    def calibrate(self, logits: Floats, targets: NDArray[Any]) -> BoxThresholds:
        """Fit the thresholds on answers; see `fit_box_thresholds`."""
        return fit_box_thresholds(logits, targets)

    def calibrated(
        self,
        predictions: Any,
        logits: Floats,  # noqa: ARG002 - scores stay as they are
        calibration: Any,
        classes: Sequence[str],
    ) -> dict[str, Any]:
        """Return the thresholds by class. The calibration error, of scores against being an object at IoU .5, is
        unchanged."""
        counts = predictions.counts
        error = calibration_error(predictions.score[counts], predictions.at("matched")[counts]) if counts.any() else 0.0
        return {
            "temperature": calibration.temperature,
            "samples": calibration.samples,
            "ece_before": error,
            "ece_after": error,
            "thresholds": calibration.by_class(classes),
            **calibration.document(),
        }

    def document(
        self, predictions: Any, classes: Sequence[str], *, left_out: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the document as for every task type. Raises EvaluationError also if no image holds an object, because
        average precision is then undefined."""
        if len(predictions) and not predictions.objects.any():
            words = f"none of the {len(predictions)} evaluated images holds an object"
            raise EvaluationError(f"{words}: label some of the test split with boxes")
        return super().document(predictions, classes, left_out=left_out)

    def summary(self, predictions: Any, classes: Sequence[str]) -> dict[str, Any]:
        """Return all figures, the confusion matrix with the background last, the classes most often taken for another,
        and the precision-recall curves."""
        count = len(classes)
        once = np.ones((1, len(predictions)), np.int64)
        areas = zip(*(column[0].tolist() for column in class_areas(predictions, count, once)), strict=True)
        confused = matrix(predictions, count)
        document = {
            "samples": len(predictions),
            "objects": int(predictions.objects.sum()),
            **{name: self.figure(name, predictions) for name in self.whole},
            "per_class": {
                name: {
                    "support": self.support(predictions, index),
                    "ap": None if np.isnan(ap) else ap,
                    "ap50": None if np.isnan(ap50) else ap50,
                    **{metric: self.figure(metric, predictions, index) for metric in COUNTED},
                    "threshold": predictions.threshold(index),
                }
                for index, (name, (ap, ap50)) in enumerate(zip(classes, areas, strict=True))
            },
            "confusion": confused.tolist() if count <= MATRIX_CLASSES else None,
            "confused": _pairs(confused[:count, :count], classes),
        }
        return document | ({"curves": self.curves(predictions, classes)} if count <= CURVE_CLASSES else {})

    def curves(self, predictions: BoxPredictions, classes: Sequence[str]) -> dict[str, dict[str, list[float]] | None]:
        """Return by class the precision and the score at each recall 0, 0.01, .., 1, at IoU .5 (101 numbers each); None
        for a class without objects. Where a recall is not reached both are 0. Scores are written so that, read as
        float32, they equal those of the detections: used as thresholds, they include these."""
        found = [curve(one) for one in rankings(predictions, range(len(classes)))]
        return {name: _points(one) for name, one in zip(classes, found, strict=True)}

    def class_intervals(self, predictions: Any, classes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the intervals of average precisions, all from the same draws, and of precision, recall and F1."""
        both = Kinds(
            np.ones(len(predictions), np.int64), 1,
            lambda drawn, _: np.stack(class_areas(predictions, len(classes), drawn), axis=2),
        )  # fmt: skip
        areas = both.drawn(DRAWS)[0]
        return {
            name: {"ap": ends(areas[:, index, 0], CONFIDENCE), "ap50": ends(areas[:, index, 1], CONFIDENCE)}
            | {metric: self.interval(metric, predictions, index) for metric in COUNTED}
            for index, name in enumerate(classes)
        }

    def kinds(self, metric: str, sides: Sequence[Any], index: int | None = None) -> Kinds:
        """See `figures.FIGURES`."""
        return FIGURES[metric](sides, index)

    def support(self, predictions: Any, index: int) -> int:
        """Count the objects of a class."""
        return int((predictions.objects & (predictions.truth_class == index)).sum())

    def told(self, predictions: Any, row: int, classes: Sequence[str]) -> dict[str, Any]:
        """See `worst.told`."""
        return told(predictions, row, classes)

    def confusion(self, predictions: Any, classes: int) -> NDArray[np.int64]:
        """Count objects (K + 1, K + 1); see `confusion.matrix`."""
        return matrix(predictions, classes)

    def outcomes(self, predictions: Any, threshold: float | None = None) -> Outcomes:
        """Return objects and detections as outcomes; see `confusion.outcomes`."""
        return outcomes(predictions, threshold)

    def places(self, predictions: Any, listed: Outcomes, threshold: float | None = None) -> list[dict[str, Any]]:
        """See `confusion.places`."""
        return places(predictions, listed, threshold)


def _rows(row: int, label: Mapping[str, Any] | None, index: Mapping[str, int]) -> list[list[float]]:
    """Return corners in pixels, class and kind of each object and region."""
    if not label or not ("boxes" in label or "polygons" in label):
        raise LabelUnfit(row, "has no label with boxes")
    shapes = [(one["class"], one["box"]) for one in label.get("boxes", ())]
    shapes += [(one["class"], bounds_of(one)) for one in label.get("polygons", ())]
    for name, _ in shapes:
        if name not in index:
            raise LabelUnfit(row, f"has the unknown class {name!r}; the classes are {', '.join(index)}")
    regions = [(index.get(one.get("class"), EVERY_CLASS), one["box"]) for one in label.get("ignore", ())]
    return [
        *([*corners, index[name], OBJECT] for name, corners in shapes),
        *([*corners, name, REGION] for name, corners in regions),
    ]


def _points(curve: tuple[NDArray[np.float64], NDArray[np.float64]] | None) -> dict[str, list[float]] | None:
    if curve is None:
        return None
    precision, score = curve
    scores = [float(str(one)) for one in score.astype(np.float32)]
    return {"precision": np.round(precision, DIGITS).tolist(), "score": scores}


def _pairs(counts: NDArray[np.int64], classes: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return (true, predicted, objects) of the classes most often taken for another, at most 50."""
    wrong = np.where(np.eye(len(counts), dtype=np.bool_), 0, counts).ravel()
    most = [int(at) for at in np.argsort(-wrong, kind="stable")[:PAIRS] if wrong[at]]
    return [(classes[at // len(classes)], classes[at % len(classes)], int(wrong[at])) for at in most]
