"""Errors for invalid labels: Invalid naming `label`."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from core.errors import Invalid

SHOWN_CLASSES = 20
SHOWN_NAME = 40


def malformed(words: str) -> Invalid:
    """Build the error for a label that is not of the form of its dataset."""
    return Invalid.field("label", words, code="label_malformed")


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list as in JSON."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def check_known(name: Any, classes: Sequence[str]) -> str:
    """Return the known class of this name, which may be in another Unicode form. Raises Invalid (`unknown_class`)."""
    if isinstance(name, str) and name not in classes:
        composed = unicodedata.normalize("NFC", name)
        name = next((known for known in classes if unicodedata.normalize("NFC", known) == composed), name)
    if not isinstance(name, str) or name not in classes:
        known = ", ".join(classes[:SHOWN_CLASSES]) + (", …" if len(classes) > SHOWN_CLASSES else "")
        alike = next((one for one in classes if isinstance(name, str) and _bare(one) == _bare(name)), None)
        differs = f", whose {alike!r} differs in case or spaces alone: write it the same" if alike else ""
        words = f"unknown class {name!r}: this dataset has {known}{differs}"
        raise Invalid.field("label", words, code="unknown_class")
    return name


def _bare(name: str) -> str:
    """Return the name without what people write one way and another: case, spaces, `_` and `-`."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def refuse_unknown(one: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    """Raise Invalid naming the fields that are not `known`."""
    for name in one:
        if name not in known:
            fix = "put it into `attributes`" if "attributes" in known else "leave it out"
            raise malformed(f"`{str(name)[:SHOWN_NAME]}` is not part of {what}, which has {', '.join(known)}: {fix}")
