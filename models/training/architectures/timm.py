"""The models of timm, if it is installed: it is no dependency, and is imported only when a model is built."""

import importlib
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic.dataclasses import dataclass

from training.architectures import Architecture, register
from training.config import Recipe
from worker_programs.config import STRICT, ConfigError, setting

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TimmParams:
    """The model, its weights and its input."""

    model: Annotated[str, setting("Network", usual=True, min_length=1)] = "resnet18"
    """The model's name in `timm.list_models()`."""
    pretrained: Annotated[bool, setting("Network")] = False
    """Start from the pretrained weights that timm downloads, or has downloaded."""
    freeze: Annotated[bool, setting("Network")] = False
    """Train only the head, on features that are computed once."""
    channels: Annotated[Literal[1, 3], setting("Network")] = 3
    """Channels of the input: 1 for gray images, 3 for colour."""
    size: Annotated[int, setting("Network", unit="pixels", usual=True, ge=16, le=1024)] = 224
    """Height and width of the input in pixels."""
    dropout: Annotated[float, setting("Network", ge=0, lt=1)] = 0.0
    """Share of the embedding that is dropped at random while training, against overfitting."""


@register("timm")
class Timm(Architecture):
    """Any model of timm, where timm is installed; `model` names it."""

    Params = TimmParams
    params: TimmParams
    recipe = Recipe(learning_rate=5e-4, weight_decay=0.05, epochs=30)
    width_is_declared = False

    @property
    def frozen(self) -> bool:
        """Set by the parameter `freeze`."""
        return self.params.freeze

    @property
    def input_size(self) -> tuple[int, int, int]:
        """Square images of `size`."""
        return self.params.channels, self.params.size, self.params.size

    @property
    def normalisation(self) -> tuple[list[float], list[float]]:
        """The normalisation of pretrained weights, if used and for colour; else scales pixels to -1..1."""
        if self.params.pretrained and self.params.channels == 3:
            found = _timm().models.get_pretrained_cfg(self.params.model)
            if found is not None:
                return list(found.mean), list(found.std)
        return [0.5] * self.params.channels, [0.5] * self.params.channels

    @cached_property
    def embedding_dim(self) -> int:
        """Width of the input of the model's own head; found by building the model without memory."""
        import torch

        with torch.device("meta"):
            model: Any = self._model(pretrained=False)
        return int(getattr(model, "head_hidden_size", None) or model.num_features)

    @property
    def dropout(self) -> float:
        """Set by the parameter `dropout`."""
        return self.params.dropout

    def trunk(self) -> "nn.Module":
        """The model without its head; ConfigError where timm is absent or does not know it."""
        return self._model(pretrained=self.params.pretrained)

    def bare_trunk(self) -> "nn.Module":
        """The model without its head and without pretrained weights."""
        return self._model(pretrained=False)

    def _model(self, *, pretrained: bool) -> "nn.Module":
        timm, asked = _timm(), self.params
        if asked.model not in timm.list_models() + timm.list_models(pretrained=True):
            raise ConfigError({"params.model": [f"timm has no model {asked.model!r}; timm.list_models() lists them"]})
        size = {"img_size": asked.size} if "vit" in asked.model or "deit" in asked.model else {}
        made: nn.Module = timm.create_model(
            asked.model, pretrained=pretrained, num_classes=0, in_chans=asked.channels, **size
        )
        return made


def _timm() -> Any:
    """Import timm, or raise ConfigError; with broken dependencies its import raises RuntimeError."""
    try:
        return importlib.import_module("timm")
    except (ImportError, RuntimeError) as fault:
        fix = "install timm with a torchvision that fits torch, or choose another architecture"
        raise ConfigError({"architecture": [f"timm cannot be imported ({fault}): {fix}"]}) from fault
