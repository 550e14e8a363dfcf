"""ResNet-18 (He et al. 2015), trained from scratch."""

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from programs.config import STRICT
from training.architectures import Architecture, register
from training.config import Recipe

if TYPE_CHECKING:
    from torch import nn

SMALL = 64
"""Up to this size in pixels the stem keeps the resolution: a stride of four would leave nothing to look at."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ResNet18Params:
    """Input and width of the network."""

    channels: Literal[1, 3] = 3
    size: Annotated[int, Field(ge=16, le=512)] = 64
    """Height and width of the input in pixels."""
    width: Annotated[int, Field(ge=8, le=128)] = 64
    """Channels of the first stage; each later stage doubles them."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0


@register("resnet18")
class ResNet18(Architecture):
    """ResNet-18 with a stem that fits the input: 3x3 for small images, 7x7 with pooling for large ones."""

    Params = ResNet18Params
    params: ResNet18Params
    recipe = Recipe(learning_rate=1e-3, weight_decay=0.05, epochs=30, flip=False)

    @property
    def input_size(self) -> tuple[int, int, int]:
        """Square images of `size`."""
        return self.params.channels, self.params.size, self.params.size

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """ImageNet's for colour, one half for luminance."""
        if self.params.channels == 3:
            return [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
        return [0.5], [0.5]

    @property
    def embedding_dim(self) -> int:
        """Channels of the last stage."""
        return 8 * self.params.width

    @property
    def dropout(self) -> float:
        """As asked."""
        return self.params.dropout

    def trunk(self) -> "nn.Module":
        """Stem, four stages of two residual blocks, average over the places."""
        from torch import nn

        from training.layers import Average, Residual, conv_block

        width = self.params.width
        if self.params.size <= SMALL:
            stem: list[nn.Module] = [conv_block(self.params.channels, width)]
        else:
            stem = [conv_block(self.params.channels, width, kernel=7, stride=2), nn.MaxPool2d(3, 2, 1)]
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        stages = [
            nn.Sequential(Residual(before, after, stride=1 if before == after else 2), Residual(after, after, stride=1))
            for before, after in pairwise(widths)
        ]
        return nn.Sequential(*stem, *stages, Average())
