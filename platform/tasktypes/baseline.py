"""A model beside the answer that knows nothing of the image: always the commonest one. NumPy only."""

from dataclasses import dataclass

import numpy as np

from tasktypes.bootstrap import CONFIDENCE, DRAWS, Interval, ends, means
from tasktypes.predictions import Predictions


@dataclass(frozen=True, slots=True)
class Baseline:
    """Shares (0..1) of test samples answered rightly in every part: by the `model`, and by always giving the
    `commonest` answer."""

    model: float
    commonest: float
    samples: int
    interval: Interval | None
    """The 95 % interval of model - commonest, paired by sample."""

    @property
    def beaten(self) -> bool:
        """Whether the model is right more often."""
        return self.model > self.commonest


def baseline(predictions: Predictions) -> Baseline | None:
    """Compare with always giving the commonest answer of the samples themselves; None where all have the same label:
    then no model can do better."""
    labels = predictions.asked.reshape(len(predictions), -1)
    _, answers, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    if len(counts) < 2:
        return None
    right = predictions.right
    trivial = answers.reshape(-1) == counts.argmax()
    drawn = means([right.astype(np.float64) - trivial]).drawn(DRAWS)[0]
    return Baseline(float(right.mean()), float(trivial.mean()), len(right), ends(drawn, CONFIDENCE))
