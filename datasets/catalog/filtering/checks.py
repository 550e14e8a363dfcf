"""Validation of filters for a dataset: the same rules for both forms."""

import math
import re
from collections.abc import Mapping
from typing import Any

from catalog.filtering import predictions
from catalog.filtering.expressions import (
    CHOICE,
    FLAG,
    IDS,
    MAX_DEPTH,
    MAX_NUMBER,
    MAX_OPERANDS,
    MAX_SAMPLES,
    MAX_TERMS,
    MAX_TEXT,
    NUMBER,
    OBJECT_FIELDS,
    ORDERS,
    SAMPLE_FIELDS,
    TEXT,
    TEXT_OPERATORS,
    All,
    AnyOf,
    Compare,
    Expression,
    Field,
    Not,
    Objects,
    Prediction,
    depth,
    terms,
)
from catalog.filtering.faults import Faults, meant
from catalog.filtering.predictions import Predicted
from catalog.models import Dataset, Label, Split

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
KNOWN: Mapping[str, list[str]] = {"split": Split.values, "source": Label.Source.values}


def check(expression: Expression, dataset: Dataset, faults: Faults) -> None:
    """Raise Invalid with the place of a condition that is not valid for the dataset."""
    if sum(1 for _ in terms(expression)) > MAX_TERMS:
        raise faults.at(faults.field, f"has more than {MAX_TERMS} conditions")
    if depth(expression) > MAX_DEPTH:
        raise faults.at(faults.field, f"is nested more than {MAX_DEPTH} deep")
    _Checker(dataset, faults).walk(expression, SAMPLE_FIELDS)


class _Checker:
    def __init__(self, dataset: Dataset, faults: Faults, *, any_class: bool = False) -> None:
        self.dataset = dataset
        self.faults = faults
        self.any_class = any_class

    def walk(self, expression: Expression, fields: Mapping[str, Field]) -> None:
        match expression:
            case All(parts) | AnyOf(parts):
                for part in parts:
                    self.walk(part, fields)
            case Not(part):
                self.walk(part, fields)
            case Objects(where=where):
                if not self.dataset.task_type.labels.has_objects:
                    words = (
                        f"{self.dataset.name} is a {self.dataset.task} dataset: its labels have no {expression.kind}"
                    )
                    raise self.faults.at(expression.at, words)
                # The class of a region to ignore is any text.
                _Checker(self.dataset, self.faults, any_class=expression.kind == "ignored").walk(where, OBJECT_FIELDS)
            case Prediction():
                self.prediction(expression)
            case Compare():
                self.compare(expression, fields[expression.path[0]])

    def compare(self, term: Compare, field: Field) -> None:
        name, values = term.path[0], term.operand if isinstance(term.operand, tuple) else (term.operand,)
        if field.kind == IDS:
            if len(values) > MAX_SAMPLES or not all(map(_is_id, values)):
                raise self.faults.at(term.at, f"must be a list of 1 to {MAX_SAMPLES} sample ids")
            return
        if len(values) > MAX_OPERANDS:
            raise self.faults.at(term.at, f"has {len(values)} values, {MAX_OPERANDS} are the most")
        for value in values:
            if not _fits(field.kind, term.operator, value):
                raise self.faults.at(term.at, _wanted(field.kind, term.operator, name, value))
        if name == "class":
            self.classes(values, term.at)
        elif name in KNOWN and (unknown := next((one for one in values if one not in KNOWN[name]), None)) is not None:
            raise self.faults.at(term.at, f"there is no {name} {unknown!r}; must be one of {', '.join(KNOWN[name])}")

    def classes(self, names: tuple[Any, ...], at: Any) -> None:
        for name in names:
            if not self.any_class and name not in self.dataset.classes:
                words = f"unknown class {name!r}: {meant(str(name), self.dataset.classes[:50])}"
                raise self.faults.at(at, words, code="unknown_class")

    def prediction(self, term: Prediction) -> None:
        def place(name: str) -> Any:
            return term.at if isinstance(term.at, int) else f"{term.at}.{name}"

        if not isinstance(term.model, str):
            raise self.faults.at(place("model"), 'must be like "signs@production"')
        if term.classes is not None:
            if len(term.classes) > MAX_OPERANDS or not all(isinstance(name, str) for name in term.classes):
                raise self.faults.at(place("class"), "must be a class or a list of classes")
            self.classes(term.classes, place("class"))
        for operator, bound in term.confidence:
            if operator not in ORDERS or not _is_number(bound):
                raise self.faults.at(place("confidence"), f"must be a number with one of {', '.join(ORDERS)}")
        if term.correct is not None and not isinstance(term.correct, bool):
            raise self.faults.at(place("correct"), "must be true or false")
        where = place("model")
        field = self.faults.field if isinstance(where, int) else where
        predictions.source(field).check(predicted(term), self.dataset, field=field)


def predicted(term: Prediction) -> Predicted:
    """Convert the condition for the source of predictions."""
    return Predicted(term.model, term.classes, term.confidence, term.correct)


def _fits(kind: str, operator: str, value: Any) -> bool:
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == NUMBER:
        return _is_number(value)
    if kind in (CHOICE, TEXT) or operator in TEXT_OPERATORS:
        return _is_text(value) and value != ""
    if operator in ORDERS:
        return _is_text(value) or _is_number(value)
    return _is_text(value) or _is_number(value) or isinstance(value, bool)


def _wanted(kind: str, operator: str, name: str, value: Any) -> str:
    shown = repr(value)[:100]
    if kind == FLAG:
        return f"{name} must be true or false, not {shown}"
    if kind == NUMBER:
        return f"{name} must be compared with a number of at most 2^53, not {shown}"
    if kind in (CHOICE, TEXT) or operator in TEXT_OPERATORS:
        return f"must be a text of 1 to {MAX_TEXT} characters without null characters, not {shown}"
    return f"{operator} can't be compared with {shown}: must be a text of up to {MAX_TEXT} characters or a number"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT and not _UNSTORABLE.search(value)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and abs(value) <= MAX_NUMBER
    )


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_NUMBER
