"""What a task type must offer for models to learn it: how labels become targets, how answers are judged, what an ONNX
file says, what mining may ask of it, and, where torch is, the loss.

All but `Learning` know NumPy alone, so that the web may ask them.
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
Form = Literal["classes", "boxes"]
CLASSES: Final = "classes"
BOXES: Final = "boxes"
"""What a model gives of an image: a number for each of its classes, or boxes."""
NO_SAMPLES = "no evaluated sample is in it"
LEAST_SHARE = 1e-6
"""Of what is taken for the odds of a probability: p and 1 - p are at least this."""


class LabelUnfit(ValueError):  # noqa: N818 - a verdict on a sample, named as elsewhere
    """The label of one sample is no target; `row` says which, the message why."""

    def __init__(self, row: int, message: str) -> None:
        self.row = row
        super().__init__(message)


class Calibration(ABC):
    """What was fitted on validation samples."""

    temperature: float
    """What logits are divided by for confidences that mean what they say."""
    samples: int

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """As it is kept with an evaluation, without what it does to the test samples."""


class Metrics(ABC):
    """How answers are judged. Figures are named as gates and pages name them."""

    headline: ClassVar[str]
    """The figure that a curve shows, training looks at, and gates bound by default; higher is better, 0..1."""
    right_share: ClassVar[str]
    """The figure that is the share of samples told right in every part."""
    whole: ClassVar[tuple[str, ...]]
    """Figures of the whole test split, or a slice of it."""
    of_class: ClassVar[tuple[str, ...]]
    """Figures of one class."""
    lower_is_better: ClassVar[frozenset[str]] = frozenset({"loss", "ece"})
    predictions_type: ClassVar[type[Predictions]]
    targets_have_places: ClassVar[bool] = False
    """Targets name places in the image, which move with it."""
    has_confusion: ClassVar[bool] = False
    """There is a confusion matrix: each outcome has one true class or none, and one that was said or none."""
    background: ClassVar[bool] = False
    """The last row and column of the confusion matrix are the background: what is no object, or was not found."""

    @abstractmethod
    def targets(
        self, labels: Sequence[Mapping[str, Any] | None], classes: Sequence[str],
        sizes: Sequence[tuple[int, int] | None] = (),
    ) -> NDArray[Any]:  # fmt: skip
        """Labels as numbers, one row a sample. `sizes` are the width and height of the upright images in pixels, row by
        row: () where none is known. Raises LabelUnfit for a label that is absent or names an unknown class, and, where
        the task type needs them, for an image without a size."""

    def moved(
        self,
        targets: NDArray[Any],
        scale: NDArray[np.float64],  # noqa: ARG002 - most targets have no place
        offset: NDArray[np.float64],  # noqa: ARG002 - as above
    ) -> NDArray[Any]:
        """Targets (B, ..) of images that were moved: x and y, as fractions, go to `scale` (B, 2) x old + `offset`."""
        return targets

    @property
    def headline_words(self) -> str:
        """The headline in a sentence."""
        return self.headline.replace("_", " ")

    def objects(self, targets: NDArray[Any]) -> NDArray[np.int64] | None:  # noqa: ARG002 - most labels are one answer
        """(N,) how many objects a person draws for each of these labels; None of labels that are answered at once."""
        return None

    @abstractmethod
    def strata(self, targets: NDArray[Any]) -> list[NDArray[np.intp]]:
        """The rows of each class that occurs: of each as many are drawn when classes are balanced."""

    @abstractmethod
    def judged(
        self, probabilities: Floats, targets: NDArray[Any], calibration: Calibration | None = None
    ) -> Predictions:
        """Of probabilities (N, K), N >= 1. Raises EvaluationError where they do not fit or are no numbers."""

    @abstractmethod
    def calibrate(self, logits: Floats, targets: NDArray[Any]) -> Calibration:
        """Fitted on logits (N, K) of samples that nothing was judged on, N >= 1. Raises EvaluationError."""

    @abstractmethod
    def calibrated(
        self, predictions: Predictions, logits: Floats, calibration: Calibration, classes: Sequence[str]
    ) -> dict[str, Any]:
        """What a calibration does to test samples (N, K), as it is kept: `temperature`, `samples`, `ece_before`,
        `ece_after`, and what the task type adds."""

    @abstractmethod
    def summary(self, predictions: Predictions, classes: Sequence[str]) -> dict[str, Any]:
        """All figures as a document, with `samples` and `per_class`, without intervals."""

    @abstractmethod
    def class_intervals(self, predictions: Predictions, classes: Sequence[str]) -> dict[str, dict[str, Any]]:
        """By class the interval of each of its figures."""

    @abstractmethod
    def kinds(self, metric: str, sides: Sequence[Any], index: int | None = None) -> Kinds:
        """The samples by kind, for the bootstrap of a figure over models that saw the same samples."""

    @abstractmethod
    def support(self, predictions: Predictions, index: int) -> int:
        """How many samples have a class."""

    @abstractmethod
    def told(self, predictions: Any, row: int, classes: Sequence[str]) -> dict[str, Any]:
        """One sample as a list of the worst shows it: `label`, `predicted`, `confidence`."""

    def confusion(self, predictions: Any, classes: int) -> NDArray[np.int64] | None:  # noqa: ARG002 - see the docstring
        """Samples (K, K) by [true][predicted] class, or objects (K + 1, K + 1) with a `background`; None of a task type
        whose samples have no one class."""
        return None

    def outcomes(self, predictions: Any, threshold: float | None = None) -> Outcomes | None:  # noqa: ARG002 - as above
        """What was right and wrong, one by one: as the figures count it, or, with a `threshold` (0..1), as they would
        with that one for all classes. None of a task type that can't tell."""
        return None

    def places(
        self, predictions: Any, listed: Outcomes, threshold: float | None = None  # noqa: ARG002 - as above
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Where each is in its image: nothing of labels without places. `threshold` is that of the outcomes."""
        return [{} for _ in range(len(listed))]

    def bounds(self, document: Mapping[str, Any]) -> tuple[float, float]:
        """The interval of the headline in a stored document; its value twice where it has none."""
        value = document[self.headline]
        low, high = (document.get("intervals") or {}).get(self.headline) or (value, value)
        return low, high

    def known(self, classes: int) -> tuple[str, ...]:  # noqa: ARG002 - a task type may have figures of many classes
        """The figures of `whole` that there are with so many classes."""
        return self.whole

    def reach(self, metric: str) -> tuple[float, float]:
        """Between which numbers a figure can lie: all but the loss are shares."""
        return (0.0, inf) if metric == "loss" else (0.0, 1.0)

    def exact(self, metric: str, predictions: Any) -> float | None:
        """A figure that is not exactly that of its kinds, as the loss, which the bootstrap brings into cells; None: it
        is."""
        return float(predictions.losses.mean()) if metric == "loss" else None

    def paired(self, metric: str, new: Any, base: Any) -> Kinds | None:
        """A figure whose difference is the mean of the samples' differences, as such; None: it is not."""
        return means([new.losses - base.losses]) if metric == "loss" else None

    def figure(self, metric: str, predictions: Predictions, index: int | None = None) -> float | None:
        """A figure (of class `index`, for those of a class); None where nothing was asked or answered."""
        found = self.exact(metric, predictions)
        if found is None:
            kinds = self.kinds(metric, [predictions], index)
            found = float(kinds.statistic(kinds.counts[None], 0)[0])
        return None if np.isnan(found) else found

    def interval(
        self, metric: str, predictions: Predictions, index: int | None = None, *, confidence: float = CONFIDENCE,
        draws: int = DRAWS,
    ) -> Interval | None:  # fmt: skip
        """The interval of a figure; None where it has no value."""
        return ends(self.kinds(metric, [predictions], index).drawn(draws)[0], confidence)

    def difference(
        self, metric: str, new: Predictions, base: Predictions, index: int | None = None, *,
        confidence: float = CONFIDENCE, draws: int = DRAWS,
    ) -> Difference:  # fmt: skip
        """A figure of two models and the interval of new - base, row by row on the same samples (see `common`)."""
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
        """Every figure with its interval, whole, by class and by slice.

        `left_out` says of slices that could not be looked up why: they are in the document as not computed.
        Raises EvaluationError where there are no predictions.
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
    """What the outputs of an ONNX file mean: of classes `logits` and `probabilities`, each (N, K)."""

    form: ClassVar[Form] = CLASSES
    names: ClassVar[tuple[str, str, str]] = ("logits", "embedding", "probabilities")
    """What the file calls them; the first is what the network computes, the last what people and pages read."""
    meaning: ClassVar[str] = "(batch, classes): a probability each"
    """Of the last of them, for who runs the file."""
    operator: ClassVar[Literal["Softmax", "Sigmoid"] | None]
    """ONNX operator from logits to probabilities, over the classes; None where it takes more than one."""
    most_half_error: ClassVar[float] = 5e-3
    """Largest difference of a logit of a float16 file, as a share of the standard deviation of float32's (at least
    1)."""
    limit: ClassVar[str]
    """What the model card says of answers, in a sentence."""

    @abstractmethod
    def probabilities(self, logits: NDArray[Any]) -> Floats:
        """(..., K) of logits."""

    @abstractmethod
    def tempered(self, probabilities: NDArray[Any], temperature: float) -> Floats:
        """Probabilities (..., K) as they would be at a temperature. Raises ValueError unless it is above 0."""

    def fault(self, logits: Floats) -> str | None:  # noqa: ARG002 - not every answer shows it
        """Why what these logits (N, K) were made of can't have been probabilities, as far as that shows, or None."""
        return None

    def judged(self, logits: Floats, probabilities: Floats) -> Floats:  # noqa: ARG002 - boxes are judged by the others
        """What answers are compared and calibrated by: of classes the logits."""
        return logits

    @abstractmethod
    def same(self, logits: Floats, others: Floats, *, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Which rows (N, K) give the same answer; a decision closer than `tolerance` may fall either way."""

    @abstractmethod
    def certainty(self, probabilities: Floats) -> Floats:
        """How sure the least sure decision of each row (N, K) is; the smaller, the more uncertain (N,)."""

    @abstractmethod
    def answer(
        self,
        probabilities: Sequence[Any],
        classes: Sequence[str],
        thresholds: Mapping[str, float],
        size: tuple[int, int] | None = None,
    ) -> dict[str, Any]:
        """A row of probabilities as a suggestion: a label with what makes it probable. `thresholds` are those of the
        calibration, if any; `size` (width, height) is that of the upright image, which boxes need (ValueError)."""

    def shares(self, probabilities: Sequence[Any], classes: Sequence[str]) -> dict[str, Any]:
        """What a suggestion shows beside the answer: the `probabilities` of the classes."""
        return {"probabilities": {name: round(value, 4) for name, value in zip(classes, probabilities, strict=True)}}

    def likeliest(self, probabilities: Floats) -> tuple[NDArray[np.intp], Floats]:
        """Of each row (N, K) the likeliest class and its probability, each (N,)."""
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
        """For each row (N, K) its `top` likeliest classes with their `probability`, and at a `temperature` what that
        makes of it (`calibrated`)."""
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
        """(N, M) how many places of the raw maps speak for each of the M objects; None of answers without places."""
        return None

    def mirrored(self, probabilities: Floats) -> Floats:
        """What was answered of mirrored images (N, ..), as it is of the images themselves."""
        return probabilities

    @abstractmethod
    def chosen(self, probabilities: Floats, wanted: Sequence[int] | None) -> tuple[NDArray[np.bool_], Floats]:
        """Which rows (N, K) answer one of the `wanted` classes (None: any), and how confidently (N,): what a filter on
        predictions asks."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks against a label."""

    kind: str
    """What would be wrong, in words."""
    score: float
    """How much the model holds against it, 0 to 1."""
    sure: bool
    """The model is as sure of it as it is where labels agree."""
    words: str


class Mining(ABC):
    """What a strategy may ask of a sample's probabilities."""

    one_distribution: ClassVar[bool]
    """Each sample has one distribution over the classes: strategies that name its likeliest class can be used."""
    axes: ClassVar[int] = 2
    """Of the probabilities of several samples."""
    mirrors: ClassVar[bool] = True
    """An image and its mirror image have the same answer (`Outputs.mirrored`): the two can be a committee."""
    places: ClassVar[bool] = False
    """Each term is an object in a place: it has a number of cells (`Outputs.cells`), labels say whether it is one
    (`evidence`), and it may speak against them (`doubts`)."""

    @abstractmethod
    def terms(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """(N, .., T, C) from (N, .., K): T distributions a sample, over C outcomes each."""

    def aligned(self, members: NDArray[Any]) -> NDArray[Any]:
        """Members (N, C, ..) as they are compared: what each says of one question stands in one place."""
        return members

    def evidence(
        self,
        probabilities: NDArray[Any],  # noqa: ARG002 - only objects in places are found or not
        cells: NDArray[np.int32],  # noqa: ARG002 - as above
        targets: NDArray[Any],  # noqa: ARG002 - as above
    ) -> Floats:
        """(J, 4) of labelled samples: class, probability and cells of each term that counts, and 1 where it is right;
        without `places` nothing."""
        return np.empty((0, 4), np.float32)

    def doubts(
        self,
        probabilities: NDArray[Any],
        targets: NDArray[Any],  # noqa: ARG002 - only objects in places can be missed or moved
        classes: Sequence[str],  # noqa: ARG002 - as above
    ) -> Iterator[Sequence[Doubt]]:
        """Of each labelled sample what speaks against its targets, the gravest first; without `places` nothing."""
        return iter([()] * len(probabilities))

    def asked(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """(N, T) which of the terms of samples, or of members that are aligned, count; at least one of each."""
        return np.ones((len(probabilities), probabilities.shape[-1]), np.bool_)

    def answered(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """(N,) which samples the model says something of: all, but for images in which no object is asked."""
        return np.ones(len(probabilities), np.bool_)

    def term_classes(self, probabilities: NDArray[Any]) -> NDArray[np.intp]:
        """(N, T) the class that each term of samples, or of members that are aligned, is about."""
        width = probabilities.shape[-1]
        return np.broadcast_to(np.arange(width), (len(probabilities), width))

    def regions(self, probabilities: NDArray[Any]) -> Floats:
        """(N, T, 4) where each term lies in its image: x1, y1, x2, y2 as shares of width and height; without `places`
        there are none (ValueError)."""
        raise ValueError(f"answers of shape {probabilities.shape} have no places")

    def outside(self, probabilities: NDArray[Any]) -> NDArray[np.bool_]:
        """(N,) which rows of (N, ..) hold a number that is no probability."""
        flat = probabilities.reshape(len(probabilities), -1)
        return np.asarray(((flat < 0) | (flat > 1)).any(axis=1), np.bool_)


class Learning(ABC):
    """How a network learns it. Torch."""

    @abstractmethod
    def objective(
        self, targets: NDArray[Any], *, classes: int, smoothing: float, balanced: bool, device: "torch.device"
    ) -> "Objective":
        """The loss over a training set with these targets; `balanced`: rare classes count as much as common ones."""

    @abstractmethod
    def activated(self, logits: "Tensor") -> "Tensor":
        """Probabilities (N, K) of logits, as the graph computes them."""

    @abstractmethod
    def score(self, logits: "Tensor", targets: NDArray[Any]) -> tuple[float, float]:
        """The headline and the mean loss of logits (N, K)."""


class Objective(ABC):
    """The loss that a recipe asks for."""

    @abstractmethod
    def loss(self, logits: "Tensor", targets: "Tensor", mixed: "Mix | None") -> "Tensor":
        """The mean loss of a batch."""

    @abstractmethod
    def right(self, logits: "Tensor", targets: "Tensor", mixed: "Mix | None") -> "Tensor":
        """How many of a batch's samples are told right; of several decisions a sample, each counts its share."""
