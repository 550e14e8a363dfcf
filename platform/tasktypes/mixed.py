"""A batch that is blended of two."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Mix:
    """A mixed batch: sample i is `share` of itself and for the rest sample `partner[i]`."""

    inputs: "Tensor"
    partner: "Tensor"
    share: float
