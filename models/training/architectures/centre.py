"""Detectors that find the centres of objects: convolutions alone, no anchors, no suppression of overlapping boxes."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic.dataclasses import dataclass

from tasktypes.model_parts import BOXES, Form
from training.architectures import Architecture, register
from training.architectures.efficientnet_lite import IMAGENET, EfficientNetLite0
from training.config import Recipe
from worker_programs.config import STRICT, ConfigError, setting

if TYPE_CHECKING:
    from torch import Tensor, nn

STAGES, CHANNELS, STRIDES = (4, 10, 15), (40, 112, 320), (8, 16, 32)
"""Blocks of EfficientNet-Lite0 whose maps are used, the maps' channels, and their strides in pixels."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class CentreParams:
    """The image size, the layers after the fixed backbone, and what is trained."""

    size: Annotated[int, setting("Network", unit="pixels", usual=True, ge=128, le=1024)] = 320
    """Height and width of the input in pixels, a multiple of 32: small objects need larger images."""
    width: Annotated[int, setting("Network", ge=16, le=256)] = 96
    """Channels of the layers between backbone and output."""
    depth: Annotated[int, setting("Network", ge=1, le=4)] = 2
    """Separable convolutions before each output."""
    freeze: Annotated[bool, setting("Network")] = True
    """Train everything except the backbone, on maps that are computed once; false: fine-tune all weights."""

    def __post_init__(self) -> None:
        if self.size % STRIDES[-1]:
            raise ConfigError({"size": [f"must be a multiple of {STRIDES[-1]}, not {self.size}"]})


@register("centre_lite0")
class CentreLite0(Architecture):
    """Boxes by their centres on ImageNet features of EfficientNet-Lite0: objects in photos, with few labels."""

    Params = CentreParams
    params: CentreParams
    form: ClassVar[Form] = BOXES
    seconds = (0.118, 0.309, 0.0197)

    @property
    def frozen(self) -> bool:
        """Set by the parameter `freeze`."""
        return self.params.freeze

    @property
    def recipe(self) -> Recipe:
        """A high rate for new layers on fixed maps; for pretrained weights a low rate, and shifts and crops."""
        if self.params.freeze:
            return Recipe(learning_rate=2e-3, weight_decay=0.01, batch_size=16, epochs=25, min_steps=600, shift=0)
        return Recipe(learning_rate=5e-4, weight_decay=0.01, batch_size=16, epochs=20, min_steps=600, shift=8, crop=0.5)

    @property
    def input_size(self) -> tuple[int, int, int]:
        """Square images in colour."""
        return 3, self.params.size, self.params.size

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """The normalisation that the pretrained weights expect."""
        return IMAGENET

    @property
    def embedding_dim(self) -> int:
        """Channels of the coarsest map."""
        return CHANNELS[-1]

    @property
    def features_dim(self) -> int:
        """The numbers at all places of all maps."""
        return sum(channels * side**2 for channels, side in zip(CHANNELS, self._sides(), strict=True))

    def trunk(self) -> "nn.Module":
        """The pretrained backbone; WeightsError when the installed weights are not the known ones."""
        return self._stages(EfficientNetLite0(EfficientNetLite0.Params()).trunk())

    def bare_trunk(self) -> "nn.Module":
        """The backbone with weights drawn at random."""
        return self._stages(EfficientNetLite0(EfficientNetLite0.Params()).bare_trunk())

    def head(self, classes: int) -> "nn.Module":
        """See `CentreHead`."""
        from training.box_layers import CentreHead

        return CentreHead(CHANNELS, classes, width=self.params.width, depth=self.params.depth)

    def packed(self, features: Any) -> "Tensor":
        """Flatten the maps and join them one after the other."""
        import torch

        return torch.cat([one.flatten(1) for one in features], 1)

    def unpacked(self, features: "Tensor") -> Any:
        """Split packed features into the maps again."""
        import torch

        sizes = [(channels, side, side) for channels, side in zip(CHANNELS, self._sides(), strict=True)]
        parts = torch.split(features, [channels * side**2 for channels, side, _ in sizes], 1)
        return tuple(part.reshape(-1, *size) for part, size in zip(parts, sizes, strict=True))

    def described(self, features: Any) -> "Tensor":
        """The mean over the places of the coarsest map."""
        made: Tensor = features[-1].mean((2, 3))
        return made

    def _sides(self) -> list[int]:
        return [self.params.size // stride for stride in STRIDES]

    def _stages(self, trunk: "nn.Module") -> "nn.Module":
        from training.box_layers import Stages

        return Stages(trunk[0].backbone, STAGES)  # type: ignore[index]  # a Sequential of Features
