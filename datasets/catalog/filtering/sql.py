"""Evaluate a filter in the database: an expression becomes one condition on revisions.

A missing value fulfils no condition: a comparison with it is false, and the negation true. SQL would return NULL for
both, so every negation selects what is not TRUE.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import Case, Count, Exists, F, FloatField, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce, Least, NullIf
from django.db.models.lookups import Exact, GreaterThan, GreaterThanOrEqual, In, IsNull, LessThan, LessThanOrEqual

from catalog.filtering import predictions
from catalog.filtering.checks import predicted
from catalog.filtering.expressions import (
    ORDERS,
    TEXT_OPERATORS,
    All,
    AnyOf,
    Compare,
    Expression,
    Not,
    Objects,
    Prediction,
    Scalar,
)
from catalog.filtering.meta_sql import (
    META,
    Contains,
    DigestAndClassIn,
    DigestIn,
    Glob,
    HasPrefix,
    MetaKind,
    MetaTag,
    SampleIn,
)
from catalog.filtering.predictions import Predicted
from catalog.models import Dataset, LabelObject, RevisionClass, Sample, Split, Version
from catalog.splits.barring import barring, known

_ORDERS: Mapping[str, type[Any]] = {
    "<": LessThan, "<=": LessThanOrEqual, ">": GreaterThan, ">=": GreaterThanOrEqual,
}  # fmt: skip
_PATTERNS = {"prefix": HasPrefix, "glob": Glob, "contains": Contains}
_AT_LEAST_ONE = ((">=", 1), (">", 0), ("!=", 0))
_NONE = (("=", 0), ("<", 1), ("<=", 0))
_KINDS = {
    "boxes": [LabelObject.Kind.BOX],
    "polygons": [LabelObject.Kind.POLYGON],
    "objects": [LabelObject.Kind.BOX, LabelObject.Kind.POLYGON],
    "ignored": [LabelObject.Kind.IGNORED],
}


@dataclass(frozen=True, slots=True)
class Ground:
    """The facts of a dataset that evaluation needs: its id and those it was forked from, whether a label may name
    several classes, and the head, which decides which samples are kept out of train."""

    dataset_ids: tuple[int, ...]
    several: bool
    head: Version | None = None

    @classmethod
    def of(cls, dataset: Dataset) -> "Ground":
        """Return the facts of `dataset`."""
        return cls((dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)), dataset.names_several, dataset.head)


def condition(expression: Expression, ground: Ground) -> Q:
    """Return the condition on revisions. Raises Invalid for a model that is gone or has no scores."""
    match expression:
        case All(parts):
            return reduce(and_, (condition(part, ground) for part in parts), Q())
        case AnyOf(parts):
            return reduce(or_, (condition(part, ground) for part in parts))
        case Not(part):
            return _not(condition(part, ground))
        case Objects():
            return _objects(expression)
        case Prediction():
            return _predicted(predicted(expression))
    return _SAMPLE[expression.path[0]](expression, ground)


def _predicted(wanted: Predicted) -> Q:
    """The condition on predictions. Labels have one class here: `checks` allows `correct` for nothing else."""
    source = predictions.source()
    if wanted.correct is None:
        return Q(DigestIn(source.digests(wanted)))
    right = Q(DigestAndClassIn(source.named(wanted)))
    return right if wanted.correct else Q(label__isnull=False) & Q(DigestIn(source.digests(wanted))) & _not(right)


def _not(inner: Q) -> Q:
    true = Case(When(inner, then=Value(True)), default=Value(False))  # noqa: FBT003 - Django's
    return Q(Exact(true, Value(False)))  # noqa: FBT003


def _values(term: Compare) -> list[Any]:
    return list(term.operand) if isinstance(term.operand, tuple) else [term.operand]


def _by_class(term: Compare, ground: Ground) -> Q:
    if not ground.several:
        return Q(class_name__in=_values(term))
    return Q(Exists(RevisionClass.objects.filter(revision=OuterRef("pk"), class_name__in=_values(term))))


def _by_key(term: Compare, ground: Ground) -> Q:
    if term.operator in ("=", "in"):
        # A subquery uses the index of keys: joined, a database without statistics reads the whole version.
        named = Sample.objects.filter(dataset__in=ground.dataset_ids, key__in=_values(term))
        return Q(sample__in=named.values("pk"))
    return _compared(F("sample__key"), term)


def _by_near_duplicate(term: Compare, ground: Ground) -> Q:
    if ground.head is None:
        return Q(pk=None) if term.operand else Q()
    held_out = term.path == ("held_out",)
    rows = barring(ground.head) if held_out else known(ground.head)
    passes = Q(sample__in=rows.values("sample")) & (Q(split=Split.POOL) if held_out else Q())
    return passes if term.operand else _not(passes)


def _by_meta(term: Compare, _: Ground) -> Q:
    return _nested(term, "meta")


def _number(make: Callable[[], Any]) -> Callable[[Compare, Ground], Q]:
    return lambda term, _: _compared(make(), term)


def _ratio(one: Any, other: Any) -> Any:
    return Cast(one, FloatField()) / NullIf(Cast(other, FloatField()), Value(0.0))


_SAMPLE: Mapping[str, Callable[[Compare, Ground], Q]] = {
    "split": lambda term, _: Q(split__in=_values(term)),
    "class": _by_class,
    "labelled": lambda term, _: Q(label__isnull=not term.operand),
    "source": lambda term, _: Q(label__source__in=_values(term)),
    "author": lambda term, _: Q(label__author__username__in=_values(term)),
    "key": _by_key,
    "tag": lambda term, _: Q(MetaTag([str(value) for value in _values(term)])),
    "meta": _by_meta,
    "width": _number(lambda: F("blob__width")),
    "height": _number(lambda: F("blob__height")),
    "aspect": _number(lambda: _ratio(F("blob__width"), F("blob__height"))),
    "media_type": _number(lambda: F("blob__media_type")),
    "bytes": _number(lambda: F("blob__size")),
    "near_duplicate": _by_near_duplicate,
    "held_out": _by_near_duplicate,
    "samples": lambda term, _: Q(SampleIn(_values(term))),
}

_OBJECT: Mapping[str, Callable[[Compare], Q]] = {
    "class": lambda term: Q(class_name__in=_values(term)),
    "area": lambda term: _compared(F("area"), term),
    "share": lambda term: _compared(_share(), term),
    "width": lambda term: _compared(F("width"), term),
    "height": lambda term: _compared(F("height"), term),
    "side": lambda term: _compared(Least(F("width"), F("height")), term),
    "aspect": lambda term: _compared(_ratio(F("width"), F("height")), term),
    "attributes": lambda term: _nested(term, "attributes"),
}


def _share() -> Any:
    width, height = (Cast(OuterRef(f"blob__{name}"), FloatField()) for name in ("width", "height"))
    return F("area") / NullIf(width * height, Value(0.0))


def _of_object(expression: Expression) -> Q:
    match expression:
        case All(parts):
            return reduce(and_, map(_of_object, parts), Q())
        case AnyOf(parts):
            return reduce(or_, map(_of_object, parts))
        case Not(part):
            return _not(_of_object(part))
        case Compare():
            return _OBJECT[expression.path[0]](expression)
    raise TypeError(f"{expression!r} is not a condition on an object")


def _objects(term: Objects) -> Q:
    """The condition on the number of objects. An unlabelled sample has no such number, not even 0."""
    rows = LabelObject.objects.filter(label=OuterRef("label"), kind__in=_KINDS[term.kind])
    rows = rows.filter(_of_object(term.where)).order_by()
    asked = (term.operator, term.count)
    if asked in _AT_LEAST_ONE:
        return Q(Exists(rows))
    labelled = Q(label__isnull=False)
    if asked in _NONE:
        return labelled & Q(~Exists(rows))
    number = Coalesce(Subquery(rows.values("label").annotate(n=Count("pk")).values("n")), Value(0))
    if term.operator in ORDERS:
        return labelled & Q(_ORDERS[term.operator](number, term.count))
    equal = Q(Exact(number, term.count))
    return labelled & (equal if term.operator == "=" else _not(equal))


def _nested(term: Compare, column: str) -> Q:
    """The condition on a value inside a JSON column; only values of the operand's kind can fulfil it."""
    path = term.path[1:]
    if term.operator == "exists":
        return Q(IsNull(MetaKind(path, column), False))  # noqa: FBT003 - Django's
    if term.operator == "in":
        kinds: dict[str, list[Scalar]] = {}
        for value in _values(term):
            kinds.setdefault(_kind(value), []).append(value)
        return reduce(or_, (Q(In(META[kind](path, column), values)) for kind, values in kinds.items()))
    kind = "text" if term.operator in TEXT_OPERATORS else _kind(term.operand)  # type: ignore[arg-type]  # one value
    return _compared(META[kind](path, column), term)


def _compared(column: Any, term: Compare) -> Q:
    if term.operator in _PATTERNS:
        return Q(_PATTERNS[term.operator](column, str(term.operand)))
    if term.operator in _ORDERS:
        return Q(_ORDERS[term.operator](column, term.operand))
    if term.operator == "in":
        return Q(In(column, _values(term)))
    equal = Q(Exact(column, term.operand))
    return equal if term.operator == "=" else _not(equal) & Q(IsNull(column, False))  # noqa: FBT003 - Django's


def _kind(value: Scalar) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"
