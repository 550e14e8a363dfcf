"""The learner `auto`: what it chooses between, and its parameters. Imports no torch; `training.choosing` chooses."""

from dataclasses import asdict, field, replace
from dataclasses import dataclass as plain
from typing import Annotated, Any, Literal

from pydantic.dataclasses import dataclass

from tasktypes import names as task_names
from tasktypes import task_type
from training.architectures import Architecture, architecture
from training.config import ENCODER, Recipe, merged_recipe
from worker_programs.config import STRICT, ConfigError, json_schema, parse, setting

AUTO = "auto"
"""Its name, where a run, a pipeline or a training config names an architecture."""
SMALL_SIDE = 64
"""Longest side in pixels of images that are too small to be photographs; a network of their own size is compared."""
SIDES = (16, 28, 32, 48, 64)
SEMI_SUPERVISED_UP_TO, UNLABELLED_PER_LABEL = 2000, 10
"""The most labels with which pseudo-labels are compared, and the most images without a label for each label."""

FEWEST = 10
"""Fewest labelled images for a cross-validation."""
MOST_ENCODERS = 10
NEWEST_ENCODERS = 3
"""How many encoders of the project are compared, where none is named."""
TRUNKS_ON = 500
"""The most labelled images on which frozen trunks are compared; the chosen one is judged on all."""
PER_LABEL = 4
"""The most pseudo-labels for each label."""
LEAST_STEPS = 200
"""Fewest steps of a training in a fold, where `min_steps` is more: they show which candidate is better."""
COMPARED_SECONDS = 0.5
"""Longest estimated time of one comparison for each label: a first model of 40 labels is not awaited for minutes."""
SECONDS = {"small_cnn": 6e-7, "": 1.4e-6}
"""Seconds of one CPU thread for one input pixel in a step of training, by architecture."""
GPU_SPEEDUP = 50.0
"""How much faster a step is on a GPU, at the least."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class AutoParams:
    """What is compared, and how long comparing may take."""

    trunks: Annotated[list[str], setting("Comparison", min_length=1)] = field(
        default_factory=lambda: ["efficientnet_lite0", "efficientnet_lite2"]
    )
    """Pretrained architectures whose frozen features are compared; the first, unless another is surely better."""
    encoders: Annotated[list[str] | None, setting("Comparison", max_length=MOST_ENCODERS)] = None
    """Encoders of the model's project whose embeddings are compared too, by name. None: the newest three that fit."""
    folds: Annotated[int, setting("Comparison", ge=2, le=20)] = 3
    """Folds of the cross-validation."""
    fine_tune: Annotated[Literal["compare", "never"], setting("Comparison")] = "compare"
    """Whether fine-tuning all weights of the chosen trunk is compared."""
    scratch: Annotated[Literal["compare", "never"], setting("Comparison")] = "compare"
    """Whether a network without pretrained weights is compared, for images of at most 64 pixels."""
    scratch_from: Annotated[int, setting("Comparison", unit="labels", ge=10)] = 20
    """Fewest labels with which a network without pretrained weights is compared."""
    semi_supervised: Annotated[Literal["compare", "never"], setting("Comparison")] = "compare"
    """Whether pseudo-labels for images without a label are compared, for the head on frozen features."""
    unlabelled: Annotated[int, setting("Comparison", unit="images", ge=0, le=20_000)] = 2000
    """The most images without a label that get a pseudo-label, and at most ten for each label."""
    compare_minutes: Annotated[float, setting("Comparison", unit="minutes", usual=True, ge=0, le=10_000)] = 5.0
    """Longest estimated time of one comparison on this kind of machine, and at most half a second for each label; a
    longer one is left out, as the run says."""


class Auto:
    """Frozen features of the best pretrained network, or of an encoder of the project, with a calibrated head, unless
    cross-validation on the labels says that fine-tuning or a network of the images' own size is better."""

    name = AUTO
    frozen = False
    recipe = Recipe()

    def __init__(self, params: AutoParams) -> None:
        self.params = params
        for number, name in enumerate(params.trunks):
            if name == ENCODER:
                raise ConfigError({f"params.trunks.{number}": ["name the encoder itself in `encoders`"]})
            if not architecture(name).frozen:
                words = f"{name} has no frozen trunk with its default params: name architectures that have"
                raise ConfigError({f"params.trunks.{number}": [words]})

    def check_task(self, task: str) -> None:
        """Raise ConfigError naming `architecture` where labels are not one class an image."""
        if task not in self.tasks():
            words = (
                f"{AUTO} learns {', '.join(self.tasks())}, not {task}: leave it out for the recommended architecture"
            )
            raise ConfigError({"architecture": [words]})

    @staticmethod
    def tasks() -> list[str]:
        """The task types that it learns."""
        able = [name for name in task_names() if "training" not in task_type(name).lacks]
        return [name for name in able if task_type(name).mining.one_distribution]


@plain(frozen=True, slots=True)
class LearnerFacts:
    """The learner `auto` as GET /architectures shows it."""

    name: str
    summary: str
    tasks: list[str]
    """The task types that it learns."""
    params_schema: dict[str, Any]
    recipe_schema: dict[str, Any]
    recipe: dict[str, Any]


def auto_facts() -> LearnerFacts:
    """The facts of the learner `auto` with its default parameters."""
    return LearnerFacts(
        name=AUTO,
        summary=" ".join((Auto.__doc__ or "").split()),
        tasks=Auto.tasks(),
        params_schema=json_schema(AutoParams),
        recipe_schema=json_schema(Recipe),
        recipe=asdict(Auto.recipe),
    )


def most_unlabelled(params: AutoParams, labels: int) -> int:
    """Return how many images without a label are read beside so many labels."""
    if params.semi_supervised == "never" or labels > SEMI_SUPERVISED_UP_TO:
        return 0
    return min(params.unlabelled, UNLABELLED_PER_LABEL * labels)


def learner(name: str, params: dict[str, Any] | None = None) -> Architecture | Auto:
    """Return `auto` or the architecture `name`, with validated `params`; ConfigError names the faulty field."""
    if name != AUTO:
        return architecture(name, params)
    try:
        return Auto(parse(AutoParams, params or {}))
    except ConfigError as fault:
        words = {f"params.{key.removeprefix('params.')}": texts for key, texts in fault.errors.items()}
        raise ConfigError(words) from fault


def learner_recipe(of: Architecture | Auto, changes: dict[str, Any], *, task: str) -> Recipe:
    """Return the learner's recipe with `changes`. For `auto` these apply to whatever is trained step by step, not to a
    head that is solved. ConfigError as `merged_recipe`."""
    recipe = merged_recipe(of.recipe, changes, frozen=of.frozen, task=task)
    if isinstance(of, Auto) and recipe.processes > 1:
        words = f"{AUTO} trains in one process: leave it out, or name an architecture"
        raise ConfigError({"recipe.processes": [words]})
    return recipe


def rival_recipe(of: Architecture, changes: dict[str, Any], *, task: str) -> Recipe:
    """Return the recipe with which a candidate that is trained step by step is compared."""
    recipe = merged_recipe(of.recipe, changes, task=task)
    return replace(recipe, patience=None, min_steps=min(recipe.min_steps, LEAST_STEPS))


def comparison_seconds(
    of: Architecture, recipe: Recipe, *, labels: int, folds: int, pseudo: bool, on_gpu: bool
) -> float:
    """Estimate the time of a comparison of a candidate that is trained step by step, from its steps."""
    learned = max(1, labels * (folds - 1) // folds) * (1 + PER_LABEL * pseudo)
    images = folds * recipe.total_steps(learned) * min(recipe.batch_size, learned)
    _, height, width = of.input_size
    seconds = images * height * width * SECONDS.get(of.name, SECONDS[""])
    return seconds / GPU_SPEEDUP if on_gpu else seconds


def longest_comparison(params: AutoParams, labels: int) -> float:
    """Return the longest estimated seconds of a comparison that is made."""
    return min(60 * params.compare_minutes, COMPARED_SECONDS * labels)


def own_network(side: float, *, gray: bool) -> tuple[str, dict[str, Any]] | None:
    """Return the architecture and params of a network of the images' own size, for images of which the longer side has
    `side` pixels; None for images that are larger."""
    if side > SMALL_SIDE:
        return None
    size = next(one for one in SIDES if one >= side)
    return "small_cnn", {"size": size, "channels": 1 if gray else 3}
