"""What a task type must offer, part by part; a part that it lacks is named with what is missing."""

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
    """One kind of question. The first line of a subclass's docstring says which, for people."""

    name: ClassVar[str]
    """As the API has it; given by `register`."""
    lacks: ClassVar[Mapping[Step, str]] = {}
    """The steps that it can't do, each with what is missing."""

    unfit_recipe: ClassVar[Mapping[str, tuple[tuple[Any, ...], str]]] = {}
    """Fields of a training's recipe that can't serve it: the values that ask for nothing, and why not others."""

    several_of: ClassVar[str | None] = None
    """The task that said with `multi_label: true` means this one: so clients said it, and so publications say it, whose
    bytes never change."""

    @property
    @abstractmethod
    def labels(self) -> Labels:
        """What its labels look like and hold."""

    @property
    @abstractmethod
    def agreement(self) -> Agreement:
        """When two of its labels say the same, and what many come to."""

    def in_words(self, label: Label) -> str:
        """A label in a word or two: its category, or how many objects of each class it holds."""
        known = self.agreement.category(label)
        counts = self.labels.class_counts(label) if known is None else {}
        return (", ".join(f"{count} {name}" for name, count in counts.items()) or "none") if known is None else known

    def require(self, step: Step, *, field: str) -> None:
        """Raise StepMissing naming `field` where it lacks a step."""
        if (missing := self.lacks.get(step)) is not None:
            raise StepMissing.field(field, f"{self.name} has no {step} yet: {missing}", code=StepMissing.code)

    @property
    def metrics(self) -> Metrics:
        """How answers are judged. Raises StepMissing where no model can be trained."""
        raise self._missing("training")

    @property
    def outputs(self) -> Outputs:
        """What an ONNX file says. Raises as `metrics`."""
        raise self._missing("training")

    @property
    def learning(self) -> "Learning":
        """How a network learns it; torch is imported when this is first asked for. Raises as `metrics`."""
        raise self._missing("training")

    @property
    def mining(self) -> Mining:
        """What strategies may ask. Raises StepMissing where nothing can be mined."""
        raise self._missing("mining")

    def _missing(self, step: Step) -> StepMissing:
        return StepMissing(f"{self.name} has no {step} yet: {self.lacks.get(step, 'its task type does not offer it')}")


@cache
def later(module: str, name: str) -> Any:
    """An instance of the class `name` of a module, which is imported only now: for what needs torch."""
    return getattr(import_module(module), name)()
