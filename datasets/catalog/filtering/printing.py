"""Write a filter as text, in one canonical form."""

import json
import re

from catalog.filtering.expressions import (
    CHOICE,
    FLAG,
    OBJECT_FIELDS,
    SAMPLE_FIELDS,
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
from catalog.filtering.text import KEYWORDS, NUMERAL

_PLAIN = re.compile(r"[\w./@:*?+-]+")
_NAME = re.compile(r"[\w-]+")
_WORDS = {*KEYWORDS, "in", "exists", *TEXT_OPERATORS}


def write_text(expression: Expression) -> str:
    """Return the text form, which parses to the same expression; empty for the filter that passes everything."""
    match expression:
        case All(parts):
            return " and ".join(_inner(part, AnyOf) for part in parts)
        case AnyOf(parts):
            return " or ".join(_inner(part, All) for part in parts)
        case Not(part):
            return f"not {_inner(part, All | AnyOf)}"
        case Objects():
            return _objects(expression)
        case Prediction():
            return _prediction(expression)
        case Compare():
            return _compare(expression)


def _inner(part: Expression, wrapped: object) -> str:
    text = write_text(part)
    return f"({text})" if isinstance(part, wrapped) else text  # type: ignore[arg-type]  # classes, or a union of them


def _objects(term: Objects) -> str:
    where = f"({inner})" if (inner := write_text(term.where)) else ""
    if (term.operator, term.count) == (">=", 1):
        return term.kind + where
    return f"{term.kind}{where} {term.operator} {term.count}"


def _prediction(term: Prediction) -> str:
    parts = [f"model = {_text(term.model)}"]
    if term.classes is not None:
        several = ", ".join(_text(name) for name in term.classes)
        parts.append(f"class = {several}" if len(term.classes) == 1 else f"class in ({several})")
    parts += [f"confidence {operator} {bound!r}" for operator, bound in term.confidence]
    parts += [] if term.correct is None else [f"correct = {_value(term.correct, FLAG)}"]
    return f"prediction({', '.join(parts)})"


def _compare(term: Compare) -> str:
    name, *below = term.path
    path = ".".join(
        [name, *(part if _NAME.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in below)]
    )
    field = SAMPLE_FIELDS.get(name) or OBJECT_FIELDS[name]
    if field.kind == FLAG:
        return name if term.operand else f"not {name}"
    if term.operator == "exists":
        return f"{path} exists"
    told = field.kind if term.operator not in TEXT_OPERATORS else CHOICE
    if isinstance(term.operand, tuple):
        return f"{path} in ({', '.join(_value(one, told) for one in term.operand)})"
    return f"{path} {term.operator} {_value(term.operand, told)}"


def _value(value: Scalar, kind: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    return _text(value, typed=kind == "value")


def _text(value: str, *, typed: bool = False) -> str:
    """Write a text value, with quotation marks if it would be parsed differently without them."""
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
    if typed and (NUMERAL.fullmatch(value) or value.lower() in ("true", "false")):
        plain = None
    return value if plain else json.dumps(value, ensure_ascii=False)
