"""A model's right and wrong predictions, one by one: samples of a class, decisions about a class, objects. NumPy
only."""

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Kind = Literal["cell", "missed", "wrong", "said"]
CELL: Final = "cell"
MISSED: Final = "missed"
WRONG: Final = "wrong"
SAID: Final = "said"
KINDS: tuple[Kind, ...] = (CELL, MISSED, WRONG, SAID)
NOTHING = -1
"""In place of a class: no object, or no answer. In place of an index: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Pairs of truth and prediction, as columns (P,)."""

    sample: NDArray[np.intp]
    """The row in the predictions."""
    label: Ints
    """Index of the true class, NOTHING where there is none."""
    predicted: Ints
    """Index of the predicted class, NOTHING where there is none."""
    right: NDArray[np.bool_]
    score: NDArray[np.float32]
    """The score of the predicted class; for a missed one, the highest score that the model gave it, or 0."""
    said: Ints
    """The index of the detection in its image, NOTHING where there is none, and for labels without places."""
    truth: Ints
    """The row of truth in the image, with NOTHING as in `said`."""

    def __len__(self) -> int:
        return len(self.sample)

    def take(self, chosen: NDArray[Any]) -> Self:
        """Return some of the outcomes, by index or mask."""
        return type(self)(**{column.name: getattr(self, column.name)[chosen] for column in fields(self)})

    def cell(self, label: int, predicted: int) -> Self:
        """Return the outcomes of a true class that were predicted as another (or the same)."""
        return self.take((self.label == label) & (self.predicted == predicted))

    def missed(self, index: int | None = None) -> Self:
        """Return the false negatives of a class (None: of all): outcomes that have it and are not right."""
        return self.take(~self.right & _among(self.label, index))

    def wrong(self, index: int | None = None) -> Self:
        """Return the false positives of a class (None: of all): outcomes predicted as it and not right."""
        return self.take(~self.right & _among(self.predicted, index))

    def answers(self, index: int | None = None) -> Self:
        """Return the outcomes predicted as a class (None: as any), right or not."""
        return self.take(_among(self.predicted, index))

    def told_right(self, index: int | None = None) -> Self:
        """Return the true positives of a class, or of all."""
        return self.take(self.right & _among(self.label, index))

    def surest_first(self, *, by_class: bool = False) -> Self:
        """Sort by score, highest first, equals in the order of samples; `by_class`: by true class and predicted class
        first."""
        keys = (self.said, self.sample, -self.score)
        return self.take(np.lexsort((*keys, self.predicted, self.label) if by_class else keys))


def _among(column: Ints, index: int | None) -> NDArray[np.bool_]:
    return np.asarray(column != NOTHING if index is None else column == index, np.bool_)
