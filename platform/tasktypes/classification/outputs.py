"""One distribution over the classes for each image. NumPy only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes.model_parts import Doubles, Floats, Mining, Outputs

SMALLEST = float(np.finfo(np.float32).smallest_subnormal) / 2
"""Stands for a probability of 0, of which there is no logarithm: below every other that single precision holds."""
SUM_TOLERANCE = 1e-2


class ClassificationOutputs(Outputs):
    """Outputs whose probabilities sum to 1."""

    operator = "Softmax"
    limit = "It names one of its classes for any image, also for one that shows none of them."

    def probabilities(self, logits: NDArray[Any]) -> Floats:
        """softmax."""
        raised = np.exp(logits - logits.max(-1, keepdims=True))
        return np.asarray(raised / raised.sum(-1, keepdims=True), np.float32)

    def tempered(self, probabilities: NDArray[Any], temperature: float) -> Doubles:
        """softmax(log p / T) over the last axis, in double precision (Guo et al., On Calibration of Modern Neural
        Networks, 2017).

        It is the same as softmax(logits / T), because softmax forgets what was added to all logits: so the temperature
        that was fitted on a model's logits serves for its stored scores. The order of the classes stays, and what
        differed in single precision still differs.
        """
        if not temperature > 0:
            raise ValueError(f"a temperature is above 0, not {temperature}")
        logs = np.log(np.maximum(probabilities, SMALLEST, dtype=np.float64))
        logs -= logs.max(axis=-1, keepdims=True)
        logs /= temperature
        raised = np.exp(logs, out=logs)
        raised /= raised.sum(axis=-1, keepdims=True)
        return np.asarray(raised)

    def fault(self, logits: Floats) -> str | None:
        """Return why these can't be logarithms of probabilities that sum to 1, or None."""
        return None if np.allclose(np.exp(logits).sum(1), 1, atol=SUM_TOLERANCE) else "does not sum to 1"

    def same(self, logits: Floats, others: Floats, *, tolerance: float = 0.0) -> NDArray[np.bool_]:  # noqa: ARG002
        """Return the rows whose most probable class is the same."""
        return np.asarray(logits.argmax(1) == others.argmax(1), np.bool_)

    def certainty(self, probabilities: Floats) -> Floats:
        """Return the probability of the likeliest class minus that of the next; with one class, its probability."""
        ordered = np.sort(probabilities, axis=1)
        found: Floats = ordered[:, -1] - (ordered[:, -2] if ordered.shape[1] > 1 else 0)
        return found

    def answer(
        self,
        probabilities: Sequence[Any],
        classes: Sequence[str],
        thresholds: Mapping[str, float],  # noqa: ARG002 - the likeliest class needs none
        size: tuple[int, int] | None = None,  # noqa: ARG002 - classes have no place
    ) -> dict[str, Any]:
        """Return the most probable class as a suggestion; of equals the first."""
        best = max(range(len(classes)), key=lambda index: (probabilities[index], -index))
        return {"class": classes[best], "probability": round(probabilities[best], 4)}

    def chosen(self, probabilities: Floats, wanted: Sequence[int] | None) -> tuple[NDArray[np.bool_], Floats]:
        """Return the rows whose most probable class is wanted, and that class's probability."""
        rows = np.ones(len(probabilities), bool)
        return rows if wanted is None else np.isin(probabilities.argmax(axis=1), wanted), probabilities.max(axis=1)


class ClassificationMining(Mining):
    """Mining of one distribution, whose outcomes are the classes."""

    one_distribution = True

    def terms(self, probabilities: NDArray[Any]) -> NDArray[Any]:
        """Return one distribution per sample."""
        return probabilities[..., None, :]
