"""ResNet-18, 34 and 50 (He et al. 2015), trained from scratch."""

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic.dataclasses import dataclass

from training.architectures import register
from training.architectures.square import Square
from training.config import Recipe
from worker_programs.config import STRICT, setting

if TYPE_CHECKING:
    from torch import nn

SMALL = 64
"""Up to this size in pixels the stem keeps the resolution: a stride of four would leave too few places."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ResNetParams:
    """Input and width of the network."""

    channels: Annotated[Literal[1, 3], setting("Network")] = 3
    """Channels of the input: 1 for gray images, 3 for colour."""
    size: Annotated[int, setting("Network", unit="pixels", usual=True, ge=16, le=512)] = 64
    """Height and width of the input in pixels."""
    width: Annotated[int, setting("Network", ge=8, le=128)] = 64
    """Channels of the first stage; each later stage doubles them."""
    dropout: Annotated[float, setting("Network", ge=0, lt=1)] = 0.0
    """Share of the embedding that is dropped at random while training, against overfitting."""


class ResNet(Square):
    """Stem, four stages of residual blocks, average over the places; the depths differ."""

    Params = ResNetParams
    params: ResNetParams
    recipe = Recipe(learning_rate=1e-3, weight_decay=0.05, epochs=30, flip=False)
    blocks: ClassVar[tuple[int, int, int, int]]
    """Residual blocks of each stage."""
    expansion: ClassVar[int] = 1
    """Above 1: bottleneck blocks, whose outputs are this many times wider than their inside."""

    @property
    def work(self) -> float:
        """Images that the stem keeps as they are have 16 times the places of others."""
        return super().work * (1 if self.params.size <= SMALL else 1 / 16)

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """ImageNet's for colour, one half for luminance."""
        if self.params.channels == 3:
            return [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
        return [0.5], [0.5]

    @property
    def embedding_dim(self) -> int:
        """Channels of the last stage."""
        return 8 * self.params.width * self.expansion

    def trunk(self) -> "nn.Module":
        """A stem that fits the input size, the stages, and the average over places."""
        from torch import nn

        from training.layers import Average, conv_block

        width = self.params.width
        if self.params.size <= SMALL:
            stem: list[nn.Module] = [conv_block(self.params.channels, width)]
        else:
            stem = [conv_block(self.params.channels, width, kernel=7, stride=2), nn.MaxPool2d(3, 2, 1)]
        outputs = [width * self.expansion * 2**stage for stage in range(4)]
        stages = [
            self._stage(before, after, number) for number, (before, after) in enumerate(pairwise([width, *outputs]))
        ]
        return nn.Sequential(*stem, *stages, Average())

    def _stage(self, before: int, after: int, number: int) -> "nn.Module":
        from torch import nn

        from training.layers import Bottleneck, Residual

        block = Residual if self.expansion == 1 else Bottleneck
        first = block(before, after, stride=1 if number == 0 else 2)
        return nn.Sequential(first, *(block(after, after, stride=1) for _ in range(self.blocks[number] - 1)))


@register("resnet18")
class ResNet18(ResNet):
    """ResNet-18 with a stem that fits the input: 3x3 for small images, 7x7 with pooling for large ones."""

    blocks = (2, 2, 2, 2)
    seconds = (0.0627, 0.364, 0.0)


@register("resnet34")
class ResNet34(ResNet):
    """ResNet-34: as ResNet-18 with twice the blocks, for harder sets."""

    blocks = (3, 4, 6, 3)
    seconds = (0.144, 0.579, 0.0)


@register("resnet50")
class ResNet50(ResNet):
    """ResNet-50 with bottleneck blocks and an embedding of four times the width; wants many labels."""

    blocks = (3, 4, 6, 3)
    expansion = 4
    seconds = (0.229, 0.744, 0.0)
