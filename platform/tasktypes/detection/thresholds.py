"""Thresholds fitted on validation images: the score from which a detection of a class counts as an object."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.detection.average_precision import Ranking, rankings
from tasktypes.detection.predictions import EVEN, BoxPredictions
from tasktypes.model_parts import Calibration


@dataclass(frozen=True, slots=True)
class BoxThresholds(Calibration):
    """The threshold of each class for its scores, at which its F1 at IoU .5 on the validation images is highest. Scores
    are not scaled: the temperature is 1."""

    temperature: float
    samples: int
    loss: float
    """The mean loss of the validation images."""
    bars: NDArray[np.float32]
    """The thresholds of the classes, up to the last that the validation images have."""

    def document(self) -> dict[str, Any]:
        """Return the loss on the validation images, which thresholds do not change."""
        return {"validation_loss_before": self.loss, "validation_loss_after": self.loss}

    def by_class(self, classes: Sequence[str]) -> dict[str, float]:
        """Return the thresholds by class name, 0.5 for a class without a fitted one."""
        known = self.bars.tolist()
        return {name: known[index] if index < len(known) else EVEN for index, name in enumerate(classes)}


def fit_box_thresholds(answers: NDArray[np.float32], targets: NDArray[np.float32]) -> BoxThresholds:
    """Fit on answers (N, M, 6) and targets (N, G, 8) of N >= 1 images. Raises EvaluationError where they do not fit."""
    side = BoxPredictions.of(answers, targets)
    seen = 1 + max(int(side.category.max(initial=-1)), int(side.truth_class.max(initial=-1)))
    bars = np.array([best_threshold(one) for one in rankings(side, range(seen))], np.float32)
    return BoxThresholds(1.0, len(side), float(side.losses.mean()), bars)


def best_threshold(ranking: Ranking) -> float:
    """Return the threshold of the highest F1 at IoU .5, halfway to the next lower score; of equals the highest; 0.5
    where no object is found."""
    counts = ranking.ignored & 1 == 0
    score, hit = ranking.score[counts], ranking.hit[counts] & 1
    if not hit.any():
        return EVEN
    last = np.append(score[1:] != score[:-1], True)  # of the detections with one score
    f1 = 2 * np.cumsum(hit, dtype=np.int64) / (np.arange(1, len(score) + 1) + ranking.objects.sum())
    best = int(np.argmax(np.where(last, f1, -1)))
    below = score[best + 1] if best + 1 < len(score) else np.float32(0)
    halfway = (score[best] + below) / np.float32(2)
    return float(halfway if halfway > below else score[best])
