"""The config of a training run. Imports no torch: the web process validates runs with it before workers see them."""

from dataclasses import asdict, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from tasktypes import DEFAULT, task_type
from worker_programs.config import STRICT, ConfigError, parse, setting

ENCODER = "encoder"
"""The architecture that is a head on the embeddings of an encoder of the project."""
MAX_STEPS = 1_000_000
MOST_PROCESSES = 64
MOST_RESTARTS = 3
"""The most restarts of processes that train together, after one of them died."""
MAX_EPOCHS = 1_000
"""The most epochs: that many take weeks, so more is a typing error."""
Exchange = Literal["float32", "float16", "bfloat16", "powersgd", "post_local_sgd"]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Recipe:
    """How to train: the budget, the optimiser, the augmentation, and when to evaluate and stop."""

    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    """Of weights, order and augmentation; a run has its own, which counts instead."""
    batch_size: Annotated[int, setting("Length", unit="images", usual=True, ge=1, le=65_536)] = 64
    """Images per optimiser step."""
    micro_batch: Annotated[int, setting("Machine", unit="images", ge=1, le=65_536)] | None = None
    """Images of a batch that go through the network at once, for batches that don't fit in memory: the gradients of
    the parts are added up. Batch norm sees the parts, and mixup pairs images within them. None: the whole batch."""
    steps: Annotated[int, setting("Length", unit="steps", ge=1, le=MAX_STEPS)] | None = None
    """Optimiser steps; None: `epochs` over the training set, but at least `min_steps`."""
    epochs: Annotated[float, setting("Length", unit="epochs", usual=True, gt=0, le=MAX_EPOCHS)] = 8.0
    """Passes over the training set, unless `steps` says how long to train."""
    min_steps: Annotated[int, setting("Length", unit="steps", ge=1, le=MAX_STEPS)] = 500
    """Fewest steps: with few labels, a few epochs end before convergence, and only converged runs are comparable."""
    optimiser: Annotated[Literal["adamw", "sgd", "lars", "lamb"], setting("Optimiser")] = "adamw"
    """AdamW, or SGD with `momentum`; for batches of thousands LARS (SGD) or LAMB (Adam), which scale their steps to the
    size of each layer's weights."""
    learning_rate: Annotated[float, setting("Optimiser", usual=True, gt=0, le=100)] = 2e-3
    """Step size of the optimiser after the warm-up; too high and the loss diverges."""
    reference_batch: Annotated[int, setting("Optimiser", unit="images", ge=1, le=65_536)] | None = None
    """The batch size that `learning_rate` is meant for: training uses learning_rate x batch_size / reference_batch
    (linear scaling, Goyal et al. 2017). None: learning_rate itself."""
    weight_decay: Annotated[float, setting("Optimiser", ge=0, le=1)] = 0.01
    """Weight decay of matrices and kernels, not of biases and norms."""
    momentum: Annotated[float, setting("Optimiser", ge=0, lt=1)] = 0.9
    """Momentum of SGD and LARS."""
    nesterov: Annotated[bool, setting("Optimiser")] = True
    """Use Nesterov momentum in SGD: look ahead along the momentum."""
    warmup: Annotated[float, setting("Optimiser", ge=0, lt=1)] = 0.1
    """Share of the steps in which the learning rate rises; the rest follows a cosine to zero."""
    label_smoothing: Annotated[float, setting("Optimiser", ge=0, lt=1)] = 0.0
    """Share of each label that is spread over the other classes."""
    ema: Annotated[float, setting("Optimiser", ge=0, lt=1)] = 0.0
    """Decay of a moving average of the weights, which replaces them at the end; 0: none."""
    balance: Annotated[Literal["none", "loss", "sampling"], setting("Data")] = "none"
    """Make rare classes count as much as common ones: by weights in the loss, or by drawing more of their samples."""
    mixup: Annotated[float, setting("Augmentation", ge=0, le=10)] = 0.0
    """Alpha of the Beta distribution of how far images (frozen trunk: features) are blended, by batch; 0: none."""
    cutmix: Annotated[float, setting("Augmentation", ge=0, le=10)] = 0.0
    """Alpha of the Beta distribution of how large a box is pasted from another image, by batch; 0: none. With mixup
    too, each batch gets one of the two at random."""
    augment: Annotated[int, setting("Augmentation", ge=0, le=8)] = 0
    """Number of random operations (RandAugment) on each image; 0: none."""
    magnitude: Annotated[int, setting("Augmentation", ge=0, le=30)] = 9
    """Strength of the operations of `augment`."""
    crop: Annotated[float, setting("Augmentation", gt=0, le=1)] = 1.0
    """Smallest share of an image's area that a random resized crop leaves; 1: no crop."""
    shift: Annotated[int, setting("Augmentation", unit="pixels", ge=0, le=64)] = 2
    """Random shift of up to this many pixels each way, edges repeated."""
    flip: Annotated[bool, setting("Augmentation")] = False
    """Mirror images at random: don't use it for digits or text."""
    evaluate_every: Annotated[int, setting("Evaluation", unit="steps", ge=1, le=MAX_STEPS)] | None = None
    """Steps between evaluations on the validation set; None: about once an epoch, at most 20 times, and, without a
    patience, on no more than half as many images as are trained on."""
    patience: Annotated[int, setting("Evaluation", unit="evaluations", ge=1, le=MAX_STEPS)] | None = None
    """Stop after this many evaluations without a better one (by the headline metric, then loss) and keep the best
    weights; None: train to the end and keep the last."""
    keep_best: Annotated[int, setting("Evaluation", ge=1, le=20)] = 1
    """How many of the best evaluated weights are kept as separate files."""
    recover_every: Annotated[int, setting("Evaluation", unit="steps", ge=1, le=MAX_STEPS)] | None = None
    """Steps between recovery files; None: by time, at least 20 seconds apart."""
    precision: Annotated[Literal["auto", "float32", "bfloat16"], setting("Machine")] = "auto"
    """Number format of the network's computation (weights stay float32); auto: bfloat16 if the hardware supports it."""
    compile: Annotated[Literal["auto", "never", "always"], setting("Machine")] = "auto"
    """Compile the network first (seconds to a minute); auto: on a GPU, when the run is long."""
    device: Annotated[Literal["auto", "cpu", "cuda"], setting("Machine")] = "auto"
    """Where to train; auto: on a GPU if there is one. Weights are reproducible bit for bit on a CPU."""
    processes: Annotated[int, setting("Machine", ge=1, le=MOST_PROCESSES)] = 1
    """Processes that train together on this machine, each on its share of every batch; on GPUs, one per GPU."""
    exchange: Annotated[Exchange, setting("Machine")] = "float32"
    """What several processes send each other: their gradients in every step, as numbers of this format or, with
    powersgd, as products of narrow matrices; with post_local_sgd, their weights now and then."""
    exchange_start: Annotated[int, setting("Machine", unit="steps", ge=2, le=MAX_STEPS)] | None = None
    """Steps before powersgd or post_local_sgd begin, with gradients sent as float32. None: a tenth of all steps."""
    exchange_rank: Annotated[int, setting("Machine", ge=1, le=64)] = 1
    """Columns of the matrices of powersgd: more columns are more exact, and send more bytes."""
    exchange_period: Annotated[int, setting("Machine", unit="steps", ge=2, le=10_000)] = 8
    """Steps between two averagings of the weights with post_local_sgd."""
    sharded: Annotated[bool, setting("Machine")] = False
    """Divide weights, gradients and moments among the processes, for networks too large for one device."""

    def __post_init__(self) -> None:
        if self.optimiser == "sgd" and self.nesterov and not self.momentum:
            raise ConfigError({"nesterov": ["needs a momentum above 0: set momentum, or nesterov to false"]})
        if self.processes > self.batch_size:
            raise ConfigError({"processes": [f"more than images of a batch: at most {self.batch_size}"]})
        if self.processes == 1 and self.exchange != "float32":
            raise ConfigError({"exchange": ["one process sends nothing: set processes, or leave it out"]})
        if self.ema and self.exchange == "post_local_sgd":
            raise ConfigError({"ema": ["would be of one process's weights under post_local_sgd: leave one out"]})
        if self.sharded:
            self._check_sharded()

    def _check_sharded(self) -> None:
        """Raise ConfigError for settings that a divided network doesn't support."""
        if self.processes == 1:
            raise ConfigError({"sharded": ["one process has nobody to divide with: set processes, or leave it out"]})
        if self.exchange != "float32":
            raise ConfigError({"exchange": ["a sharded training sends float32: leave it out"]})
        if self.ema:
            raise ConfigError({"ema": ["is not kept of a sharded network: leave one of them out"]})
        if self.compile == "always":
            raise ConfigError({"compile": ["a sharded network is not compiled: leave it out"]})

    @property
    def peak_rate(self) -> float:
        """The learning rate after the warm-up."""
        return self.learning_rate * (self.batch_size / self.reference_batch if self.reference_batch else 1.0)

    def total_steps(self, samples: int) -> int:
        """The budget in optimiser steps for a training set of `samples`. Raises ConfigError for more than MAX_STEPS."""
        if self.steps is not None:
            return self.steps
        steps = max(self.min_steps, int(-(-self.epochs * samples // min(self.batch_size, samples))))
        if steps > MAX_STEPS:
            words = f"are {steps:,} steps with {samples:,} images: a training has at most {MAX_STEPS:,}, ask for fewer"
            raise ConfigError({"recipe.epochs": [words]})
        return steps


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainingConfig:
    """The config of `python -m training`; paths are those of the machine that trains."""

    out_dir: Path
    train: Path
    """Manifest of labelled samples."""
    classes: Annotated[list[str], Field(min_length=1)]
    """Class names; their order is the order of the outputs."""
    task: str = DEFAULT
    """The task type; it must be one that can be trained."""
    unlabelled: Path | None = None
    """Manifest of samples without a label, for the learner `auto`; None: there are none."""
    validation: Path | None = None
    """Manifest of labelled samples to evaluate on; None: no evaluation."""
    architecture: str = "small_cnn"
    params: dict[str, Any] = field(default_factory=dict)
    """Parameters of the architecture; see its schema."""
    recipe: dict[str, Any] = field(default_factory=dict)
    """Changes to the architecture's own recipe; see `Recipe`."""
    encoders: dict[str, Path] = field(default_factory=dict)
    """Files of encoders by name: what the architecture `encoder` trains on, and what `auto` compares too."""
    warm_start: Path | None = None
    """Folder of a parent's checkpoint to take initial weights from, wherever names and shapes agree."""
    resume: Path | None = None
    """A recovery file of this run, or a folder of them: resume from the newest sound one; without one, start anew."""
    blobs: str | None = None
    """Folder to read blobs from; None: the object store of the environment."""
    threads: Annotated[int, Field(ge=0)] = 0
    """CPU threads; 0: as many as this process may use. Equal numbers of threads give weights equal bit for bit."""
    workers: Annotated[int, Field(ge=1)] = 1
    """Images of which the learner `auto` computes features at once; the weights don't depend on it."""
    memory: Annotated[int, Field(ge=0)] = 2 << 30
    """Most bytes of decoded training images (frozen trunk: features) in memory; if there are more, the images are
    streamed and decoded anew in each epoch."""

    def __post_init__(self) -> None:
        if len(set(self.classes)) < len(self.classes):
            raise ConfigError({"classes": ["a class is named twice"]})
        if missing := task_type(self.task).lacks.get("training"):
            raise ConfigError({"task": [f"{self.task} can't be trained: {missing}"]})


def merged_recipe(base: Recipe, changes: dict[str, Any], *, frozen: bool = False, task: str = DEFAULT) -> Recipe:
    """Return `base` with `changes` applied; ConfigError names a faulty field as `recipe.<field>`.

    A `frozen` trunk sees each image once and unchanged, so settings that change pixels are refused. So are settings
    that have no meaning for the task type.
    """
    try:
        recipe = parse(Recipe, {**asdict(base), **changes})
    except ConfigError as fault:
        raise ConfigError({f"recipe.{name}": texts for name, texts in fault.errors.items()}) from fault
    for name, (neutral, why) in task_type(task).unfit_recipe.items():
        if getattr(recipe, name) not in neutral:
            raise ConfigError({f"recipe.{name}": [f"{why}: leave it out"]})
    without = {"augment": 0, "crop": 1.0, "cutmix": 0.0, "flip": False, "shift": 0}
    if frozen and recipe.processes > 1:
        raise ConfigError({"recipe.processes": ["the head of a frozen trunk trains in one process: leave it out"]})
    if frozen:
        asked = [name for name in without if name in changes and getattr(recipe, name) != without[name]]
        if asked:
            words = "has no effect on a frozen trunk, which sees each image once: leave it out (mixup works)"
            raise ConfigError({f"recipe.{name}": [words] for name in asked})
    return recipe
