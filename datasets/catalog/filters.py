"""Conditions on samples, as JSON: what a slice saves, what mining and the grid apply. All of them must hold.

    {"split": "train" | ["train", "val"], "class": "car" | [..], "labelled": true, "q": "a part of the key",
     "samples": [17, 4],
     "meta": {"time": "night", "speed": {">": 30, "<=": 90}, "camera.id": {"in": [1, 2]}, "gps": {"exists": false}},
     "prediction": {"model": "signs@production", "class": "cyclist", "confidence": {"<": 0.4}}}

A value in place of {operator: operand} means equal. A dot in a name of `meta` leads into an object. An operand is
compared with values of its own kind alone (text, number, true or false): nothing else fulfils any condition on it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.db.models.lookups import Exact, GreaterThan, GreaterThanOrEqual, In, IsNull, LessThan, LessThanOrEqual

from catalog import predictions
from catalog.meta_sql import META, DigestIn, MetaKind, SampleIn
from catalog.models import Dataset, Mention, RevisionQuerySet, Split
from catalog.predictions import Predicted
from core.errors import Invalid

FIELD = "filter"
NAMES = ("split", "class", "labelled", "q", "samples", "meta", "prediction")
ORDERS = {"<": LessThan, "<=": LessThanOrEqual, ">": GreaterThan, ">=": GreaterThanOrEqual}
OPERATORS = ("=", "!=", *ORDERS, "in", "exists")
MAX_CONDITIONS = 50
MAX_OPERANDS = 1000
MAX_TEXT = 500
MAX_SAMPLES = 20_000
MAX_NUMBER = 2**53  # beyond it, whole numbers and floats are not the same on every database
_PART = re.compile(r"[\w -]+")

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter that was checked against a dataset's classes; `document` is what it was made of."""

    document: Mapping[str, Any]
    boxes: bool

    @classmethod
    def of(cls, document: Any, dataset: Dataset, *, field: str = FIELD) -> "Filter":
        """From JSON. Raises Invalid naming the condition, like `filter.meta.speed`."""
        if not isinstance(document, Mapping) or not document:
            raise Invalid.field(field, f"must be an object with some of {', '.join(NAMES)}")
        for name, value in document.items():
            if name not in NAMES:
                raise Invalid.field(f"{field}.{name}", f"there is no such condition; there are {', '.join(NAMES)}")
            _CHECKS[name](value, f"{field}.{name}", dataset)
        return cls(dict(document), dataset.names_several)

    def apply(self, rows: RevisionQuerySet) -> RevisionQuerySet:
        """Only the revisions that fulfil every condition. Raises Invalid for a model that is gone or has no scores."""
        for name, value in self.document.items():
            rows = _APPLY[name](rows, value, boxes=self.boxes)
        return rows


def _check_split(value: Any, field: str, _: Dataset) -> None:
    if not _one_or_more(value) or not set(_listed(value)) <= set(Split.values):
        raise Invalid.field(field, f"must be one or a list of {', '.join(Split.values)}")


def _check_class(value: Any, field: str, dataset: Dataset) -> None:
    if not _one_or_more(value):
        raise Invalid.field(field, "must be a class or a list of classes")
    for name in _listed(value):
        if name not in dataset.classes:
            raise Invalid.field(field, f"unknown class {name!r}", code="unknown_class")


def _check_labelled(value: Any, field: str, _: Dataset) -> None:
    if not isinstance(value, bool):
        raise Invalid.field(field, "must be true or false")


def _check_q(value: Any, field: str, _: Dataset) -> None:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT or "\0" in value:
        raise Invalid.field(field, f"must be a text of 1 to {MAX_TEXT} characters")


def _check_samples(value: Any, field: str, _: Dataset) -> None:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_SAMPLES or not all(map(_is_id, value)):
        raise Invalid.field(field, f"must be a list of 1 to {MAX_SAMPLES} sample ids")


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_NUMBER


def _check_meta(value: Any, field: str, _: Dataset) -> None:
    if not isinstance(value, Mapping) or not 0 < len(value) <= MAX_CONDITIONS:
        raise Invalid.field(field, f"must be an object with 1 to {MAX_CONDITIONS} conditions")
    for name, condition in value.items():
        if not name or len(name) > MAX_TEXT or not all(_PART.fullmatch(part) for part in name.split(".")):
            raise Invalid.field(f"{field}.{name}", "names are letters, digits, _, - and spaces, with dots between them")
        _check_condition(condition, f"{field}.{name}")


def _check_condition(condition: Any, field: str, operators: Sequence[str] = OPERATORS) -> None:
    if not isinstance(condition, Mapping):
        condition = {"=": condition}
    if not condition:
        raise Invalid.field(field, f"must be a value or an object of {', '.join(operators)}")
    for operator, operand in condition.items():
        if operator not in operators:
            raise Invalid.field(field, f"there is no operator {operator!r}; there are {', '.join(operators)}")
        _check_operand(operator, operand, field)


def _check_operand(operator: str, operand: Any, field: str) -> None:
    if operator == "exists":
        fits = isinstance(operand, bool)
    elif operator == "in":
        fits = isinstance(operand, list) and 0 < len(operand) <= MAX_OPERANDS and all(map(_is_scalar, operand))
    elif operator in ORDERS:
        fits = _is_scalar(operand) and not isinstance(operand, bool)
    else:
        fits = _is_scalar(operand)
    if not fits:
        raise Invalid.field(field, f"{operator} can't be compared with {operand!r}"[:MAX_TEXT])


def _check_prediction(value: Any, field: str, dataset: Dataset) -> None:
    if not isinstance(value, Mapping) or not set(value) <= {"model", "class", "confidence"} or len(value) < 2:
        raise Invalid.field(field, "must have a `model` and a `class`, a `confidence` or both")
    if not isinstance(value.get("model"), str):
        raise Invalid.field(f"{field}.model", 'must be like "signs@production"')
    if "class" in value:
        _check_class(value["class"], f"{field}.class", dataset)
    if "confidence" in value:
        bounds = value["confidence"]
        if not isinstance(bounds, Mapping) or any(isinstance(bound, str) for bound in bounds.values()):
            raise Invalid.field(f"{field}.confidence", 'must be like {"<": 0.4}')
        _check_condition(bounds, f"{field}.confidence", list(ORDERS))
    predictions.check(_predicted(value), dataset, field=f"{field}.model")


def _is_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_TEXT and "\0" not in value
    return isinstance(value, bool | int | float) and math.isfinite(value) and abs(value) <= MAX_NUMBER


def _one_or_more(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and 0 < len(value) <= MAX_OPERANDS and all(isinstance(item, str) for item in value)
    )


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _by_split(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:  # noqa: ARG001 - one shape for all
    return rows.filter(split__in=_listed(value))


def _by_class(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:
    if not boxes:
        return rows.filter(class_name__in=_listed(value))
    return rows.filter(Exists(Mention.objects.filter(revision=OuterRef("pk"), class_name__in=_listed(value))))


def _by_labelled(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:  # noqa: ARG001
    return rows.filter(label__isnull=not value)


def _by_q(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:  # noqa: ARG001
    return rows.filter(sample__key__icontains=value)


def _by_samples(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:  # noqa: ARG001
    return rows.filter(SampleIn(value))


def _by_meta(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:  # noqa: ARG001
    for name, condition in value.items():
        operators = condition if isinstance(condition, Mapping) else {"=": condition}
        for operator, operand in operators.items():
            rows = rows.filter(_compared(name.split("."), operator, operand))
    return rows


def _compared(path: list[str], operator: str, operand: Any) -> Any:
    if operator == "exists":
        return Q(IsNull(MetaKind(path), not operand))
    if operator == "in":
        kinds = {type_of: [item for item in operand if _kind(item) == type_of] for type_of in map(_kind, operand)}
        either = Q()
        for kind, items in kinds.items():
            either |= Q(In(META[kind](path), items))
        return either
    column = META[_kind(operand)](path)
    if operator in ORDERS:
        return ORDERS[operator](column, operand)
    equal = Q(Exact(column, operand))
    return equal if operator == "=" else ~equal & Q(IsNull(column, False))  # noqa: FBT003


def _kind(value: Scalar) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"


def _by_prediction(rows: RevisionQuerySet, value: Any, *, boxes: bool) -> RevisionQuerySet:  # noqa: ARG001
    return rows.filter(DigestIn(predictions.digests(_predicted(value))))


def _predicted(value: Mapping[str, Any]) -> Predicted:
    named = tuple(_listed(value["class"])) if "class" in value else None
    return Predicted(value["model"], named, tuple(value.get("confidence", {}).items()))


_CHECKS = {
    "split": _check_split,
    "class": _check_class,
    "labelled": _check_labelled,
    "q": _check_q,
    "samples": _check_samples,
    "meta": _check_meta,
    "prediction": _check_prediction,
}
_APPLY = {
    "split": _by_split,
    "class": _by_class,
    "labelled": _by_labelled,
    "q": _by_q,
    "samples": _by_samples,
    "meta": _by_meta,
    "prediction": _by_prediction,
}
