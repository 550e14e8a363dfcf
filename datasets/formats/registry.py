"""The registry of formats and the one type they all read into."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol


class FormatError(ValueError):
    """The annotations can't be read as this format; the message says where and how to mend it."""

    code = "annotations_unreadable"


@dataclass(frozen=True, slots=True)
class Annotated:
    """What the annotations say of one sample; None where they are silent."""

    label: Mapping[str, Any] | None = None
    split: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


class Format(Protocol):
    """Reads annotations. `names` are the image files' names, `document` the annotation file's bytes, if any."""

    def recognises(self, names: Sequence[str], document: bytes | None, *, classes: Sequence[str]) -> str | None:
        """Why this is the format at hand, in words, or None when it is not."""
        ...

    def read(self, names: Sequence[str], document: bytes | None) -> dict[str, Annotated]:
        """Annotations by image name. Raises FormatError."""
        ...


_FORMATS: dict[str, Format] = {}


def register(name: str) -> Callable[[type[Format]], type[Format]]:
    """Register a format under its name. A second one of the same name raises ValueError."""

    def add(kind: type[Format]) -> type[Format]:
        if name in _FORMATS:
            raise ValueError(f"format {name!r} is registered twice")
        _FORMATS[name] = kind()
        return kind

    return add


def _formats() -> dict[str, Format]:
    if not _FORMATS:
        import formats.kinds

        for module in iter_modules(formats.kinds.__path__):
            import_module(f"formats.kinds.{module.name}")
    return _FORMATS


def format_names() -> list[str]:
    """The names that `format` takes, besides `auto`."""
    return sorted(_formats())


def recognise(names: Sequence[str], document: bytes | None, *, classes: Sequence[str]) -> tuple[str, str] | None:
    """The first format that recognises the batch, and why; None for plain images without annotations.

    `classes` are those the reader knows: names that could be a class or a mere folder are told apart by them.
    """
    for name in format_names():
        if why := _formats()[name].recognises(names, document, classes=classes):
            return name, why
    return None


def annotate(name: str, names: Sequence[str], document: bytes | None) -> dict[str, Annotated]:
    """Read the batch as the named format. Raises FormatError, also for an unknown name."""
    try:
        kind = _formats()[name]
    except KeyError:
        raise FormatError(f"unknown format {name!r}: use auto or one of {', '.join(format_names())}") from None
    return kind.read(names, document)
