"""What a training run is told. Imports no torch: the web validates a run with it before any worker sees it."""

from dataclasses import asdict, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from programs.config import STRICT, ConfigError, parse


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """How to train: the budget, the optimiser and the augmentation."""

    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    batch_size: Annotated[int, Field(ge=1, le=4096)] = 64
    steps: Annotated[int, Field(ge=1)] | None = None
    """Optimiser steps; None: `epochs` over the training set, but at least `min_steps`."""
    epochs: Annotated[float, Field(gt=0)] = 8.0
    min_steps: Annotated[int, Field(ge=1)] = 500
    """With few labels a few epochs stop long before convergence; strategies compare only at a converged budget."""
    learning_rate: Annotated[float, Field(gt=0, le=1)] = 2e-3
    weight_decay: Annotated[float, Field(ge=0, le=1)] = 0.01
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of the steps in which the learning rate rises; the rest follows a cosine to zero."""
    label_smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.0
    ema: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Decay of the moving average of the weights that is kept in their place; 0: none."""
    shift: Annotated[int, Field(ge=0, le=64)] = 2
    """Random shift of up to this many pixels each way, edges repeated."""
    flip: bool = False
    """Mirror at random: never for digits or text."""

    def total_steps(self, samples: int) -> int:
        """The budget in optimiser steps for a training set of `samples`."""
        if self.steps is not None:
            return self.steps
        return max(self.min_steps, int(-(-self.epochs * samples // min(self.batch_size, samples))))


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainingConfig:
    """The config of `python -m training`; paths are those of the machine that trains."""

    out_dir: Path
    train: Path
    """Manifest of labelled samples."""
    classes: Annotated[list[str], Field(min_length=1)]
    """Class names; their order is the order of the outputs."""
    validation: Path | None = None
    """Manifest of labelled samples to evaluate on; None: no evaluation."""
    architecture: str = "small_cnn"
    params: dict[str, Any] = field(default_factory=dict)
    """Parameters of the architecture; see its schema."""
    recipe: dict[str, Any] = field(default_factory=dict)
    """What differs from the architecture's own recipe; see `Recipe`."""
    warm_start: Path | None = None
    """Folder of a parent's checkpoint whose weights are the start, wherever names and shapes agree."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    threads: Annotated[int, Field(ge=0)] = 0
    """CPU threads; 0: as many as this process may use. Weights are equal bit by bit for equal threads."""

    def __post_init__(self) -> None:
        if len(set(self.classes)) < len(self.classes):
            raise ConfigError({"classes": ["a class is named twice"]})


def merged_recipe(base: Recipe, changes: dict[str, Any]) -> Recipe:
    """`base` with `changes` over it; ConfigError names a faulty field as `recipe.<field>`."""
    try:
        return parse(Recipe, {**asdict(base), **changes})
    except ConfigError as fault:
        raise ConfigError({f"recipe.{name}": texts for name, texts in fault.errors.items()}) from fault
