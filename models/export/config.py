"""What an export is told. Imports no torch."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from programs.config import STRICT, ConfigError

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


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ExportConfig:
    """The config of `python -m export`."""

    checkpoint: Path
    """Folder with checkpoint.safetensors and config.json."""
    out_dir: Path
    test: Path | None = None
    """Manifest of labelled samples on which the ONNX file is evaluated; None: no evaluation."""
    validation: Path | None = None
    """Manifest of labelled samples on which the temperature is fitted; None: no calibration."""
    slices: Path | None = None
    """JSON with the parts of `test` that are judged by themselves: {name: [sample keys] or "why they are unknown"}."""
    samples: Path | None = None
    """Manifest of the samples that parity is proved on, with or without labels; None: those of `test`."""
    parity_samples: Annotated[int, Field(ge=1, le=4096)] = 256
    profile: Profile = Profile()
    facts: dict[str, Any] = Field(default_factory=dict)
    """What the file's metadata should say beside what is known of the network: model, run, dataset digest."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    threads: Annotated[int, Field(ge=0)] = 0
    """CPU threads; 0: as many as this process may use."""

    def __post_init__(self) -> None:
        if self.test is None and self.samples is None:
            raise ConfigError(
                {"samples": ["give a manifest of real samples, here or as test: parity is proved on them"]}
            )
