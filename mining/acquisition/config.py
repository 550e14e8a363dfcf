"""The config of a selection."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SelectionConfig:
    """The config of `python -m acquisition`; paths are those of the machine that selects."""

    pool: Path
    """The folder of columns to pick from (`acquisition.columns`)."""
    out: Path
    """The file to write: one pick a line, JSON."""
    strategy: str
    params: dict[str, Any] = Field(default_factory=dict)
    count: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)] = 0
    control: Annotated[float, Field(ge=0, le=1)] = 0.0
    compose: dict[str, Any] = Field(default_factory=dict)
    """A composition (`acquisition.composition`)."""
    neighbours: Annotated[int, Field(ge=0, le=100)] = 3
    """Number of nearest labelled samples to list with each pick."""
