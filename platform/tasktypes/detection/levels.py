"""Locate the places of raw maps by the maps' shape alone. Plain Python: NumPy's arrays and torch's have a shape.

Maps of one level are (N, C + 4, H, W). Maps of three are (N, C + 4, P): the places of a square level of 4 k x 4 k, row
by row, then those of 2 k x 2 k, then those of k x k, so P is 21 k².
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

SIDES = 4
"""The number of maps, the last ones, that give the distances to the object's sides."""
STEPS = (4, 2, 1)
"""The side of each of the three levels, relative to the coarsest."""
SPAN = 12
"""The longest object, in places (the geometric mean of across and down), that belongs to a level: a larger one belongs
to the next, whose places are twice as far apart. In pixels of the input up to 96 and up to 192: FCOS has about 128 and
256 for larger images. At 64 and 128, objects that are all of about 64 pixels were divided, and each level learnt
less."""


@dataclass(frozen=True, slots=True)
class Level:
    """`height` x `width` places, row by row; the first of them is `start` of all."""

    height: int
    width: int
    start: int = 0

    @property
    def places(self) -> slice:
        """The slice of this level's places among all."""
        return slice(self.start, self.start + self.height * self.width)


def levels_of(shape: Sequence[int]) -> list[Level]:
    """Return the levels of raw maps of this shape, the finest first. Raises ValueError if no level fits it."""
    if len(shape) == 4:
        return [Level(shape[2], shape[3])]
    coarsest = isqrt(shape[2] // sum(step**2 for step in STEPS)) if len(shape) == 3 else 0
    levels: list[Level] = []
    for side in (step * coarsest for step in STEPS):
        levels.append(Level(side, side, levels[-1].places.stop if levels else 0))
    if not coarsest or levels[-1].places.stop != shape[2]:
        raise ValueError(f"raw maps are (N, C + 4, H, W) or (N, C + 4, 21 k x k), not {tuple(shape)}")
    return levels
