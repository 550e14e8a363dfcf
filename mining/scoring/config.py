"""What a scoring run is told."""

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from programs.config import STRICT

SCORER = "1"
"""Version of the way from bytes to scores (decoding, resizing, precision). Scores of another version are not mixed."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScoringConfig:
    """The config of `python -m scoring`; paths are those of the machine that scores."""

    model: Path
    """The ONNX file."""
    samples: Path
    """Manifest of what to score; labels are not looked at."""
    out: Path
    """The score file to write (`.npz`)."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    batch_size: Annotated[int, Field(ge=1, le=4096)] = 256
    threads: Annotated[int, Field(ge=0)] = 1
    """Threads of ONNX Runtime; 0: one per core."""
