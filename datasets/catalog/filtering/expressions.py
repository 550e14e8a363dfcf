"""The parts of a filter: the fields, the operators, and the tree they form."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

MAX_TERMS = 500
MAX_DEPTH = 16
MAX_NESTING = 64  # the deepest nesting of parentheses and brackets, redundant ones too
MAX_PARTS = 100
MAX_OPERANDS = 1000
MAX_TEXT = 500
MAX_SAMPLES = 20_000
MAX_NUMBER = 2**53  # beyond it, whole numbers and floats are not the same on every database

EQUALITY = ("=", "!=", "in")
ORDERS = ("<", "<=", ">", ">=")
TEXT_OPERATORS = ("prefix", "glob", "contains")
COUNTS = ("=", "!=", *ORDERS)

CHOICE, FLAG, NUMBER, TEXT, VALUE, IDS = KINDS = ("choice", "flag", "number", "text", "value", "ids")
OPERATORS: Mapping[str, tuple[str, ...]] = {
    CHOICE: ("=", "in"),
    FLAG: ("=",),
    NUMBER: (*EQUALITY, *ORDERS),
    TEXT: (*EQUALITY, *TEXT_OPERATORS),
    VALUE: (*EQUALITY, *ORDERS, *TEXT_OPERATORS, "exists"),
    IDS: ("in",),
}

Scalar = str | int | float | bool
Operand = Scalar | tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field to compare; a field of kind VALUE has names below it, like `meta.weather`."""

    kind: str
    words: str
    flat: bool = False
    """Whether a dot in a name below it is part of the name."""

    @property
    def nested(self) -> bool:
        """Whether the field takes names below it."""
        return self.kind == VALUE


SAMPLE_FIELDS: Mapping[str, Field] = {
    "split": Field(CHOICE, "pool, train, val or test"),
    "class": Field(CHOICE, "a class that the label names"),
    "labelled": Field(FLAG, "has a label"),
    "source": Field(CHOICE, "where the label comes from: human, model or import"),
    "author": Field(CHOICE, "who gave the label, by user name"),
    "key": Field(TEXT, "the key of the sample"),
    "tag": Field(CHOICE, "one of the texts in the list meta.tags"),
    "meta": Field(VALUE, "metadata, a dot leads into an object"),
    "width": Field(NUMBER, "of the image, in pixels"),
    "height": Field(NUMBER, "of the image, in pixels"),
    "aspect": Field(NUMBER, "width of the image divided by its height"),
    "media_type": Field(TEXT, "of the image, like image/png"),
    "bytes": Field(NUMBER, "size of the image's file"),
    "near_duplicate": Field(FLAG, "shows nearly what a test sample shows, as the head knows"),
    "held_out": Field(FLAG, "in the pool and kept out of train, as the head decides"),
    "slice": Field(CHOICE, "a saved filter, by name"),
    "samples": Field(IDS, "ids of samples"),
}
OBJECT_FIELDS: Mapping[str, Field] = {
    "class": Field(CHOICE, "its class"),
    "area": Field(NUMBER, "in square pixels"),
    "share": Field(NUMBER, "its area divided by that of the image, 0 to 1"),
    "width": Field(NUMBER, "in pixels"),
    "height": Field(NUMBER, "in pixels"),
    "side": Field(NUMBER, "the shorter side, in pixels"),
    "aspect": Field(NUMBER, "its width divided by its height"),
    "attributes": Field(VALUE, "an attribute by its name", flat=True),
}
OBJECTS: Mapping[str, str] = {
    "boxes": "how many boxes the label has",
    "polygons": "how many polygons the label has",
    "objects": "how many boxes and polygons the label has",
    "ignored": "how many ignore regions the label has",
}
CONFIDENCE = "confidence"
CORRECT = "correct"
PREDICTION = ("model", "class", CONFIDENCE, CORRECT)

Place = str | int
"""The position of a part in the filter, for errors: a path of fields in JSON, an offset in text."""


@dataclass(frozen=True, slots=True)
class All:
    """All parts hold; without any, everything does."""

    parts: "tuple[Expression, ...]" = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Expression"


@dataclass(frozen=True, slots=True)
class Compare:
    """A field, an operator and what to compare with; `path` has the names below a field of kind VALUE."""

    path: tuple[str, ...]
    operator: str
    operand: Operand
    at: Place = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Objects:
    """Compares the number of objects of a label that pass `where`."""

    kind: str
    where: "Expression"
    operator: str
    count: int
    at: Place = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A condition on a model's scores of the image."""

    model: str
    classes: tuple[str, ...] | None
    confidence: tuple[tuple[str, float], ...]
    at: Place = field(default="", compare=False)
    correct: bool | None = None
    """Whether the label agrees with the prediction; None: either, or no label."""


Expression = All | AnyOf | Not | Compare | Objects | Prediction
EVERYTHING = All()


def all_of(parts: "list[Expression]") -> Expression:
    """Return an expression that requires all parts, without needless nesting."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, All) else (part,))]
    return flat[0] if len(flat) == 1 else All(tuple(flat))


def any_of(parts: "list[Expression]") -> Expression:
    """Return an expression that requires at least one part, without needless nesting."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AnyOf) else (part,))]
    return flat[0] if len(flat) == 1 else AnyOf(tuple(flat))


def negated(part: Expression) -> Expression:
    """Return the negation of `part`."""
    if isinstance(part, Not):
        return part.part
    if isinstance(part, Compare) and isinstance(part.operand, bool) and len(part.path) == 1:
        return replace(part, operand=not part.operand)  # a flag
    return Not(part)


def one_of(path: tuple[str, ...], values: tuple[Scalar, ...], at: Place) -> Compare:
    """Return the condition that the field has one of these values."""
    if len(values) == 1 and path != ("samples",):
        return Compare(path, "=", values[0], at)
    return Compare(path, "in", values, at)


def terms(expression: Expression) -> Iterator[Compare | Objects | Prediction]:
    """Yield all conditions; those on objects come after the one they belong to."""
    match expression:
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from terms(part)
        case Not(part):
            yield from terms(part)
        case Objects(where=where):
            yield expression
            yield from terms(where)
        case _:
            yield expression


def depth(expression: Expression) -> int:
    """Return the nesting depth of the expression."""
    match expression:
        case All(parts) | AnyOf(parts):
            return 1 + max(map(depth, parts), default=0)
        case Not(part):
            return 1 + depth(part)
        case Objects(where=where):
            return 1 + depth(where)
        case _:
            return 1


def mapped(expression: Expression, change: Callable[[Compare | Prediction], Expression]) -> Expression:
    """Return the expression with each condition on the sample itself replaced by `change` of it."""
    match expression:
        case All(parts):
            return all_of([mapped(part, change) for part in parts])
        case AnyOf(parts):
            return any_of([mapped(part, change) for part in parts])
        case Not(part):
            return negated(mapped(part, change))
        case Objects():
            return expression
        case _:
            return change(expression)


def conjuncts(expression: Expression) -> tuple[Expression, ...]:
    """Return the parts that must all hold."""
    return expression.parts if isinstance(expression, All) else (expression,)


def slices_in(expression: Expression) -> set[str]:
    """Return the names of the slices in the expression."""
    named = (term.operand for term in terms(expression) if isinstance(term, Compare) and term.path == ("slice",))
    return {str(name) for operand in named for name in (operand if isinstance(operand, tuple) else (operand,))}
