"""Lists of classes as files give them: by number, each name once, in Unicode's composed form."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from formats.errors import FormatError

SHOWN_NAME = 40


def composed(name: str) -> str:
    """Return the name in Unicode's composed form (NFC), in which classes are compared: macOS writes `é` as two
    characters."""
    return unicodedata.normalize("NFC", name)


def check_once(names: Mapping[int, str], *, path: str, what: str = "classes") -> None:
    """Raise FormatError for a name that stands at two numbers, naming both."""
    numbers: dict[str, int] = {}
    for number, name in names.items():
        if (first := numbers.setdefault(name, number)) != number:
            raise FormatError(
                f"{what} {first} and {number} have one name, {name[:SHOWN_NAME]!r}: give one of them another", path=path
            )


def listed_names(names: Sequence[str], *, path: str) -> dict[int, str]:
    """Return the classes of a plain list by their number, from 0. Raises FormatError."""
    found = {number: composed(name) for number, name in enumerate(names)}
    check_once(found, path=path)
    return found


def yaml_names(document: Mapping[str, Any], *, path: str) -> dict[int, str] | None:
    """Return the classes in the `names` of YOLO's `data.yaml` (texts, as `parse_yaml` reads them) by their number; None
    if it has none. Raises FormatError, also where `nc` says another number of classes."""
    value = document.get("names")
    if value is None:
        return None
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value.values()):
        raise FormatError("`names` must be a list of the classes' names, or the names by their numbers", path=path)
    found: dict[int, str] = {}
    for key, name in value.items():
        if not (str(key).isascii() and str(key).isdigit()):
            raise FormatError(f"`names`: {str(key)[:SHOWN_NAME]!r} is not a number of a class", path=path)
        if not name.strip():
            raise FormatError(f"`names`: class {key} has an empty name", path=path)
        if (number := int(str(key)[:9])) in found:
            raise FormatError(f"`names` has the number {number} twice: keep one", path=path)
        found[number] = composed(name)
    check_once(found, path=path)
    _check_count(document.get("nc"), found, path)
    return found


def _check_count(count: Any, names: Mapping[int, str], path: str) -> None:
    """Raise FormatError if `nc` is neither how many names there are nor, where numbers are left out, one more than the
    last."""
    if count is None:
        return
    if not (isinstance(count, str) and count.isascii() and count.isdigit()):
        raise FormatError("`nc` must be the number of classes", path=path)
    if int(count[:9]) not in {len(names), max(names, default=-1) + 1}:
        raise FormatError(f"`nc` is {count[:9]}, and `names` has {len(names)} classes: correct one of them", path=path)
