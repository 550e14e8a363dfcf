"""Weights on disk: `checkpoint.safetensors` with `config.json` beside it, and an encoder's file. No pickles."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import safetensors
import safetensors.torch
import torch
from pydantic import Field
from pydantic.dataclasses import dataclass as validated

from tasktypes import DEFAULT
from training.config import ENCODER
from training.encoders import EncoderTrunk
from training.network import Network, build
from worker_programs import config as configs
from worker_programs import files

WEIGHTS, CONFIG = "checkpoint.safetensors", "config.json"
TRUNK = "trunk.onnx"
"""The file of the encoder that is the trunk, if one is: its weights are in no safetensors file."""


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
    """Write the files, each completely or not at all; the config last, so its presence means a complete checkpoint."""
    state = {name: value.contiguous() for name, value in checkpoint.network.state_dict().items()}
    if isinstance(checkpoint.network.trunk, EncoderTrunk):
        files.write_bytes(folder / TRUNK, checkpoint.network.trunk.path.read_bytes())
    files.write_bytes(folder / WEIGHTS, safetensors.torch.save(state))
    files.write_json(folder / CONFIG, configs.document(checkpoint.config))


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint; CheckpointError when files are absent, damaged or of another architecture."""
    config = configs.read(CheckpointConfig, folder / CONFIG)
    there = {config.params["sha256"]: folder / TRUNK} if config.architecture == ENCODER else None
    network = build(config.architecture, config.params, classes=len(config.classes), bare=True, files=there)
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


def trained_by(folder: Path, architecture: str) -> bool:
    """Whether a checkpoint is of the architecture. CheckpointError where its config can't be read."""
    return configs.read(CheckpointConfig, folder / CONFIG).architecture == architecture


def warm_start(network: Network, folder: Path, classes: Sequence[str]) -> list[str]:
    """Copy a parent's weights wherever name and shape agree, and return the names of the tensors, sorted.

    Where the head has one row a class, rows are copied by the name of the class: a class that the parent does not know
    starts anew, whatever the number and the order of the others. CheckpointError when nothing fits.
    """
    own, rows = network.state_dict(), network.class_rows()
    weights = read_weights(folder)
    taken = {
        name: value
        for name, value in weights.items()
        if name in own and name not in rows and own[name].shape == value.shape
    }
    if any(name.endswith(".weight") for name in own.keys() - rows) and not any(
        name.endswith(".weight") for name in taken
    ):
        raise CheckpointError(f"no weight in {folder} fits this network; warm_start wants the same architecture")
    before = configs.read(CheckpointConfig, folder / CONFIG).classes
    shared = [(classes.index(name), before.index(name)) for name in classes if name in before]
    for name in rows & weights.keys():
        if shared and own[name].shape[1:] == weights[name].shape[1:]:
            to, of = zip(*shared, strict=True)
            taken[name] = own[name].clone()
            taken[name][list(to)] = weights[name][list(of)]
    network.load_state_dict(taken, strict=False)
    return sorted(taken)
