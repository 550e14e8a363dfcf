"""Binary cross-entropy of each class by itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tasktypes.mixed import Mix
from tasktypes.model_parts import Learning, Objective
from tasktypes.multilabel.figures import average_precisions, mean_of_known
from tasktypes.multilabel.predictions import EVEN, SetPredictions

MOST_WEIGHT = 100.0
"""The largest weight of a rare class: one sample must not dominate a batch."""


class MultilabelLearning(Learning):
    """A sigmoid for each class."""

    def objective(
        self,
        targets: NDArray[Any],
        *,
        classes: int,  # noqa: ARG002 - targets have as many columns
        smoothing: float,
        balanced: bool,
        device: torch.device,
    ) -> "BinaryCrossEntropy":
        """Return the loss; if `balanced`, the samples with a class weigh as much together as those without it."""
        weights = torch.from_numpy(positive_weights(targets)).to(device) if balanced else None
        return BinaryCrossEntropy(smoothing, weights)

    def activated(self, logits: Tensor) -> Tensor:
        """sigmoid."""
        return torch.sigmoid(logits)

    def score(self, logits: Tensor, targets: NDArray[Any]) -> tuple[float, float]:
        """Return mean average precision and mean binary cross-entropy."""
        loss = nn.functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(targets))
        predictions = SetPredictions.of(torch.sigmoid(logits).numpy(), targets)
        found = mean_of_known(average_precisions(predictions, np.ones((1, len(targets)))))[0]
        return float(np.nan_to_num(found)), float(loss)


def positive_weights(targets: NDArray[Any]) -> NDArray[np.float32]:
    """Return (K,) the number of samples without a class divided by those with it, from 1 / 100 to 100; 1 for a class
    that none or all have."""
    has = targets.sum(axis=0)
    weights = np.where((has > 0) & (has < len(targets)), (len(targets) - has) / np.maximum(has, 1), 1)
    return np.clip(weights, 1 / MOST_WEIGHT, MOST_WEIGHT).astype(np.float32)


@dataclass(frozen=True, slots=True)
class BinaryCrossEntropy(Objective):
    """Binary cross-entropy; `weights` (K,) are those of present classes, None where all count the same."""

    smoothing: float
    weights: Tensor | None

    def loss(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:
        """Return the mean loss over samples and classes; mixed samples have the classes of both by their shares."""
        mass = targets if mixed is None else torch.lerp(targets[mixed.partner], targets, mixed.share)
        mass = mass * (1 - self.smoothing) + self.smoothing / 2
        return nn.functional.binary_cross_entropy_with_logits(logits, mass, pos_weight=self.weights)

    def right(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:
        """Count right decisions at probability 0.5, against the label with the largest share in each sample."""
        leading = targets if mixed is None or mixed.share >= 0.5 else targets[mixed.partner]
        return ((logits >= 0) == (leading > EVEN)).double().mean(1).sum()
