"""The interface of a task type that models can learn: targets from labels, evaluation of answers, the outputs of an
ONNX file, the inputs of mining and, if torch is installed, the loss.

All but `Learning` need only NumPy, so that the web process can use them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from tasktypes.bootstrap import CONFIDENCE, DRAWS, Difference, Interval, Kinds, ends, means
from tasktypes.outcomes import Outcomes
from tasktypes.predictions import EvaluationError, Predictions

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from tasktypes.mixed import Mix

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Form = Literal["classes", "boxes"]
CLASSES: Final = "classes"
BOXES: Final = "boxes"
"""The form of a model's output for an image: a number for each class, or boxes."""
NO_SAMPLES = "no evaluated sample is in it"
COLDEST = 0.2
"""The lowest temperature that probabilities are scaled by, as they rank samples: single precision holds probabilities
down to 1e-45, and their power of 1 / 0.2 is still a number in double precision."""
LEAST_SHARE = 1e-6
"""The smallest p and 1 - p used when the odds of a probability are computed."""


class LabelUnfit(ValueError):  # noqa: N818 - a verdict on a sample, named as elsewhere
    """The label of one sample can't be a target; `row` says which sample, the message why."""

    def __init__(self, row: int, message: str) -> None:
        self.row = row
        super().__init__(message)


class Calibration(ABC):
    """Parameters fitted on validation samples."""

    temperature: float
    """The divisor of logits that calibrates confidences."""
    samples: int

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the calibration as stored with an evaluation, without its effect on the test samples."""


class Metrics(ABC):
    """The evaluation of answers. Figures have the names that gates and pages use."""

    headline: ClassVar[str]
    """The main figure, which curves show, training monitors, and gates check by default; higher is better, 0..1."""
    right_share: ClassVar[str]
    """The figure that is the share of samples predicted rightly in every part."""
    whole: ClassVar[tuple[str, ...]]
    """Figures of the whole test split, or a slice of it."""
    of_class: ClassVar[tuple[str, ...]]
    """Figures of one class."""
    lower_is_better: ClassVar[frozenset[str]] = frozenset({"loss", "ece"})
    predictions_type: ClassVar[type[Predictions]]
    targets_have_places: ClassVar[bool] = False
    """Whether targets contain places in the image, which move with it."""
    has_confusion: ClassVar[bool] = False
    """Whether there is a confusion matrix: each outcome has at most one true class and one predicted class."""
    background: ClassVar[bool] = False
    """Whether the last row and column of the confusion matrix are the background: detections that are no object, or
    objects not found."""

    @abstractmethod
    def targets(
        self, labels: Sequence[Mapping[str, Any] | None], classes: Sequence[str],
        sizes: Sequence[tuple[int, int] | None] = (),
    ) -> NDArray[Any]:  # fmt: skip
        """Convert labels to numbers, one row per sample. `sizes` are the width and height of the upright images in
        pixels, row by row: () where none is known. Raises LabelUnfit for a label that is absent or names an unknown
        class, and, where the task type needs them, for an image without a size."""

    def moved(
        self,
        targets: NDArray[Any],
        scale: NDArray[np.float64],  # noqa: ARG002 - most targets have no place
        offset: NDArray[np.float64],  # noqa: ARG002 - as above
    ) -> NDArray[Any]:
        """Transform targets (B, ..) of images that were moved: x and y, as fractions, move to `scale` (B, 2) x old +
        `offset`."""
        return targets

    @property
    def headline_words(self) -> str:
        """The headline's name, for use in a sentence."""
        return self.headline.replace("_", " ")

    def objects(self, targets: NDArray[Any]) -> NDArray[np.int64] | None:  # noqa: ARG002 - most labels are one answer
        """Count (N,) the objects that a person draws for each of these labels; None for labels given in one answer."""
        return None

    @abstractmethod
    def strata(self, targets: NDArray[Any]) -> list[NDArray[np.intp]]:
        """Return the rows of each class that occurs: equally many are drawn from each when classes are balanced."""

    @abstractmethod
    def judged(
        self, probabilities: Floats, targets: NDArray[Any], calibration: Calibration | None = None
    ) -> Predictions:
        """Return the predictions of probabilities (N, K), N >= 1. Raises EvaluationError if they do not fit or are no
        numbers."""

    @abstractmethod
    def calibrate(self, logits: Floats, targets: NDArray[Any]) -> Calibration:
        """Fit a calibration on logits (N, K) of samples not used for evaluation, N >= 1. Raises EvaluationError."""

    @abstractmethod
    def calibrated(
        self, predictions: Predictions, logits: Floats, calibration: Calibration, classes: Sequence[str]
    ) -> dict[str, Any]:
        """Return the effect of a calibration on test samples (N, K), as it is stored: `temperature`, `samples`,
        `ece_before`, `ece_after`, and what the task type adds."""

    @abstractmethod
    def summary(self, predictions: Predictions, classes: Sequence[str]) -> dict[str, Any]:
        """Return all figures as a document, with `samples` and `per_class`, without intervals."""

    @abstractmethod
    def class_intervals(self, predictions: Predictions, classes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return by class the interval of each of its figures."""

    @abstractmethod
    def kinds(self, metric: str, sides: Sequence[Any], index: int | None = None) -> Kinds:
        """Group the samples by kind, for the bootstrap of a figure over models that saw the same samples."""

    @abstractmethod
    def support(self, predictions: Predictions, index: int) -> int:
        """Count the samples that have a class."""

    @abstractmethod
    def told(self, predictions: Any, row: int, classes: Sequence[str]) -> dict[str, Any]:
        """Describe one sample for the list of the worst predictions: `label`, `predicted`, `confidence`."""

    def confusion(self, predictions: Any, classes: int) -> NDArray[np.int64] | None:  # noqa: ARG002 - see the docstring
        """Count samples (K, K) by [true][predicted] class, or objects (K + 1, K + 1) with a `background`; None for a
        task type whose samples have several classes."""
        return None

    def outcomes(self, predictions: Any, threshold: float | None = None) -> Outcomes | None:  # noqa: ARG002 - as above
        """List what was right and wrong, as the figures count it or, with a `threshold` (0..1), as they would with that
        one for all classes. None for a task type that has no outcomes."""
        return None

    def places(
        self, predictions: Any, listed: Outcomes, threshold: float | None = None  # noqa: ARG002 - as above
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Return the place of each outcome in its image; empty dicts for labels without places. `threshold` is that of
        the outcomes."""
        return [{} for _ in range(len(listed))]

    def bounds(self, document: Mapping[str, Any]) -> tuple[float, float]:
        """Return the interval of the headline in a stored document; its value twice if it has none."""
        value = document[self.headline]
        low, high = (document.get("intervals") or {}).get(self.headline) or (value, value)
        return low, high

    def known(self, classes: int) -> tuple[str, ...]:  # noqa: ARG002 - a task type may have figures of many classes
        """Return the figures of `whole` that exist with this number of classes."""
        return self.whole

    def reach(self, metric: str) -> tuple[float, float]:
        """Return the range of a figure: 0 to 1, but for the loss."""
        return (0.0, inf) if metric == "loss" else (0.0, 1.0)

    def exact(self, metric: str, predictions: Any) -> float | None:
        """Return the exact value of a figure whose kinds only approximate it, such as the loss, which the bootstrap
        brings into cells; None if the kinds are exact."""
        return float(predictions.losses.mean()) if metric == "loss" else None

    def paired(self, metric: str, new: Any, base: Any) -> Kinds | None:
        """Return the kinds of a figure's difference if it is the mean of the samples' differences; else None."""
        return means([new.losses - base.losses]) if metric == "loss" else None

    def figure(self, metric: str, predictions: Predictions, index: int | None = None) -> float | None:
        """Return a figure (of class `index`, for those of a class); None where it is undefined."""
        found = self.exact(metric, predictions)
        if found is None:
            kinds = self.kinds(metric, [predictions], index)
            found = float(kinds.statistic(kinds.counts[None], 0)[0])
        return None if np.isnan(found) else found

    def interval(
        self, metric: str, predictions: Predictions, index: int | None = None, *, confidence: float = CONFIDENCE,
        draws: int = DRAWS,
    ) -> Interval | None:  # fmt: skip
        """Return the interval of a figure; None where it has no value."""
        return ends(self.kinds(metric, [predictions], index).drawn(draws)[0], confidence)

    def difference(
        self, metric: str, new: Predictions, base: Predictions, index: int | None = None, *,
        confidence: float = CONFIDENCE, draws: int = DRAWS,
    ) -> Difference:  # fmt: skip
        """Return a figure of two models and the interval of new - base, row by row on the same samples (see
        `common`)."""
        if not len(new):
            return Difference(0, None, None, None)
        value, old = self.figure(metric, new, index), self.figure(metric, base, index)
        if (differences := self.paired(metric, new, base)) is not None:
            drawn = differences.drawn(draws)[0]
        else:
            ours, theirs = self.kinds(metric, [new, base], index).drawn(draws)
            drawn = ours - theirs
        return Difference(len(new), value, old, ends(drawn, confidence))

    def document(
        self, predictions: Predictions, classes: Sequence[str], *, left_out: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return every figure with its interval, whole, by class and by slice.

        `left_out` maps slices that could not be looked up to the reason: the document lists them as not computed.
        Raises EvaluationError if there are no predictions.
        """
        if not len(predictions):
            raise EvaluationError("there are no predictions to judge")
        document = self.summary(predictions, classes)
        for name, intervals in self.class_intervals(predictions, classes).items():
            document["per_class"][name] |= {"intervals": intervals}
        slices = {name: self._slice(predictions.rows(held), classes) for name, held in predictions.slices.items()}
        return {
            **document,
            "intervals": self._intervals(predictions, classes),
            "bootstrap": {"draws": DRAWS, "confidence": CONFIDENCE},
            "slices": slices | {name: {"not_computed": why} for name, why in (left_out or {}).items()},
        }

    def _slice(self, members: Predictions, classes: Sequence[str]) -> dict[str, Any]:
        if not len(members):
            return {"not_computed": NO_SAMPLES}
        figures = {name: self.figure(name, members) for name in self.known(len(classes))}
        return {"samples": len(members), **figures, "intervals": self._intervals(members, classes)}

    def _intervals(self, members: Predictions, classes: Sequence[str]) -> dict[str, Any]:
        return {name: self.interval(name, members) for name in self.known(len(classes))}


class Outputs(ABC):
    """The meaning of an ONNX file's outputs: for classes `logits` and `probabilities`, each (N, K)."""

    form: ClassVar[Form] = CLASSES
    names: ClassVar[tuple[str, str, str]] = ("logits", "embedding", "probabilities")
    """Their names in the file; the first is what the network computes, the last what people and pages read."""
    meaning: ClassVar[str] = "(batch, classes): a probability each"
    """The meaning of the last output, for people who run the file."""
    operator: ClassVar[Literal["Softmax", "Sigmoid"] | None]
    """ONNX operator from logits to probabilities, over the classes; None where it takes more than one."""
    most_half_error: ClassVar[float] = 5e-3
    """Largest difference of a logit of a float16 file, as a share of the standard deviation of float32's (at least
    1)."""
    limit: ClassVar[str]
    """The model card's sentence about the limits of answers."""
    coldest: ClassVar[float] = COLDEST
    """The lowest temperature that probabilities are scaled by (see `COLDEST`)."""

    @abstractmethod
    def probabilities(self, logits: NDArray[Any]) -> Floats:
        """Return the probabilities (..., K) of logits."""

    @abstractmethod
    def tempered(self, probabilities: NDArray[Any], temperature: float) -> NDArray[np.floating[Any]]:
        """Return probabilities (..., K) as they would be at a temperature. Raises ValueError unless it is above 0.

        From `coldest` on, probabilities that differ in single precision give results that differ: a ranking by them
        does not collapse."""

    def usable(self, temperature: float) -> float:
        """Return a stored temperature, at least `coldest`: earlier releases fitted lower ones."""
        return max(temperature, self.coldest)

    def fault(self, logits: Floats) -> str | None:  # noqa: ARG002 - not every answer shows it
        """Return why these logits (N, K) can't come from probabilities, as far as that can be detected, or None."""
        return None

    def judged(self, logits: Floats, probabilities: Floats) -> Floats:  # noqa: ARG002 - boxes are judged by the others
        """Return the output by which answers are compared and calibrated: for classes the logits."""
        return logits

    @abstractmethod
    def same(self, logits: Floats, others: Floats, *, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Mark the rows (N, K) that give the same answer; decisions closer than `tolerance` may differ."""

    @abstractmethod
    def certainty(self, probabilities: Floats) -> Floats:
        """Return the certainty (N,) of the least certain decision of each row (N, K); smaller is more uncertain."""

    @abstractmethod
    def answer(
        self,
        probabilities: Sequence[Any],
        classes: Sequence[str],
        thresholds: Mapping[str, float],
        size: tuple[int, int] | None = None,
    ) -> dict[str, Any]:
        """Convert a row of probabilities to a suggestion: a label with its probabilities. `thresholds` are those of the
        calibration, if any; `size` (width, height) is that of the upright image, which boxes need (ValueError)."""

    def shares(self, probabilities: Sequence[Any], classes: Sequence[str]) -> dict[str, Any]:
        """Return what a suggestion shows beside the answer: the `probabilities` of the classes."""
        return {"probabilities": {name: round(value, 4) for name, value in zip(classes, probabilities, strict=True)}}

    def likeliest(self, probabilities: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Return the most probable class of each row (N, K) and its probability, each (N,)."""
        return probabilities.argmax(axis=1), probabilities.max(axis=1)

    def shown(
        self,
        logits: Floats,
        probabilities: Floats,
        classes: Sequence[str],
        *,
        top: int,
        temperature: float | None,
        sizes: Sequence[tuple[int, int]],  # noqa: ARG002 - boxes are told in pixels
    ) -> list[list[dict[str, Any]]]:
        """Return for each row (N, K) its `top` most probable classes with their `probability` and, with a
        `temperature`, the calibrated one (`calibrated`)."""
        after = self.probabilities(logits / temperature) if temperature else None
        places = np.argsort(-probabilities, 1, kind="stable")[:, :top].tolist()
        return [
            [
                {"class": classes[at], "probability": float(probabilities[row, at])}
                | ({} if after is None else {"calibrated": float(after[row, at])})
                for at in chosen
            ]
            for row, chosen in enumerate(places)
        ]

    def cells(
        self, logits: NDArray[Any], probabilities: Floats  # noqa: ARG002 - most answers have no place
    ) -> NDArray[np.int32] | None:  # fmt: skip
        """Count (N, M) the places of the raw maps that support each of the M objects; None for answers without
        places."""
        return None

    def mirrored(self, probabilities: Floats) -> Floats:
        """Convert answers for mirrored images (N, ..) to answers for the images themselves."""
        return probabilities

    @abstractmethod
    def chosen(self, probabilities: Floats, wanted: Sequence[int] | None) -> tuple[NDArray[np.bool_], Floats]:
        """Return which rows (N, K) answer one of the `wanted` classes (None: any), and how confidently (N,), for
        filters on predictions."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason to doubt a label."""

    kind: str
    """The possible error, in words."""
    score: float
    """How strongly the model contradicts the label, 0 to 1."""
    sure: bool
    """Whether the model is as sure of it as where labels agree with it."""
    words: str


class Mining(ABC):
    """Operations on samples' probabilities that strategies can use."""

    one_distribution: ClassVar[bool]
    """Whether each sample has one distribution over the classes, so that strategies that need its most probable class
    can be used."""
    axes: ClassVar[int] = 2
    """The number of axes of several samples' probabilities."""
    mirrors: ClassVar[bool] = True
    """Whether an image and its mirror image have the same answer (`Outputs.mirrored`), so that the two can form a
    committee."""
    places: ClassVar[bool] = False
    """Whether each term is an object in a place: it has a number of cells (`Outputs.cells`), labels say whether it is
    right (`evidence`), and it may contradict them (`doubts`)."""

    @abstractmethod
    def terms(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Convert (N, .., K) to (N, .., T, C): T distributions per sample, over C outcomes each."""

    def aligned(self, members: NDArray[Any]) -> NDArray[Any]:
        """Align the answers of members (N, C, ..) for comparison: answers to the same question are at the same
        index."""
        return members

    def evidence(
        self,
        probabilities: NDArray[Any],  # noqa: ARG002 - only objects in places are found or not
        cells: NDArray[np.int32],  # noqa: ARG002 - as above
        targets: NDArray[Any],  # noqa: ARG002 - as above
    ) -> Floats:
        """Return (J, 4) from labelled samples: class, probability and cells of each term that counts, and 1 where it is
        right; without `places` nothing."""
        return np.empty((0, 4), np.float32)

    def doubts(
        self,
        probabilities: NDArray[Any],
        targets: NDArray[Any],  # noqa: ARG002 - only objects in places can be missed or moved
        classes: Sequence[str],  # noqa: ARG002 - as above
    ) -> Iterator[Sequence[Doubt]]:
        """Return for each labelled sample the reasons to doubt its targets, the gravest first; without `places`
        none."""
        return iter([()] * len(probabilities))

    def asked(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark (N, T) the terms of samples, or of aligned members, that count; at least one per sample."""
        return np.ones((len(probabilities), probabilities.shape[-1]), np.bool_)

    def answered(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark (N,) the samples for which the model gives an answer: all, except images in which no object is asked
        about."""
        return np.ones(len(probabilities), np.bool_)

    def term_classes(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """Return (N, T) the class of each term of samples, or of aligned members."""
        width = probabilities.shape[-1]
        return np.broadcast_to(np.arange(width), (len(probabilities), width))

    def regions(self, probabilities: NDArray[Any]) -> Floats:
        """Return (N, T, 4) the region of each term in its image: x1, y1, x2, y2 as fractions of width and height.
        Raises ValueError without `places`."""
        raise ValueError(f"answers of shape {probabilities.shape} have no places")

    def outside(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """Mark (N,) the rows of (N, ..) that hold a number outside 0..1."""
        flat = probabilities.reshape(len(probabilities), -1)
        return np.asarray(((flat < 0) | (flat > 1)).any(axis=1), np.bool_)


class Learning(ABC):
    """The training of a network for the task type. Torch."""

    @abstractmethod
    def objective(
        self, targets: NDArray[Any], *, classes: int, smoothing: float, balanced: bool, device: "torch.device"
    ) -> "Objective":
        """Return the loss over a training set with these targets; `balanced`: rare classes count as much as common
        ones."""

    @abstractmethod
    def activated(self, logits: "Tensor") -> "Tensor":
        """Return probabilities (N, K) of logits, as the graph computes them."""

    @abstractmethod
    def score(self, logits: "Tensor", targets: NDArray[Any]) -> tuple[float, float]:
        """Return the headline and the mean loss of logits (N, K)."""


class Objective(ABC):
    """The loss that a recipe selects."""

    @abstractmethod
    def loss(self, logits: "Tensor", targets: "Tensor", mixed: "Mix | None") -> "Tensor":
        """Return the mean loss of a batch."""

    @abstractmethod
    def right(self, logits: "Tensor", targets: "Tensor", mixed: "Mix | None") -> "Tensor":
        """Count a batch's samples that are predicted rightly; with several decisions per sample, each counts its
        share."""
