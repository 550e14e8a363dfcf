"""The config of a scoring run."""

from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT

SCORER = "3"
"""Version of the procedure from bytes to scores (decoding, resizing, precision, columns of the file). Scores of another
version are not mixed."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Dropout:
    """Monte Carlo dropout (Gal & Ghahramani 2016) with one mask per member over the embedding, the same for every
    sample: members are consistent, and equal seeds give equal scores."""

    members: Annotated[int, Field(ge=2, le=64)] = 10
    rate: Annotated[float, Field(gt=0, lt=1)] = 0.2
    """Share of the embedding that a member leaves out."""
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ScoringConfig:
    """The config of `python -m scoring`; paths are those of the machine that scores."""

    model: Path
    """The ONNX file."""
    samples: Path
    """Manifest of the samples to score; labels are ignored."""
    out: Path
    """The score file to write (`.npz`)."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    mirrored: bool = False
    """Run the model on the mirror image of each image, left and right swapped; its predictions are mirrored back."""
    regions: Path | None = None
    """Array (N, T, 4) of regions of the manifest's samples: x1, y1, x2, y2 as shares of width and height, NaN where
    there is none. Each is cropped and embedded by the model (`scoring.crops`)."""
    dropout: Dropout | None = None
    """A committee of masked heads, whose predictions are stored as the column `members`."""
    batch_size: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Number of images in a batch; None: what suits the size of the model's input."""
    threads: Annotated[int, Field(ge=0)] = 1
    """Threads of ONNX Runtime, and as many to decode; 0: one per core that this process may use."""
