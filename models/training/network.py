"""The network that is trained and exported: pixels -> (logits, embedding)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from training.architectures import Architecture, architecture
from training.layers import Normalise


class Network(nn.Module):
    """Normalisation, an architecture's trunk, its head.

    Takes float32 (N, C, H, W) in 0..255; returns logits (N, K), or the raw maps (N, C, H, W) of an architecture for
    boxes, and the embedding (N, D) from which they were computed.
    """

    def __init__(self, family: Architecture, classes: int, *, bare: bool = False) -> None:
        super().__init__()
        self.family = family
        self.normalise = Normalise(*family.normalisation)
        self.trunk = family.bare_trunk() if bare else family.trunk()
        self.head = family.head(classes)
        self.classes = classes

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(logits, embedding) of raw pixels."""
        return self._answered(self.trunk(self.normalise(x)))

    def features(self, x: Tensor) -> Tensor:
        """The trunk's output for raw pixels, (N, features_dim), which can be stored and passed to `answered`."""
        return self.family.packed(self.trunk(self.normalise(x)))

    def answered(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """(logits, embedding) of `features`."""
        return self._answered(self.family.unpacked(features))

    @property
    def device(self) -> torch.device:
        """The device that holds the network."""
        return next(self.head.parameters()).device

    def _answered(self, made: Any) -> tuple[Tensor, Tensor]:
        logits: Tensor = self.head(made)
        return logits, self.family.described(made)

    def class_rows(self) -> set[str]:
        """The names of the tensors that have one row for each class: those that one class more makes longer."""
        with torch.random.fork_rng(devices=[]):
            more = self.family.head(self.classes + 1).state_dict()
        mine = self.head.state_dict()
        return {f"head.{name}" for name, value in mine.items() if len(value.shape) and len(more[name]) > len(value)}

    def train(self, mode: bool = True) -> "Network":  # noqa: FBT001, FBT002 - the signature of nn.Module
        """Like nn.Module.train, but a frozen trunk stays in evaluation mode: its batch norms must not drift."""
        super().train(mode)
        if self.family.frozen:
            self.trunk.eval()
        return self


def build(
    name: str,
    params: dict[str, Any],
    *,
    classes: int,
    seed: int = 0,
    bare: bool = False,
    files: Mapping[str, Path] | None = None,
) -> Network:
    """Build a network of the architecture `name`, its weights drawn from `seed`; the caller's random state is kept.

    `bare`: all weights will come from a checkpoint, so no pretrained weights are loaded. `files`: those of encoders, by
    SHA-256.
    """
    family = architecture(name, params)
    family.files = files or {}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Network(family, classes, bare=bare)
    if family.frozen:
        network.trunk.requires_grad_(requires_grad=False)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's stub omits it; a third faster
    return network
