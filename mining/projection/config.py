"""The config of a layout."""

from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT

Method = Literal["pca", "umap-like"]
METHODS: tuple[str, ...] = get_args(Method)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Layout:
    """How to place the points."""

    method: Method = "umap-like"
    """`pca`: along the two directions in which the vectors spread most. `umap-like`: by t-SNE of landmarks with all
    other vectors placed among them, which keeps neighbours together."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    landmarks: Annotated[int, Field(ge=50, le=20_000)] = 5000
    """Number of vectors to lay out by t-SNE; all of them, if there are no more."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ProjectionConfig:
    """The config of `python -m projection`."""

    vectors: Path
    """A `.npy` file (N, D) of floats."""
    out: Path
    """The `.npz` file to write: `points` (N, 2) and `uniqueness` (N,), float32."""
    layout: Layout = field(default_factory=Layout)
