"""The config of one replay. Imports no torch: the web checks a back-test with it before any worker sees it."""

from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from tasktypes import DEFAULT
from worker_programs.config import STRICT, ConfigError

REPLAY = "1"
"""Version of the procedure from a plan to a curve (learners, seeds, order). Replays of another version are not
mixed."""
FLOAT_BYTES = 4


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Plan:
    """One strategy with one seed: how many labels it starts from and how many it adds in each round."""

    strategy: str
    params: dict[str, Any] = field(default_factory=dict)
    """Parameters of the strategy."""
    seed: Annotated[int, Field(ge=0, lt=2**20)]
    """Seed of the first labels, the random picks and the learner's weights: equal for all strategies that are
    compared."""
    start: Annotated[int, Field(ge=1)]
    """Number of labels drawn at random before the first round."""
    count: Annotated[int, Field(ge=1)]
    """Labels added in each round."""
    rounds: Annotated[int, Field(ge=1, le=1000)]
    control: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of each round's picks that is drawn at random, as in mining jobs."""

    @property
    def labels(self) -> list[int]:
        """The number of labels at each of the `rounds` + 1 points of the curve."""
        return [self.start + number * self.count for number in range(self.rounds + 1)]

    def check(self, candidates: int) -> None:
        """Raise ConfigError if the plan needs more labels than there are candidates."""
        if self.labels[-1] > candidates:
            raise ConfigError({"rounds": [
                f"{self.start} + {self.rounds} x {self.count} labels are asked of {candidates} labelled samples: "
                "ask for fewer rounds or a smaller count"
            ]})  # fmt: skip


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ProbeSource:
    """The learner `probe`: a linear probe on existing embeddings."""

    kind: Literal["probe"] = "probe"
    data: Path
    """A file that `backtest.Embedded` has written."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainSource:
    """The learner `train`: an architecture, trained anew in every round."""

    kind: Literal["train"] = "train"
    candidates: Path
    """Manifest of the candidates, with labels."""
    test: Path
    """Manifest of the labelled samples that the learner is tested on."""
    evidence: Path | None = None
    """Manifest of labelled samples that measure how often the model is right, for strategies that need it; None: the
    samples that a replay has labelled so far."""
    architecture: str = "small_cnn"
    params: dict[str, Any] = field(default_factory=dict)
    recipe: dict[str, Any] = field(default_factory=dict)
    """Changes to the architecture's own recipe; the seed is the plan's."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    memory: Annotated[int, Field(ge=0)] = 4 << 30
    """Largest size of the decoded images in bytes, where all weights are trained."""
    disk: Annotated[int, Field(ge=0)] = 12 << 30
    """Largest size of a frozen trunk's features in bytes: they are in a file beside the program's other ones."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ReplayConfig:
    """The config of `python -m backtest`; paths are those of the machine that replays."""

    plan: Plan | None = None
    """The plan to replay. None: nothing is replayed; the frozen trunk's features of the candidates are computed into
    this machine's cache, where replays find them."""
    classes: Annotated[list[str], Field(min_length=1)]
    """Class names; their order is the order of the outputs."""
    task: str = DEFAULT
    """The task type; a probe learns one class an image."""
    learner: Annotated[ProbeSource | TrainSource, Field(discriminator="kind")]
    threads: Annotated[int, Field(ge=1)] = 1


def check_features(images: int, numbers: int, most: int, *, setting: str = "learner.disk") -> None:
    """Raise ConfigError (`learner.config.params`) where the features of `images`, each `numbers` float32 numbers, would
    take more than `most` bytes; `setting` names the setting that raises this limit."""
    wanted = images * numbers * FLOAT_BYTES
    if wanted > most:
        raise ConfigError({"learner.config.params": [
            f"the features of {images:,} images, {numbers * FLOAT_BYTES:,} bytes each, take {wanted:,} bytes on disk, "
            f"and a replay may have {most:,}: choose a smaller input (`size`), a version with fewer labelled samples, "
            f"or raise {setting}"
        ]})  # fmt: skip
