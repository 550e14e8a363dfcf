"""Conditions on the columns of frames: `speed>=30`, `night=true`, `city=Graz`, `width<640`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lake.errors import LakeError

OPERATORS = {
    "=": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip
_SHAPE = re.compile(r"\s*([a-z][a-z0-9_]*)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*", re.DOTALL)
MEASURES = {"size": "integer", "width": "integer", "height": "integer"}
"""Columns that every frame has and conditions may use."""
WIDEST = 2**63 - 1
"""Largest value of an integer column; no measurement comes near it."""
_WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of one column with one value. A frame without a value there does not pass."""

    column: str
    operator: str
    value: bool | int | float | str

    def __str__(self) -> str:
        value = str(self.value).lower() if isinstance(self.value, bool) else self.value
        return f"{self.column}{self.operator}{value}"


def condition(text: str, columns: Mapping[str, str]) -> Condition:
    """Parse a condition on frames with these metadata columns (words for types by name). Raises LakeError."""
    shaped = _SHAPE.fullmatch(text)
    if shaped is None:
        raise LakeError(f"{text!r} is not a condition: write a column, one of {' '.join(OPERATORS)}, and a value")
    name, operator, value = shaped.groups()
    known = {**columns, **MEASURES}
    if name not in known:
        raise LakeError(f"{text!r}: there is no column {name!r}; there are {', '.join(sorted(known))}")
    kind = known[name]
    if kind in {"boolean", "text"} and operator not in {"=", "!="}:
        raise LakeError(f"{text!r}: {name} is {kind}, which is asked for by = or !=")
    return Condition(name, operator, _value(text, kind, value))


def _value(text: str, kind: str, value: str) -> bool | int | float | str:
    if kind == "text":
        return value
    if kind == "boolean":
        if value not in _WORDS:
            raise LakeError(f"{text!r}: write true or false")
        return _WORDS[value]
    try:
        number = int(value) if kind == "integer" else float(value)
    except ValueError:
        raise LakeError(f"{text!r}: {value!r} is no {'whole ' if kind == 'integer' else ''}number") from None
    if not -WIDEST <= number <= WIDEST:
        raise LakeError(f"{text!r}: {value!r} lies beyond what a column can hold")
    return number


def lacking(table: pa.Table, wanted: Sequence[Condition]) -> NDArray[np.bool_]:
    """Return which rows (N,) have no value in a column of some condition, so that nobody can say whether they would
    pass."""
    lacks = np.zeros(table.num_rows, bool)
    for one in wanted:
        if one.column not in table.column_names:
            return np.ones(table.num_rows, bool)
        lacks |= table[one.column].is_null().combine_chunks().to_numpy(zero_copy_only=False)
    return lacks


def matching(table: pa.Table, wanted: Sequence[Condition]) -> NDArray[np.bool_]:
    """Return which rows (N,) pass all of the conditions; rows that lack a value do not."""
    passed = ~lacking(table, wanted)
    if passed.any():  # so all of the columns are there
        for one in wanted:
            compared: Any = OPERATORS[one.operator](table[one.column], pa.scalar(one.value))
            passed &= compared.fill_null(fill_value=False).combine_chunks().to_numpy(zero_copy_only=False)
    return passed
