"""Cross-entropy over labels that are mixed, smoothed and weighted by class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tasktypes.mixed import Mix
from tasktypes.model_parts import Learning, Objective


class ClassificationLearning(Learning):
    """A softmax over the classes."""

    def objective(
        self, targets: NDArray[Any], *, classes: int, smoothing: float, balanced: bool, device: torch.device
    ) -> "CrossEntropy":
        """Return the cross-entropy, weighted by class if `balanced`."""
        weights = torch.from_numpy(class_weights(targets, classes)).to(device) if balanced else None
        return CrossEntropy(smoothing, weights)

    def activated(self, logits: Tensor) -> Tensor:
        """softmax."""
        return torch.softmax(logits, 1)

    def score(self, logits: Tensor, targets: NDArray[Any]) -> tuple[float, float]:
        """Return accuracy and mean negative log-likelihood."""
        wanted = torch.from_numpy(targets)
        loss = nn.functional.cross_entropy(logits, wanted)
        return float((logits.argmax(1) == wanted).double().mean()), float(loss)


def class_weights(labels: NDArray[np.int64], classes: int) -> NDArray[np.float32]:
    """Return the weight of each class that makes all occurring classes count the same; their mean over the samples is
    1."""
    counts = np.bincount(labels, minlength=classes)
    weights = len(labels) / (max(1, np.count_nonzero(counts)) * np.maximum(counts, 1))
    return np.where(counts > 0, weights, 0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class CrossEntropy(Objective):
    """Cross-entropy with the `weights` (K,) of the classes; None where each sample counts 1."""

    smoothing: float
    weights: Tensor | None

    def loss(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:
        """Return the mean loss of a batch."""
        if mixed is None and self.weights is None:
            return nn.functional.cross_entropy(logits, targets, label_smoothing=self.smoothing)
        return nn.functional.cross_entropy(logits, self.mass(targets, mixed, classes=logits.shape[1]))

    def right(self, logits: Tensor, targets: Tensor, mixed: Mix | None) -> Tensor:
        """Count the right answers, against the label with the largest share in each sample."""
        leading = targets if mixed is None or mixed.share >= 0.5 else targets[mixed.partner]
        return (logits.argmax(1) == leading).sum()

    def mass(self, labels: Tensor, mixed: Mix | None, *, classes: int) -> Tensor:
        """Return the mass (B, K) that each sample puts on each class: its labels by their shares and weights, each
        smoothed.

        A weight scales a label with its smoothing. A batch's mean is divided by its length alone: over the training set
        it is the mean of the classes' mean losses, however small the batches are.
        """
        mass = nn.functional.one_hot(labels, classes).float()
        if mixed is not None:
            mass = torch.lerp(mass[mixed.partner], mass, mixed.share)
        if self.weights is not None:
            mass = mass * self.weights
        return mass * (1 - self.smoothing) + mass.sum(1, keepdim=True) * (self.smoothing / classes)
