"""The JSON form of filters.

    {"split": "train" | ["train", "val"], "class": "car" | [..], "labelled": true, "q": "a part of the key",
     "key": {"prefix": "night/"}, "tag": "blurry", "width": {">=": 640}, "samples": [17, 4],
     "meta": {"time": "night", "speed": {">": 30, "<=": 90}, "camera.id": {"in": [1, 2]}, "gps": {"exists": false}},
     "boxes": {"where": {"class": "car", "area": {"<": 1024}, "attributes": {"occluded": true}}, "count": {">=": 2}},
     "prediction": {"model": "signs@production", "class": "cyclist", "confidence": {"<": 0.4}},
     "any": [{..}, {..}], "all": [..], "not": {..}}

All members of an object must hold. A value in place of {operator: operand} means equal.
"""

import re
from collections.abc import Mapping
from typing import Any

from catalog.filtering.expressions import (
    CHOICE,
    CONFIDENCE,
    CORRECT,
    COUNTS,
    FLAG,
    IDS,
    MAX_NESTING,
    MAX_PARTS,
    MAX_SAMPLES,
    MAX_TERMS,
    OBJECT_FIELDS,
    OBJECTS,
    OPERATORS,
    PREDICTION,
    SAMPLE_FIELDS,
    All,
    AnyOf,
    Compare,
    Expression,
    Field,
    Not,
    Objects,
    Prediction,
    all_of,
    any_of,
    conjuncts,
    negated,
    one_of,
)
from catalog.filtering.faults import Faults, meant

GROUPS = ("all", "any", "not")
SEARCH = "q"
_NAME = re.compile(r'[^"\\\x00-\x1f]+')
Fields = Mapping[str, Field]


def read_document(document: Any, faults: Faults) -> Expression:
    """Parse a JSON filter. Raises Invalid naming the malformed part, like `filter.meta.speed`."""
    return _Reader(faults).group(document, faults.field, SAMPLE_FIELDS, 1)


class _Reader:
    """Parses one filter and counts its conditions."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.count = 0

    def group(self, document: Any, place: str, fields: Fields, level: int) -> Expression:
        """Parse an object, all of whose members must hold."""
        known = [*fields, *((SEARCH, *OBJECTS, "prediction") if fields is SAMPLE_FIELDS else ()), *GROUPS]
        if not isinstance(document, Mapping) or not document:
            raise self.faults.at(place, f"must be an object with some of {', '.join(known)}")
        if level > MAX_NESTING:
            raise self.faults.at(place, f"is nested more than {MAX_NESTING} deep")
        parts: list[Expression] = []
        for name, value in document.items():
            at = f"{place}.{name}" if place else str(name)
            if name not in known:
                raise self.faults.at(at, f"there is no such condition: {meant(str(name), known)}")
            parts.append(self.member(name, value, at, fields, level))
        return all_of(parts)

    def member(self, name: str, value: Any, at: str, fields: Fields, level: int) -> Expression:
        if name == "not":
            return negated(self.group(value, at, fields, level + 1))
        if name in GROUPS:
            if not isinstance(value, list) or not 0 < len(value) <= MAX_PARTS:
                raise self.faults.at(at, f"must be a list of 1 to {MAX_PARTS} filters")
            parts = [self.group(part, f"{at}.{index}", fields, level + 1) for index, part in enumerate(value)]
            return all_of(parts) if name == "all" else any_of(parts)
        if name in fields:
            return self.compared(name, fields[name], value, at)
        if name == SEARCH:
            return self.counted(Compare(("key",), "contains", value, at))
        return self.objects(name, value, at, level) if name in OBJECTS else self.prediction(value, at)

    def compared(self, name: str, field: Field, value: Any, at: str) -> Expression:
        if field.kind == FLAG:
            return self.counted(Compare((name,), "=", value, at))
        if field.kind in (CHOICE, IDS):
            return self.counted(one_of((name,), self.values(value, at, single=field.kind == CHOICE), at))
        if not field.nested:
            return self.condition((name,), value, at, OPERATORS[field.kind])
        if not isinstance(value, Mapping) or not 0 < len(value) <= MAX_PARTS:
            raise self.faults.at(at, f"must be an object with 1 to {MAX_PARTS} names and what to compare each with")
        parts = []
        for below, condition in value.items():
            inner = f"{at}.{below}"
            path = (name, str(below)) if field.flat else (name, *str(below).split("."))
            if not all(_NAME.fullmatch(part) for part in path):
                raise self.faults.at(inner, "a name has no quotation marks, backslashes or control characters")
            parts.append(self.condition(path, condition, inner, OPERATORS[field.kind]))
        return all_of(parts)

    def condition(self, path: tuple[str, ...], condition: Any, at: str, operators: tuple[str, ...]) -> Expression:
        """Parse the condition on a field: one value, or an object of operators."""
        if not isinstance(condition, Mapping):
            condition = {"=": condition}
        if not condition:
            raise self.faults.at(at, f"must be a value or an object of {', '.join(operators)}")
        parts: list[Expression] = []
        for operator, operand in condition.items():
            if operator not in operators:
                raise self.faults.at(at, f"there is no operator {operator!r} here; there are {', '.join(operators)}")
            if operator == "exists":
                if not isinstance(operand, bool):
                    raise self.faults.at(at, "exists must be true or false")
                there = self.counted(Compare(path, operator, operand=True, at=at))
                parts.append(there if operand else Not(there))
            elif operator == "in":
                parts.append(self.counted(one_of(path, self.values(operand, at, single=False), at)))
            else:
                parts.append(self.counted(Compare(path, operator, operand, at)))
        return all_of(parts)

    def objects(self, kind: str, value: Any, at: str, level: int) -> Expression:
        where: Expression = All()
        bounds: Any = value
        if isinstance(value, Mapping) and ("where" in value or "count" in value or not value):
            for name in value:
                if name not in ("where", "count"):
                    raise self.faults.at(f"{at}.{name}", f"there is no such field: {meant(name, ['where', 'count'])}")
            if "where" in value:
                where = self.group(value["where"], f"{at}.where", OBJECT_FIELDS, level + 1)
            bounds = value.get("count", {">=": 1})
        bounds = bounds if isinstance(bounds, Mapping) else {"=": bounds}
        parts: list[Expression] = []
        for operator, count in bounds.items():
            if operator not in COUNTS or type(count) is not int or not 0 <= count <= MAX_SAMPLES:
                words = f"must be a number, {{operator: number}} with one of {', '.join(COUNTS)}, or have `where`"
                raise self.faults.at(at, words)
            parts.append(self.counted(Objects(kind, where, operator, count, at)))
        if not parts:
            raise self.faults.at(at, 'must be like {"where": {"class": "car"}, "count": {">=": 2}}')
        return all_of(parts)

    def prediction(self, value: Any, at: str) -> Expression:
        if not isinstance(value, Mapping) or not set(value) <= set(PREDICTION) or len(value) < 2:
            raise self.faults.at(at, "must have a `model` and a `class`, a `confidence`, `correct` or several")
        classes = self.values(value["class"], f"{at}.class", single=True) if "class" in value else None
        bounds = value.get(CONFIDENCE, {})
        if not isinstance(bounds, Mapping) or (CONFIDENCE in value and not bounds):
            raise self.faults.at(f"{at}.{CONFIDENCE}", 'must be like {"<": 0.4}')
        if CORRECT in value and value[CORRECT] is None:
            raise self.faults.at(f"{at}.{CORRECT}", "must be true or false")
        return self.counted(Prediction(value.get("model"), classes, tuple(bounds.items()), at, value.get(CORRECT)))  # type: ignore[arg-type]  # checked with all else

    def values(self, value: Any, at: str, *, single: bool) -> tuple[Any, ...]:
        """Return the values of a list, or, with `single`, of one value in place of a list."""
        if single and not isinstance(value, list):
            return (value,)
        if not isinstance(value, list) or not value:
            raise self.faults.at(at, "must be a value or a list of values" if single else "must be a list of values")
        return tuple(tuple(one) if isinstance(one, list) else one for one in value)

    def counted(self, term: Compare | Objects | Prediction) -> Compare | Objects | Prediction:
        self.count += 1
        if self.count > MAX_TERMS:
            raise self.faults.at(self.faults.field, f"has more than {MAX_TERMS} conditions")
        return term


def write_document(expression: Expression) -> dict[str, Any]:
    """Return the JSON form, which parses to the same expression."""
    merged: dict[str, Any] = {}
    for part in conjuncts(expression):
        document = _part(part)
        if not _merge(merged, document):
            return {"all": [_part(each) for each in conjuncts(expression)]}
    return merged


def _merge(merged: dict[str, Any], document: Mapping[str, Any]) -> bool:
    """Merge `document` into `merged` if that keeps the order; return whether it did."""
    for name, value in document.items():
        if name not in merged:
            merged[name] = value
            continue
        held = merged[name]
        one = name in (*GROUPS, *OBJECTS, "prediction") or not isinstance(held, dict) or not isinstance(value, dict)
        if one or name != next(reversed(merged)) or not _merge(held, value):
            return False
    return True


def _part(part: Expression) -> dict[str, Any]:
    match part:
        case All(parts):
            return {"all": [write_document(each) for each in parts]}
        case AnyOf(parts):
            return {"any": [write_document(each) for each in parts]}
        case Not(inner):
            return {"not": write_document(inner)}
        case Objects(kind, where, operator, count):
            told = {"where": write_document(where)} if conjuncts(where) else {}
            return {kind: told | {"count": {operator: count}}}
        case Prediction():
            return {"prediction": _prediction(part)}
    return _compare(part)


def _compare(part: Compare) -> dict[str, Any]:
    name, *below = part.path
    operand = list(part.operand) if isinstance(part.operand, tuple) else part.operand
    field = SAMPLE_FIELDS.get(name) or OBJECT_FIELDS[name]
    if field.kind in (FLAG, CHOICE, IDS):
        return {name: operand}
    condition = operand if part.operator == "=" else {part.operator: operand}
    return {name: {".".join(below): condition}} if below else {name: condition}


def _prediction(part: Prediction) -> dict[str, Any]:
    told: dict[str, Any] = {"model": part.model}
    if part.classes is not None:
        told["class"] = part.classes[0] if len(part.classes) == 1 else list(part.classes)
    told |= {CONFIDENCE: dict(part.confidence)} if part.confidence else {}
    return told | ({} if part.correct is None else {CORRECT: part.correct})
