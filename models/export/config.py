"""The config of an export. Imports no torch."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from export.adopt_spec import AdoptSpec
from worker_programs.config import STRICT, ConfigError

BatchSize = Annotated[int, Field(ge=1, le=4096)]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Profile:
    """The batch sizes that a TensorRT engine is built for."""

    min: BatchSize = 1
    opt: BatchSize = 32
    max: BatchSize = 256

    def __post_init__(self) -> None:
        if not self.min <= self.opt <= self.max:
            raise ConfigError({"profile": [f"wants min <= opt <= max, not {self.min}, {self.opt}, {self.max}"]})


Precision = Literal["fp16", "int8", "fp8"]
PRECISIONS: tuple[Precision, ...] = ("fp16", "int8")
InputKind = Literal["float32_nchw", "uint8_nhwc"]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ExportChoices:
    """What a user chooses about an export: `export` in the config of a run."""

    precisions: list[Precision] = Field(default_factory=lambda: list[Precision](PRECISIONS))
    """Precisions made besides the float32 file, each with its own proof; engines of fp8 need an SM89 or later."""
    input: InputKind = "float32_nchw"
    """The file's input: pixel values 0..255 as float32 (batch, C, H, W) or as uint8 (batch, H, W, C)."""
    profile: Profile = Profile()
    calibration_samples: Annotated[int, Field(ge=1, le=4096)] = 256
    """Images that int8 and fp8 are calibrated on: drawn by a fixed seed from `samples`, else from `test`."""
    pool_samples: Annotated[int, Field(ge=1, le=65536)] = 1024
    """Images on which a precision's answers and ranking are compared with float32's; none of them is used for
    calibration."""
    tensorrt: Literal["auto", "never"] = "auto"
    """auto: ask NVIDIA's parser and builder if they are installed; never: the report says not verified."""

    def __post_init__(self) -> None:
        if len(set(self.precisions)) < len(self.precisions):
            raise ConfigError({"precisions": ["a precision is named twice"]})


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ExportConfig(ExportChoices):
    """The config of `python -m export`."""

    out_dir: Path
    checkpoint: Path | None = None
    """Folder with checkpoint.safetensors and config.json."""
    onnx: Path | None = None
    """An ONNX file in place of a checkpoint."""
    members: Annotated[list[Path], Field(min_length=2, max_length=16)] | None = None
    """Files of the platform in place of a checkpoint, to be averaged in one; see `export.ensemble.join_onnx`."""
    proved: Path | None = None
    """Folder with the model.onnx, report.json and evaluation.json of an earlier export, in place of a checkpoint: only
    the `precisions` are made, proved and evaluated, and the report and the card rewritten."""
    adopt: AdoptSpec | None = None
    """How to read a foreign `onnx`; None: it has the platform's names and metadata already."""
    test: Path | None = None
    """Manifest of labelled samples on which the ONNX file is evaluated; None: no evaluation."""
    validation: Path | None = None
    """Manifest of labelled samples on which the temperature is fitted; None: no calibration."""
    slices: Path | None = None
    """JSON with the parts of `test` that are judged by themselves: {name: [sample keys] or "why they are unknown"}."""
    samples: Path | None = None
    """Manifest of the samples that parity is proved on, with or without labels; None: those of `test`."""
    parity_samples: Annotated[int, Field(ge=1, le=4096)] = 256
    facts: dict[str, Any] = Field(default_factory=dict)
    """Facts for the file's metadata besides those of the network: model, run, dataset digest."""
    engines: Path | None = None
    """Folder in which built engines are kept for later exports; None: they are deleted."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    threads: Annotated[int, Field(ge=0)] = 0
    """CPU threads; 0: as many as this process may use."""
    nice: Annotated[int, Field(ge=0, le=19)] = 0
    """How far the export gives way to other processes, a value of the command `nice`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if [self.checkpoint, self.onnx, self.members, self.proved].count(None) != 3:
            words = "give either a checkpoint's folder, an ONNX file as `onnx`, several as `members`, or an earlier "
            words += "export as `proved`"
            raise ConfigError({"checkpoint": [words]})
        if self.adopt is not None and self.onnx is None:
            raise ConfigError({"adopt": ["says how to read a foreign file: give that as `onnx`"]})
        if self.test is None and self.samples is None:
            raise ConfigError(
                {"samples": ["give a manifest of real samples, here or as test: parity is proved on them"]}
            )
