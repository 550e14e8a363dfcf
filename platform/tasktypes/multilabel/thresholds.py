"""Parameters fitted on validation samples of several classes: a temperature, and the threshold of each class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.calibration import Loss, most_probable
from tasktypes.model_parts import Calibration, Floats
from tasktypes.multilabel.outputs import COLDEST
from tasktypes.multilabel.predictions import EVEN
from tasktypes.predictions import EvaluationError


@dataclass(frozen=True, slots=True)
class Thresholds(Calibration):
    """A temperature over all decisions, and the threshold (K,) of each class for its uncalibrated probability, at which
    its F1 on the validation samples is highest."""

    temperature: float
    samples: int
    loss_before: float
    """Mean binary cross-entropy of those samples before scaling."""
    loss_after: float
    bars: NDArray[np.float32]
    """The thresholds (K,); 0.5 for a class that no validation sample has."""

    def document(self) -> dict[str, Any]:
        """Return the losses on those samples."""
        return {"validation_loss_before": self.loss_before, "validation_loss_after": self.loss_after}

    def by_class(self, classes: Sequence[str]) -> dict[str, float]:
        """Return the thresholds by class name."""
        return dict(zip(classes, self.bars.tolist(), strict=True))


def fit_thresholds(logits: Floats, targets: NDArray[Any]) -> Thresholds:
    """Fit on logits and targets (N, K), N >= 1; each of the N x K is a decision of `calibration.most_probable`. Raises
    EvaluationError."""
    if not len(targets) or logits.shape != targets.shape or not np.isfinite(logits).all():
        raise EvaluationError(f"no thresholds fit labels of shape {targets.shape} and logits of shape {logits.shape}")
    double, signs = logits.astype(np.float64), np.where(targets > EVEN, -1.0, 1.0)

    def loss_of(sides: NDArray[np.float64]) -> Loss:
        return lambda log_temperature: float(np.logaddexp(0, sides * double * np.exp(-log_temperature)).mean())

    loss = loss_of(signs)
    best = most_probable(loss, loss_of(-signs), decisions=signs.size, coldest=COLDEST)
    probabilities, has = (1 / (1 + np.exp(-double))).astype(np.float32), targets > EVEN
    bars = np.array([best_threshold(probabilities[:, k], has[:, k]) for k in range(has.shape[1])], np.float32)
    return Thresholds(float(np.exp(best)), len(targets), loss(0.0), loss(best), bars)


def best_threshold(probabilities: Floats, has: NDArray[np.bool_]) -> float:
    """Return the threshold of the highest F1 (N,), halfway to the next lower probability; of equals the highest; 0.5
    where no sample has the class (Lipton et al., Optimal Thresholding of Classifiers to Maximize F1 Measure, 2014)."""
    if not has.any():
        return EVEN
    order = np.argsort(-probabilities, kind="stable")
    ranked = probabilities[order].astype(np.float64)
    last = np.append(ranked[1:] != ranked[:-1], True)
    f1 = 2 * np.cumsum(has[order]) / (np.arange(1, len(order) + 1) + has.sum())
    best = int(np.argmax(np.where(last, f1, -1)))
    below = ranked[best + 1] if best + 1 < len(ranked) else 0.0
    return float((ranked[best] + below) / 2)
