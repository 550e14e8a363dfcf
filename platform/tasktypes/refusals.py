"""How a label is refused: Invalid naming `label`."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from core.errors import Invalid

SHOWN_CLASSES = 20
SHOWN_NAME = 40


def malformed(words: str) -> Invalid:
    """The label is not of the form that its dataset takes."""
    return Invalid.field("label", words, code="label_malformed")


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """A list as JSON has it."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def check_known(name: Any, classes: Sequence[str]) -> str:
    """The name of a class. Raises Invalid (`unknown_class`)."""
    if not isinstance(name, str) or name not in classes:
        known = ", ".join(classes[:SHOWN_CLASSES]) + (", …" if len(classes) > SHOWN_CLASSES else "")
        raise Invalid.field("label", f"unknown class {name!r}: this dataset has {known}", code="unknown_class")
    return name


def refuse_unknown(one: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    """Raise Invalid naming what is there beside what is `known`."""
    for name in one:
        if name not in known:
            fix = "put it into `attributes`" if "attributes" in known else "leave it out"
            raise malformed(f"`{str(name)[:SHOWN_NAME]}` is no part of {what}, which has {', '.join(known)}: {fix}")
