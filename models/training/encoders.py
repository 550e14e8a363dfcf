"""Encoders as frozen trunks: their files run on ONNX Runtime, one image or a batch at a time, on the CPU."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnxruntime as ort
import orjson
import torch
from torch import Tensor, nn

from tasktypes.model_parts import Outputs
from training.config import ENCODER
from worker_programs.config import ConfigError

EMBEDDING = Outputs.names[1]
"""The file's output (batch, D)."""
METADATA = "motherlode"
"""The entry of the file's metadata that says how large the images are."""


class EncoderTrunk(nn.Module):
    """Raw pixels float32 (N, C, H, W) in 0..255 -> embeddings (N, D). It has no weights that torch knows."""

    def __init__(self, path: Path, sha256: str = "") -> None:
        """Raises ConfigError where the file can't be read, has another digest than `sha256`, or can't be run."""
        super().__init__()
        self.path = path
        try:
            data = path.read_bytes()
        except OSError as fault:
            raise _unfit(f"{path} cannot be read: {fault.strerror}") from fault
        self.sha256 = hashlib.sha256(data).hexdigest()
        if sha256 and self.sha256 != sha256:
            raise _unfit(f"the file has the SHA-256 {self.sha256}, not {sha256}: it is another encoder")
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            self._input = self._session.get_inputs()[0].name
            self.width = int({one.name: one for one in self._session.get_outputs()}[EMBEDDING].shape[1])
            told = orjson.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            self.input_size: tuple[int, int, int] = tuple(told["input_size"])
        except Exception as fault:  # the runtime's errors have no common class
            raise _unfit(f"it is no encoder that the platform runs: {str(fault)[:300]}") from fault

    @torch.compiler.disable  # type: ignore[untyped-decorator]  # torch's stub has no types for it
    def forward(self, pixels: Tensor) -> Tensor:
        """The embeddings."""
        given = pixels.detach().cpu().contiguous().numpy()
        (rows,) = self._session.run([EMBEDDING], {self._input: given})
        return torch.from_numpy(rows).to(pixels.device)

    def extra_repr(self) -> str:
        """What its embeddings depend on, for the keys of caches."""
        return f"{self.sha256}, onnxruntime {ort.__version__}"


@dataclass(frozen=True, slots=True)
class NetworkSpec:
    """An architecture with its params, the name it is shown by, and the `files` that its trunk is read from, by
    SHA-256."""

    name: str
    architecture: str
    params: dict[str, Any] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)


def trunks_of(names: Sequence[str], encoders: Mapping[str, Path]) -> list[NetworkSpec]:
    """What `auto` compares: architectures by name, then encoders by name. ConfigError as
    `EncoderTrunk`."""
    shipped = [NetworkSpec(name, name) for name in names]
    return shipped + [encoder_spec(name, path) for name, path in encoders.items()]


def encoder_spec(name: str, path: Path) -> NetworkSpec:
    """An encoder as a trunk, with the params that its file says. ConfigError as `EncoderTrunk`."""
    made = EncoderTrunk(path)
    params = {"encoder": name, "sha256": made.sha256, "input_size": list(made.input_size), "width": made.width}
    return NetworkSpec(f"{ENCODER} {name}", ENCODER, params, {made.sha256: path})


def named_spec(architecture: str, params: Mapping[str, Any], encoders: Mapping[str, Path]) -> NetworkSpec:
    """The trunk of a training of one architecture, the params of an encoder filled in. ConfigError names
    `params.encoder` where it names none of `encoders`."""
    if architecture != ENCODER:
        return NetworkSpec(architecture, architecture, dict(params))
    name = str(params.get(ENCODER, ""))
    if name not in encoders:
        raise _unfit(f"there is no encoder {name!r} among those of this training: {_listed(list(encoders))}")
    made = encoder_spec(name, encoders[name])
    asked = params.get("sha256")
    if asked and asked not in made.files:
        raise _unfit(f"{name!r} has another file than the one with the SHA-256 {asked}")
    return NetworkSpec(made.name, ENCODER, {**params, **made.params}, made.files)


def _listed(names: Sequence[str]) -> str:
    return f"it has {', '.join(names)}" if names else "it has none"


def _unfit(words: str) -> ConfigError:
    return ConfigError({f"params.{ENCODER}": [words]})
