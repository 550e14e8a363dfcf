"""Detectors that learn each object at one of three levels, by its size: crowds, and small objects before large ones."""

from typing import TYPE_CHECKING

from training.architectures import register
from training.architectures.centre import CHANNELS, CentreLite0

if TYPE_CHECKING:
    from torch import nn


@register("fcos_lite0")
class FcosLite0(CentreLite0):
    """Boxes by their centres at three strides, by size, on ImageNet features of EfficientNet-Lite0: crowded photos."""

    seconds = (0.084, 0.293, 0.0266)

    def head(self, classes: int) -> "nn.Module":
        """See `LevelsHead`."""
        from training.box_layers import LevelsHead

        return LevelsHead(CHANNELS, classes, width=self.params.width, depth=self.params.depth)
