"""Weights on disk: `checkpoint.safetensors` with `config.json` beside it. No pickles."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import safetensors
import safetensors.torch
import torch
from pydantic import Field
from pydantic.dataclasses import dataclass as validated

from tasktypes import DEFAULT
from training.network import Network, build
from worker_programs import config as configs
from worker_programs import files

WEIGHTS, CONFIG = "checkpoint.safetensors", "config.json"


class CheckpointError(Exception):
    """A folder holds no usable checkpoint; the message says what is wrong."""

    code = "invalid_checkpoint"


@validated(frozen=True, kw_only=True, config=configs.STRICT)
class CheckpointConfig:
    """What is needed to rebuild the network, and how its weights were trained."""

    architecture: str
    params: dict[str, Any]
    classes: Annotated[list[str], Field(min_length=1)]
    recipe: dict[str, Any]
    threads: int
    torch: str
    device: str = "cpu"
    task: str = DEFAULT
    precision: str = "float32"
    """The precision of the training; the weights are float32."""
    code: str | None = None
    """The revision of the training code; see `revision`."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A network with its trained weights and the config they came from."""

    network: Network
    config: CheckpointConfig


def save(checkpoint: Checkpoint, folder: Path) -> None:
    """Write both files, each completely or not at all; the config last, so its presence means a complete checkpoint."""
    state = {name: value.contiguous() for name, value in checkpoint.network.state_dict().items()}
    files.write_bytes(folder / WEIGHTS, safetensors.torch.save(state))
    files.write_json(folder / CONFIG, configs.document(checkpoint.config))


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint; CheckpointError when files are absent, damaged or of another architecture."""
    config = configs.read(CheckpointConfig, folder / CONFIG)
    network = build(config.architecture, config.params, classes=len(config.classes), bare=True)
    try:
        network.load_state_dict(read_weights(folder))
    except RuntimeError as fault:
        raise CheckpointError(f"{folder / WEIGHTS} does not fit {config.architecture}: {fault}") from fault
    return Checkpoint(network.eval(), config)


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint by name."""
    try:
        return safetensors.torch.load((folder / WEIGHTS).read_bytes())
    except (OSError, safetensors.SafetensorError) as fault:
        raise CheckpointError(f"{folder / WEIGHTS} cannot be read: {fault}") from fault


def warm_start(network: Network, folder: Path) -> list[str]:
    """Copy a parent's weights wherever name and shape agree, and return their names, sorted.

    A head with another number of classes has another shape and starts anew. CheckpointError when nothing fits.
    """
    own = network.state_dict()
    parent = {
        name: value for name, value in read_weights(folder).items() if name in own and own[name].shape == value.shape
    }
    if not any(name.endswith(".weight") for name in parent):
        raise CheckpointError(f"no weight in {folder} fits this network; warm_start wants the same architecture")
    network.load_state_dict(parent, strict=False)
    return sorted(parent)
