"""A probability for each class by itself. NumPy only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.model_parts import LEAST_SHARE, Doubles, Floats, Mining, Outputs
from tasktypes.multilabel.predictions import EVEN

LEAST = float(np.finfo(np.float32).smallest_subnormal) / 2
MOST = 1 - float(np.finfo(np.float32).epsneg) / 2
"""Stand for probabilities of 0 and of 1, whose odds have no logarithm: beyond every other that single precision
holds."""
COLDEST = 0.5
"""The lowest temperature: 1 - p has steps of 6e-8 in single precision; their squares are what double precision holds
beside 1."""
SLACK = 0.01
"""The tolerance by which rounding may exceed the bound on odds."""


class MultilabelOutputs(Outputs):
    """Outputs that decide each class independently."""

    operator = "Sigmoid"
    coldest = COLDEST
    limit = "It knows its own classes alone: an image that shows something else gets none of them, or a wrong one."

    def probabilities(self, logits: NDArray[Any]) -> Floats:
        """sigmoid."""
        return np.asarray(1 / (1 + np.exp(-np.asarray(logits, np.float64))), np.float32)

    def tempered(self, probabilities: NDArray[Any], temperature: float) -> Doubles:
        """sigmoid(logit p / T), in double precision: what differed in single precision still differs."""
        if not temperature > 0:
            raise ValueError(f"a temperature is above 0, not {temperature}")
        inside = np.clip(np.asarray(probabilities, np.float64), LEAST, MOST)
        made: Doubles = 1 / (1 + np.exp((np.log1p(-inside) - np.log(inside)) / temperature))
        return made

    def fault(self, logits: Floats) -> str | None:
        """Return why the logits can't come from probabilities, whose odds are at most 1 to `LEAST_SHARE`, or None."""
        return None if np.abs(logits).max() < SLACK - np.log(LEAST_SHARE) else "is not between 0 and 1"

    def same(self, logits: Floats, others: Floats, *, tolerance: float = 0.0) -> NDArray[np.bool_]:
        """Mark the rows in which every class is on the same side of 0.5."""
        alike = ((logits >= 0) == (others >= 0)) | (np.abs(logits) <= tolerance)
        return np.asarray(alike.all(axis=1), np.bool_)

    def certainty(self, probabilities: Floats) -> Floats:
        """Return twice the distance from 0.5 of the probability nearest to it."""
        found: Floats = (2 * np.abs(probabilities - EVEN)).min(axis=1)
        return found

    def answer(
        self,
        probabilities: Sequence[Any],
        classes: Sequence[str],
        thresholds: Mapping[str, float],
        size: tuple[int, int] | None = None,  # noqa: ARG002 - classes have no place
    ) -> dict[str, Any]:
        """Return the classes at their threshold or above, and the probability of the least certain decision."""
        named = [name for name, p in zip(classes, probabilities, strict=True) if p >= thresholds.get(name, EVEN)]
        return {"classes": named, "probability": round(min(max(p, 1 - p) for p in probabilities), 4)}

    def chosen(self, probabilities: Floats, wanted: Sequence[int] | None) -> tuple[NDArray[np.bool_], Floats]:
        """Mark the rows in which a wanted class has a probability above 0.5, and return the highest of these."""
        columns = probabilities if wanted is None else probabilities[:, list(wanted)]
        best: Floats = columns.max(axis=1)
        return np.ones(len(best), bool) if wanted is None else best >= EVEN, best


class MultilabelMining(Mining):
    """Mining in which each class is a separate yes-no question."""

    one_distribution = False

    def terms(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Return one yes-no distribution per class."""
        return np.stack([probabilities, 1 - probabilities], axis=-1)
