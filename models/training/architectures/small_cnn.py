"""A small convolutional network for small images."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic.dataclasses import dataclass

from training.architectures import register
from training.architectures.square import Square
from training.config import Recipe
from worker_programs.config import STRICT, setting

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SmallCnnParams:
    """Input and width of the network."""

    channels: Annotated[Literal[1, 3], setting("Network")] = 1
    """Channels of the input: 1 for gray images, 3 for colour."""
    size: Annotated[int, setting("Network", unit="pixels", usual=True, ge=8, le=128)] = 28
    """Height and width of the input in pixels."""
    width: Annotated[int, setting("Network", ge=4, le=128)] = 16
    """Channels after the first convolution; they double twice."""
    embedding: Annotated[int, setting("Network", ge=8, le=1024)] = 64
    """Numbers that describe an image before the last layer."""
    dropout: Annotated[float, setting("Network", ge=0, lt=1)] = 0.2
    """Share of the embedding that is dropped at random while training, against overfitting."""


@register("small_cnn")
class SmallCnn(Square):
    """Three convolutions and a flattened head; the default for images of about 28 to 64 pixels.

    The head sees places, not averages: with global average pooling a network this narrow stays below 90 % on digits.
    """

    Params = SmallCnnParams
    params: SmallCnnParams
    recipe = Recipe()
    seconds = (0.0002, 0.00061, 0.0)

    @property
    def embedding_dim(self) -> int:
        """Set by the parameter `embedding`."""
        return self.params.embedding

    def trunk(self) -> "nn.Module":
        """Convolution blocks, flattened, to one dense layer."""
        from torch import nn

        from training.layers import conv_block

        width, places = self.params.width, (self.params.size // 4) ** 2
        return nn.Sequential(
            conv_block(self.params.channels, width),
            nn.MaxPool2d(2),
            conv_block(width, 2 * width),
            nn.MaxPool2d(2),
            conv_block(2 * width, 4 * width),
            nn.Flatten(),
            nn.Linear(4 * width * places, self.params.embedding),
            nn.ReLU(),
        )
