"""What a task type must offer of labels: what they look like, what they hold, and when two of them agree.

A label is a JSON object in its normal form; a suggestion is a model's guess at one, kept as it was stored. A size is
(width, height) of the upright image in pixels.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from agreement.opinions import Codes
from agreement.shapes import Matches
from core.errors import Invalid
from tasktypes.refusals import malformed
from tasktypes.schemas import NUMBER, record

Label = Mapping[str, Any]
Schema = dict[str, Any]
Size = tuple[int, int] | None
Change = Literal["relabelled", "boxes_moved", "attributes_changed"]
OUTCOMES = KEPT, MOVED, RECLASSED, REMOVED = "kept", "moved", "reclassed", "removed"
"""Of suggested objects that people are asked about; one that is moved and has another class is reclassed."""
KINDS = ("class", "boxes")
"""In the API's words what people agree on: categories, or objects that overlap."""


class ObjectFacts(NamedTuple):
    """One object of a label: `kind` is box, polygon or ignored, the sizes are those of the box around it, and `area`
    that of the object itself, in pixels and square pixels."""

    kind: str
    class_name: str
    width: float
    height: float
    area: float
    attributes: Mapping[str, Any] | None


class Fused(NamedTuple):
    """The label that several come to, the mean share of them that say so, and whether as much speaks for another."""

    label: Label
    confidence: float
    tied: bool


class Verified(NamedTuple):
    """What people made of one suggested object: its class as the model has it, and one of OUTCOMES."""

    class_name: str
    outcome: str


class Labels(ABC):
    """The labels of one task type."""

    form: ClassVar[str]
    """What formats know of them: a constant of `formats.samples`."""
    editors: ClassVar[Sequence[str]]
    """The kinds of queue that ask for them, the usual one first."""
    names_several: ClassVar[bool] = True
    """A label may name several classes."""
    in_pixels: ClassVar[bool] = False
    """A label is checked against the size of its image."""
    has_objects: ClassVar[bool] = False
    """A label holds objects with a place, that filters and figures can ask for."""
    example: ClassVar[str]
    """A label as JSON, for messages."""
    schemas: ClassVar[Mapping[str, Schema]]
    """JSON schemas by the name of their component of the API; task types that share a name share the schema."""
    value_schema: ClassVar[str]
    """Which of them a label keeps to."""
    suggestion_schema: ClassVar[str]
    """Which of them a suggestion keeps to."""

    @property
    def answer_schema(self) -> Schema:
        """JSON schema of what a model answers: a label, and how probable its least sure part is."""
        return record(self.schemas[self.value_schema]["properties"] | {"probability": NUMBER})

    def check(self, value: Any, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        """The label in its normal form; `size` is None where it is not known.

        Raises Invalid (`label`) with code `unknown_class` or `label_malformed`.
        """
        if not isinstance(value, Mapping):
            raise malformed(f"must be an object like {self.example}")
        return self.normal(value, classes=classes, size=size)

    @abstractmethod
    def normal(self, value: Label, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        """What `check` does for a JSON object."""

    @abstractmethod
    def class_counts(self, label: Label) -> dict[str, int]:
        """How many objects of each class a label names; of a label that names classes, each once."""

    @abstractmethod
    def suggested(self, suggestion: Label) -> Label | None:
        """The label that a suggestion stands for, None where it is of another form."""

    def with_classes(self, label: Label | None, *, add: Sequence[str], remove: Sequence[str]) -> Label | None:
        """The label that names `add` too, and none of `remove` any more; without a label None, unless something is
        added. Raises Invalid (`add_classes`) where a label is no list of classes."""
        del label, add, remove
        raise Invalid.field("add_classes", f"a label here is no list of classes: give one like {self.example} as label")

    def cluster(self, suggestion: Label) -> str:
        """The class on whose page of a grid a suggestion belongs, empty where it belongs on none."""
        del suggestion
        return ""

    def objects(self, label: Label) -> Iterable[ObjectFacts]:
        """The objects of a label, kind by kind."""
        del label
        return ()

    def verified(
        self, suggestion: Label | None, label: Label, places: Sequence[int | None]
    ) -> tuple[list[Verified], dict[str, int]]:
        """What became of each suggested object, which is object `places[i]` of the label now (None: of none), and by
        class the objects of the label that none of them is.

        Raises Invalid (`verification.objects`) where the places do not fit the two, or labels have no objects.
        """
        del suggestion, label, places
        raise Invalid.field("verification.objects", "these labels have no objects to verify: leave it out")

    def change(self, before: Label, after: Label) -> Change:
        """How a label differs from the one before it, given that it does."""
        del before, after
        return "relabelled"


class Agreement(ABC):
    """What it means that labels of one task type say the same."""

    overlaps: ClassVar[bool] = False
    """Told as the overlap (IoU) of their objects; else labels count as categories, told as kappa."""
    exclusive: ClassVar[bool] = False
    """Categories shut each other out, so that people's error rates can be learnt from them (Dawid and Skene)."""

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return KINDS[self.overlaps]

    @abstractmethod
    def category(self, label: Label) -> str | None:
        """What a label counts as, None where labels are no categories."""

    @abstractmethod
    def compare(self, labels: Sequence[Label], first: Codes, second: Codes) -> Matches:
        """Compare label `first[i]` with `second[i]`, both places in `labels`; what is no category is matched object by
        object."""

    @abstractmethod
    def fuse(self, tasks: Sequence[Sequence[Label]]) -> list[Fused]:
        """What the labels that several people gave each task come to; that of a single one is left as it is."""
