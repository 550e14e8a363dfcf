"""The architectures, a file per family, found by name. Importing them does not import torch; building does.

A new architecture is a class under `@register("name")`: in a new file here, or outside (see `training.extensions`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tasktypes import names as task_names
from tasktypes import task_type
from tasktypes.model_parts import CLASSES, Form
from training.config import Recipe
from training.extensions import load_extensions
from worker_programs.config import ConfigError, json_schema, parse
from worker_programs.extensions import Registry

if TYPE_CHECKING:
    from torch import Tensor, nn


class Architecture(ABC):
    """A family of networks: its input, its best recipe, its trunk and its head.

    `Params` is a pydantic dataclass of its parameters. An instance holds validated ones.
    """

    name: ClassVar[str]
    Params: ClassVar[type[Any]]
    width_is_declared: ClassVar[bool] = True
    """Whether `embedding_dim` is known without building the network."""
    form: ClassVar[Form] = CLASSES
    """The form of its head's output: it learns the task types whose outputs have this form."""
    seconds: ClassVar[tuple[float, float, float] | None] = None
    """Measured on one core of a server processor at default parameters, in batches of 8: seconds of an image forward
    through the trunk, in a step that trains everything, and in one that trains the head of a frozen trunk. None: not
    known, so there is no forecast before its first training."""

    def __init__(self, params: Any) -> None:
        self.params = params
        self.files: Mapping[str, Path] = {}
        """Files on this machine that the trunk may be read from, by SHA-256."""

    @property
    def frozen(self) -> bool:
        """Whether the trunk keeps its pretrained weights: its features are computed once, only the head is trained."""
        return False

    @property
    def recipe(self) -> Recipe:
        """The recipe that trains it best; a subclass may also set it as a plain attribute."""
        return Recipe()

    @property
    def work(self) -> float:
        """The work for an image, beside that of other parameters: here the pixels, the layers and their widths."""
        width, depth = getattr(self.params, "width", 1), getattr(self.params, "depth", 1)
        return float(self.input_size[1] * self.input_size[2] * width**2 * depth)

    @property
    @abstractmethod
    def input_size(self) -> tuple[int, int, int]:
        """[C, H, W] of the images it takes."""

    @property
    @abstractmethod
    def normalisation(self) -> tuple[list[float], list[float]]:
        """Mean and standard deviation per channel, of pixel values scaled to 0..1."""

    @property
    @abstractmethod
    def embedding_dim(self) -> int:
        """Width of the trunk's embedding."""

    @property
    def dropout(self) -> float:
        """Dropout between embedding and head while training."""
        return 0.0

    @abstractmethod
    def trunk(self) -> "nn.Module":
        """Create the module from normalised pixels (N, C, H, W) to embeddings (N, embedding_dim)."""

    def bare_trunk(self) -> "nn.Module":
        """Like `trunk`, for weights from a checkpoint: needs no pretrained weights."""
        return self.trunk()

    def head(self, classes: int) -> "nn.Module":
        """Create the module from the trunk's output to logits (N, classes), or to what its task types read."""
        from training.layers import Classifier

        return Classifier(self.embedding_dim, classes, dropout=self.dropout)

    @classmethod
    def tasks(cls) -> list[str]:
        """The task types that the architecture learns."""
        able = [name for name in task_names() if "training" not in task_type(name).lacks]
        return [name for name in able if task_type(name).outputs.form == cls.form]

    def check_task(self, task: str) -> None:
        """Raise ConfigError naming `architecture` if it does not learn the task type."""
        if task not in self.tasks():
            fitting = ", ".join(name for name in names() if task in _registry.find(name).tasks())
            words = f"{self.name} learns {', '.join(self.tasks())}, not {task}: use {fitting or 'one of your own'}"
            raise ConfigError({"architecture": [words]})

    @property
    def features_dim(self) -> int:
        """How many numbers the trunk's output for one image has."""
        return self.embedding_dim

    def packed(self, features: Any) -> "Tensor":
        """Flatten the trunk's output to (N, features_dim)."""
        made: Tensor = features
        return made

    def unpacked(self, features: "Tensor") -> Any:
        """Restore the trunk's output from `packed` features."""
        return features

    def described(self, features: Any) -> "Tensor":
        """The embedding (N, embedding_dim) from the trunk's output."""
        made: Tensor = features
        return made


@dataclass(frozen=True, slots=True)
class ArchitectureFacts:
    """An architecture as GET /architectures shows it."""

    name: str
    summary: str
    frozen: bool
    input_size: tuple[int, int, int]
    mean: list[float]
    std: list[float]
    embedding_dim: int | None
    """None if it is known only after building the network."""
    tasks: list[str]
    """The task types that the architecture learns."""
    params_schema: dict[str, Any]
    recipe_schema: dict[str, Any]
    recipe: dict[str, Any]


_registry: Registry[Architecture] = Registry("architecture", package=__name__, base=Architecture)
register = _registry.register


def names() -> list[str]:
    """All registered names, sorted; ArchitecturesBrokenError where one of the user's own cannot be loaded."""
    load_extensions(_registry)
    return _registry.names()


def architecture(name: str, params: dict[str, Any] | None = None) -> Architecture:
    """The architecture `name` with validated `params`; ConfigError names the faulty field."""
    load_extensions(_registry)
    cls = _registry.find(name)
    try:
        return cls(parse(cls.Params, params or {}))
    except ConfigError as fault:
        raise ConfigError({f"params.{field}": texts for field, texts in fault.errors.items()}) from fault


def facts(name: str) -> ArchitectureFacts:
    """The facts of one architecture with its default parameters."""
    made = architecture(name)
    mean, std = made.normalisation
    return ArchitectureFacts(
        name=name,
        summary=(type(made).__doc__ or "").strip().partition("\n")[0],
        frozen=made.frozen,
        input_size=made.input_size,
        mean=mean,
        std=std,
        embedding_dim=made.embedding_dim if made.width_is_declared else None,
        tasks=made.tasks(),
        params_schema=json_schema(made.Params),
        recipe_schema=json_schema(Recipe),
        recipe=asdict(made.recipe),
    )
