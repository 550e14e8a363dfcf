"""The interface of a task type's labels: their form, their contents, and when two of them agree.

A label is a JSON object in its normal form; a suggestion is a label predicted by a model, kept as it was stored. A size
is (width, height) of the upright image in pixels.
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
"""Results of verifying a suggested object; one that is moved and gets another class is reclassed."""
KINDS = ("class", "boxes")
"""The API's names for the kinds of agreement: on categories, or on objects that overlap."""


class ObjectFacts(NamedTuple):
    """One object of a label: `kind` is box, polygon or ignored, the sizes are those of the box around it, and `area`
    that of the object itself (of all its parts), in pixels and square pixels."""

    kind: str
    class_name: str
    width: float
    height: float
    area: float
    attributes: Mapping[str, Any] | None


class Fused(NamedTuple):
    """The consensus of several labels, the mean share of people who agree with it, and whether another label has as
    much support."""

    label: Label
    confidence: float
    tied: bool


class Verified(NamedTuple):
    """The result of verifying one suggested object: its class in the suggestion, and one of OUTCOMES."""

    class_name: str
    outcome: str


class Labels(ABC):
    """The labels of one task type."""

    form: ClassVar[str]
    """The form of the labels in file formats: a constant of `formats.samples`."""
    editors: ClassVar[Sequence[str]]
    """The kinds of queue in which people give such labels, the default first."""
    names_several: ClassVar[bool] = True
    """Whether a label may name several classes."""
    in_pixels: ClassVar[bool] = False
    """Whether a label is in pixels, and checked against the size of its image."""
    has_objects: ClassVar[bool] = False
    """Whether a label holds objects with a place, which filters and figures can use."""
    example: ClassVar[str]
    """An example of a label as JSON, for messages."""
    schemas: ClassVar[Mapping[str, Schema]]
    """JSON schemas by the name of their component of the API; task types that share a name share the schema."""
    value_schema: ClassVar[str]
    """The name of the schema of a label."""
    suggestion_schema: ClassVar[str]
    """The name of the schema of a suggestion."""

    @property
    def answer_schema(self) -> Schema:
        """JSON schema of a model's answer: a label, and the probability of its least certain part."""
        return record(self.schemas[self.value_schema]["properties"] | {"probability": NUMBER})

    def check(self, value: Any, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        """Validate a label and return it in its normal form; `size` is None where it is not known.

        Raises Invalid (`label`) with code `unknown_class` or `label_malformed`.
        """
        if not isinstance(value, Mapping):
            raise malformed(f"must be an object like {self.example}")
        return self.normal(value, classes=classes, size=size)

    @abstractmethod
    def normal(self, value: Label, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        """Validate a JSON object as `check` does, and return the label in its normal form."""

    @abstractmethod
    def class_counts(self, label: Label) -> dict[str, int]:
        """Count the objects of each class in a label; a class that the label itself names counts once."""

    @abstractmethod
    def suggested(self, suggestion: Label) -> Label | None:
        """Return the label that a suggestion contains; None if it is of another form."""

    def with_classes(self, label: Label | None, *, add: Sequence[str], remove: Sequence[str]) -> Label | None:
        """Return the label with the classes `add` and without `remove`; None without a label, unless something is
        added. Raises Invalid (`add_classes`) if a label is not a list of classes."""
        del label, add, remove
        raise Invalid.field(
            "add_classes", f"a label of this dataset is one class, not a list: send one like {self.example} as label"
        )

    def cluster(self, suggestion: Label) -> str:
        """Return the class under which a grid groups a suggestion; empty if none."""
        del suggestion
        return ""

    def objects(self, label: Label) -> Iterable[ObjectFacts]:
        """Return the objects of a label, kind by kind."""
        del label
        return ()

    def verified(
        self, suggestion: Label | None, label: Label, places: Sequence[int | None]
    ) -> tuple[list[Verified], dict[str, int]]:
        """Return the result of verifying each suggested object, which is now object `places[i]` of the label (None: of
        none), and, by class, the number of the label's objects that match no suggested one.

        Raises Invalid (`verification.objects`) if `places` does not fit suggestion and label, or labels have no
        objects.
        """
        del suggestion, label, places
        raise Invalid.field("verification.objects", "these labels have no objects to verify: leave it out")

    def change(self, before: Label, after: Label) -> Change:
        """Return how a label differs from its predecessor, given that it does."""
        del before, after
        return "relabelled"


class Agreement(ABC):
    """Agreement between labels of one task type."""

    overlaps: ClassVar[bool] = False
    """Whether agreement is measured as the overlap (IoU) of objects; else labels count as categories, measured as
    kappa."""
    exclusive: ClassVar[bool] = False
    """Whether categories exclude each other, so that people's error rates can be estimated from them (Dawid and
    Skene)."""

    @property
    def kind(self) -> str:
        """The kind of agreement, one of KINDS."""
        return KINDS[self.overlaps]

    @abstractmethod
    def category(self, label: Label) -> str | None:
        """Return the category that a label counts as; None if labels are no categories."""

    @abstractmethod
    def compare(self, labels: Sequence[Label], first: Codes, second: Codes) -> Matches:
        """Compare label `first[i]` with `second[i]`, both indices into `labels`; labels that are no categories are
        matched object by object."""

    @abstractmethod
    def fuse(self, tasks: Sequence[Sequence[Label]]) -> list[Fused]:
        """Return the consensus of the labels that several people gave each task; a single label stays as it is."""
