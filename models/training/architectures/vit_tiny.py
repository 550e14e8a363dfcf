"""A tiny vision transformer (Dosovitskiy et al. 2021; sizes of DeiT-Ti, Touvron et al. 2021), trained from scratch."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic.dataclasses import dataclass

from training.architectures import register
from training.architectures.square import Square
from training.config import Recipe
from worker_programs.config import STRICT, ConfigError, setting

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True, config=STRICT)
class VitTinyParams:
    """Input, patches and shape of the network."""

    channels: Annotated[Literal[1, 3], setting("Network")] = 3
    """Channels of the input: 1 for gray images, 3 for colour."""
    size: Annotated[int, setting("Network", unit="pixels", usual=True, ge=16, le=512)] = 32
    """Height and width of the input in pixels; a multiple of `patch`."""
    patch: Annotated[int, setting("Network", unit="pixels", ge=2, le=64)] = 4
    """Height and width of one patch in pixels; the position embedding has one row for each."""
    width: Annotated[int, setting("Network", ge=16, le=768)] = 192
    """Width of the tokens and the embedding; a multiple of `heads`."""
    depth: Annotated[int, setting("Network", ge=1, le=24)] = 12
    """Transformer layers."""
    heads: Annotated[int, setting("Network", ge=1, le=12)] = 3
    """Attention heads of each layer."""
    dropout: Annotated[float, setting("Network", ge=0, lt=1)] = 0.0
    """Share of the embedding that is dropped at random while training, against overfitting."""

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
    seconds = (0.0141, 0.0402, 0.0)

    @property
    def work(self) -> float:
        """By the tokens, of which a patch makes one."""
        return super().work / self.params.patch**2

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
