"""The config of the program that checks a manifest."""

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ManifestConfig:
    """The config of `python -m lake`; paths are those of the machine that checks."""

    manifest: Path
    """The Parquet file to check."""
    out: Path
    """The folder to write groups into."""
    sample: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of evenly spread frames to return, so that the caller can read and verify their bytes."""
