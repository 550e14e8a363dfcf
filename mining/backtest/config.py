"""What one replay is told. Imports no torch: the web checks a back-test with it before any worker sees it."""

from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from tasktypes import DEFAULT
from worker_programs.config import STRICT, ConfigError

REPLAY = "1"
"""Version of the way from a plan to a curve (learners, seeds, order). Replays of another version are not mixed."""
FLOAT_BYTES = 4


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Plan:
    """One strategy with one seed: how many labels it starts from and how many it may ask for."""

    strategy: str
    params: dict[str, Any] = field(default_factory=dict)
    """Parameters of the strategy."""
    seed: Annotated[int, Field(ge=0, lt=2**20)]
    """Draws the first labels, the random picks and the learner's weights: equal for every strategy of a pair."""
    start: Annotated[int, Field(ge=1)]
    """Labels drawn at random before the first round."""
    count: Annotated[int, Field(ge=1)]
    """Labels of each round."""
    rounds: Annotated[int, Field(ge=1, le=1000)]
    control: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Share of each round's picks that is drawn at random, as in mining jobs."""

    @property
    def labels(self) -> list[int]:
        """How many labels the learner has at each of the `rounds` + 1 points of the curve."""
        return [self.start + number * self.count for number in range(self.rounds + 1)]

    def check(self, candidates: int) -> None:
        """Raise ConfigError where so many candidates don't last."""
        if self.labels[-1] > candidates:
            raise ConfigError({"rounds": [
                f"{self.start} + {self.rounds} x {self.count} labels are asked of {candidates} labelled samples: "
                "ask for fewer rounds or a smaller count"
            ]})  # fmt: skip


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ProbeSource:
    """The learner `probe`: a linear probe on embeddings that are there."""

    kind: Literal["probe"] = "probe"
    data: Path
    """The file of a `backtest.Embedded`."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainSource:
    """The learner `train`: an architecture, trained anew in every round."""

    kind: Literal["train"] = "train"
    candidates: Path
    """Manifest of labelled samples."""
    test: Path
    """Manifest of labelled samples that the learner is judged on."""
    evidence: Path | None = None
    """Manifest of labelled samples that say how often answers are right, for strategies that ask; None: those that a
    replay has labelled so far."""
    architecture: str = "small_cnn"
    params: dict[str, Any] = field(default_factory=dict)
    recipe: dict[str, Any] = field(default_factory=dict)
    """What differs from the architecture's own recipe; its seed is the plan's."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    memory: Annotated[int, Field(ge=0)] = 4 << 30
    """Bytes that the decoded images may take, where all weights are trained."""
    disk: Annotated[int, Field(ge=0)] = 12 << 30
    """Bytes that the features of a frozen trunk may take: they lie in a file beside the program's other ones."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class ReplayConfig:
    """The config of `python -m backtest`; paths are those of the machine that replays."""

    plan: Plan | None = None
    """None: nothing is replayed; the features that a frozen trunk gives for the candidates are brought into the cache
    of this machine, where replays find them."""
    classes: Annotated[list[str], Field(min_length=1)]
    """Class names; their order is the order of the outputs."""
    task: str = DEFAULT
    """What is asked of an image; a probe learns one class."""
    learner: Annotated[ProbeSource | TrainSource, Field(discriminator="kind")]
    threads: Annotated[int, Field(ge=1)] = 1


def check_features(images: int, numbers: int, most: int, *, setting: str = "learner.disk") -> None:
    """Raise ConfigError (`learner.config.params`) where features of `images`, each so many float32 numbers, would take
    more than `most` bytes; `setting` is what raises that."""
    wanted = images * numbers * FLOAT_BYTES
    if wanted > most:
        raise ConfigError({"learner.config.params": [
            f"the features of {images:,} images, {numbers * FLOAT_BYTES:,} bytes each, take {wanted:,} bytes on disk, "
            f"and a replay may have {most:,}: choose a smaller input (`size`), a version with fewer labelled samples, "
            f"or raise {setting}"
        ]})  # fmt: skip
