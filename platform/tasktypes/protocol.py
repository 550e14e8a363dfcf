"""The interface of a task type, part by part; each part that it lacks is listed with what is missing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from core.errors import Invalid
from tasktypes.label_parts import Agreement, Label, Labels
from tasktypes.model_parts import Metrics, Mining, Outputs

if TYPE_CHECKING:
    from tasktypes.model_parts import Learning

Step = Literal["training", "mining", "back-tests"]


class StepMissing(Invalid):
    """A task type lacks a step; the message names what is missing."""

    code = "task_unsuited"


class TaskType(ABC):
    """One kind of label for images. The first line of a subclass's docstring describes it for people."""

    name: ClassVar[str]
    """The name in the API, set by `register`."""
    lacks: ClassVar[Mapping[Step, str]] = {}
    """The steps that it doesn't support, each with what is missing."""

    unfit_recipe: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {}
    """Fields of a training's recipe that it can't use: the values that switch each off, and why others are refused."""

    several_of: ClassVar[str | None] = None
    """The task that, with `multi_label: true`, means this one: older clients sent that, and publications, whose bytes
    never change, contain it."""

    @property
    @abstractmethod
    def labels(self) -> Labels:
        """The form and contents of its labels."""

    @property
    @abstractmethod
    def agreement(self) -> Agreement:
        """When two of its labels agree, and the consensus of several."""

    def in_words(self, label: Label) -> str:
        """Describe a label in a word or two: its category, or its number of objects of each class."""
        known = self.agreement.category(label)
        counts = self.labels.class_counts(label) if known is None else {}
        return (", ".join(f"{count} {name}" for name, count in counts.items()) or "none") if known is None else known

    def require(self, step: Step, *, field: str) -> None:
        """Raise StepMissing naming `field` if the task type lacks a step."""
        if (missing := self.lacks.get(step)) is not None:
            raise StepMissing.field(field, f"{self.name} has no {step} yet: {missing}", code=StepMissing.code)

    @property
    def metrics(self) -> Metrics:
        """The evaluation of answers. Raises StepMissing if no model can be trained."""
        raise self._missing("training")

    @property
    def outputs(self) -> Outputs:
        """The meaning of an ONNX file's outputs. Raises as `metrics`."""
        raise self._missing("training")

    @property
    def learning(self) -> "Learning":
        """The training of a network; torch is imported at the first access. Raises as `metrics`."""
        raise self._missing("training")

    @property
    def mining(self) -> Mining:
        """The operations that strategies can use. Raises StepMissing if nothing can be mined."""
        raise self._missing("mining")

    def _missing(self, step: Step) -> StepMissing:
        return StepMissing(f"{self.name} has no {step} yet: {self.lacks.get(step, 'its task type does not offer it')}")


@cache
def later(module: str, name: str) -> Any:
    """Return an instance of the class `name` of a module, which is imported only now, because it needs torch."""
    return getattr(import_module(module), name)()
