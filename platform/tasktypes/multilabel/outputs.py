"""A probability for each class by itself. NumPy only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.model_parts import LEAST_SHARE, Floats, Mining, Outputs
from tasktypes.multilabel.predictions import EVEN

LEAST = np.finfo(np.float32).eps
"""Probabilities nearer to 0 or 1 have this one's odds."""
SLACK = 0.01
"""By how much rounding may take the odds of a probability beyond the bound."""


class MultilabelOutputs(Outputs):
    """Each class is decided by itself."""

    operator = "Sigmoid"
    limit = "It knows its own classes alone: an image that shows something else gets none of them, or a wrong one."

    def probabilities(self, logits: NDArray[Any]) -> Floats:
        """sigmoid."""
        return np.asarray(1 / (1 + np.exp(-np.asarray(logits, np.float64))), np.float32)

    def tempered(self, probabilities: NDArray[Any], temperature: float) -> Floats:
        """sigmoid(logit p / T)."""
        if not temperature > 0:
            raise ValueError(f"a temperature is above 0, not {temperature}")
        kept = np.clip(np.asarray(probabilities, np.float64), LEAST, 1 - LEAST)
        return self.probabilities((np.log(kept) - np.log1p(-kept)) / temperature)

    def fault(self, logits: Floats) -> str | None:
        """What lies between 0 and 1 has odds of at most 1 to `LEAST_SHARE`."""
        return None if np.abs(logits).max() < SLACK - np.log(LEAST_SHARE) else "is not between 0 and 1"

    def same(self, logits: Floats, others: Floats, *, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Every class on the same side of even odds."""
        alike = ((logits >= 0) == (others >= 0)) | (np.abs(logits) <= tolerance)
        return np.asarray(alike.all(axis=1), np.bool_)

    def certainty(self, probabilities: Floats) -> Floats:
        """How far the nearest probability is from 0.5, twice."""
        found: Floats = (2 * np.abs(probabilities - EVEN)).min(axis=1)
        return found

    def answer(
        self,
        probabilities: Sequence[Any],
        classes: Sequence[str],
        thresholds: Mapping[str, float],
        size: tuple[int, int] | None = None,  # noqa: ARG002 - classes have no place
    ) -> dict[str, Any]:
        """The classes at their threshold or above, and how probable the least sure decision is."""
        named = [name for name, p in zip(classes, probabilities, strict=True) if p >= thresholds.get(name, EVEN)]
        return {"classes": named, "probability": round(min(max(p, 1 - p) for p in probabilities), 4)}

    def chosen(self, probabilities: Floats, wanted: Sequence[int] | None) -> tuple[NDArray[np.bool_], Floats]:
        """A wanted class is likelier than not, and the probability of the likeliest of them."""
        columns = probabilities if wanted is None else probabilities[:, list(wanted)]
        best: Floats = columns.max(axis=1)
        return np.ones(len(best), bool) if wanted is None else best >= EVEN, best


class MultilabelMining(Mining):
    """Each class is a question of its own: yes or no."""

    one_distribution = False

    def terms(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """One a class."""
        return np.stack([probabilities, 1 - probabilities], axis=-1)
