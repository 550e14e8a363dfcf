"""A batch in which each sample is blended with another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Mix:
    """A mixed batch: sample i is blended from `share` of itself and 1 - `share` of sample `partner[i]`."""

    inputs: "Tensor"
    partner: "Tensor"
    share: float
