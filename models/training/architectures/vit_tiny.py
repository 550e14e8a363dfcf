"""A tiny vision transformer (Dosovitskiy et al. 2021; sizes of DeiT-Ti, Touvron et al. 2021), trained from scratch."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from training.architectures import register
from training.architectures.square import Square
from training.config import Recipe
from worker_programs.config import STRICT, ConfigError

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True, config=STRICT)
class VitTinyParams:
    """Input, patches and shape of the network."""

    channels: Literal[1, 3] = 3
    size: Annotated[int, Field(ge=16, le=512)] = 32
    """Height and width of the input in pixels; a multiple of `patch`."""
    patch: Annotated[int, Field(ge=2, le=64)] = 4
    """Height and width of one patch in pixels; the position embedding has one row for each."""
    width: Annotated[int, Field(ge=16, le=768)] = 192
    """Width of the tokens and the embedding; a multiple of `heads`."""
    depth: Annotated[int, Field(ge=1, le=24)] = 12
    heads: Annotated[int, Field(ge=1, le=12)] = 3
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0

    def __post_init__(self) -> None:
        if self.size % self.patch:
            raise ConfigError({"patch": [f"{self.size} pixels do not divide into patches of {self.patch}"]})
        if self.width % self.heads:
            raise ConfigError({"heads": [f"a width of {self.width} does not divide into {self.heads} heads"]})


@register("vit_tiny")
class VitTiny(Square):
    """A vision transformer of 12 layers and 192 channels; needs many labels or strong augmentation."""

    Params = VitTinyParams
    params: VitTinyParams
    recipe = Recipe(learning_rate=1e-3, weight_decay=0.05, epochs=60, warmup=0.15, label_smoothing=0.1)

    @property
    def embedding_dim(self) -> int:
        """Width of a token: the embedding is their mean."""
        return self.params.width

    def trunk(self) -> "nn.Module":
        """Patches, transformer layers, norm, mean over the tokens."""
        from torch import nn

        from training.layers import Patches, TokenMean, TransformerBlock

        shape = self.params
        return nn.Sequential(
            Patches(shape.channels, shape.width, size=shape.size, patch=shape.patch),
            *(TransformerBlock(shape.width, heads=shape.heads) for _ in range(shape.depth)),
            nn.LayerNorm(shape.width),
            TokenMean(),
        )
