"""What a model got right and wrong, one by one: samples of a class, decisions about a class, objects. NumPy only."""

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
"""Instead of a class: no object, or no answer. Instead of a place: there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """What is true and what was said of it as one: columns (P,)."""

    sample: NDArray[np.intp]
    """The row of the predictions."""
    label: Ints
    """Index of the true class, NOTHING where there is none."""
    predicted: Ints
    """Index of the class that was said, NOTHING where none was."""
    right: NDArray[np.bool_]
    score: NDArray[np.float32]
    """Of the class that was said; of what was missed, as far as the model came to it, 0 where it did not."""
    said: Ints
    """The detection among those of the image, NOTHING where there is none; NOTHING of labels without places."""
    truth: Ints
    """The row of truth of the image, as `said`."""

    def __len__(self) -> int:
        return len(self.sample)

    def take(self, chosen: NDArray[Any]) -> Self:
        """Some of them, by index or mask."""
        return type(self)(**{column.name: getattr(self, column.name)[chosen] for column in fields(self)})

    def cell(self, label: int, predicted: int) -> Self:
        """Those of a true class that were said to be another (or the same)."""
        return self.take((self.label == label) & (self.predicted == predicted))

    def missed(self, index: int | None = None) -> Self:
        """What a class has (every class: None) and was not told right: the false negatives."""
        return self.take(~self.right & _among(self.label, index))

    def wrong(self, index: int | None = None) -> Self:
        """What was said to be a class (any class: None) and is not: the false positives."""
        return self.take(~self.right & _among(self.predicted, index))

    def answers(self, index: int | None = None) -> Self:
        """What was said to be a class (any class: None), rightly or not."""
        return self.take(_among(self.predicted, index))

    def told_right(self, index: int | None = None) -> Self:
        """The true positives of a class, or of all."""
        return self.take(self.right & _among(self.label, index))

    def surest_first(self, *, by_class: bool = False) -> Self:
        """Highest score first, equals in the order of samples; `by_class`: true class, said class, then so."""
        keys = (self.said, self.sample, -self.score)
        return self.take(np.lexsort((*keys, self.predicted, self.label) if by_class else keys))


def _among(column: Ints, index: int | None) -> NDArray[np.bool_]:
    return np.asarray(column != NOTHING if index is None else column == index, np.bool_)
