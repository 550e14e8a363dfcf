"""The registry of formats, and the calls that go through it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from formats.batch import Batch, Reading
from formats.errors import FormatError
from formats.notes import Notes
from formats.samples import Entry, Item
from worker_programs.extensions import Registry


class Format(Protocol):
    """One format: recognises itself, reads, writes."""

    title: str
    """The name that people see."""
    forms: frozenset[str]
    """The forms of labels it can hold, from `formats.samples`."""
    from_folders: bool
    """Whether its annotations are the images' folders: formats that recognise a document take precedence."""

    def recognise(self, batch: Batch) -> str | None:
        """Return why the batch is in this format, in words, or None if it is not. Raises nothing."""
        ...

    def read(self, batch: Batch) -> Reading:
        """Read the annotations. A document that can't be read becomes one of `Reading.faults`, and the others are read.
        Raises FormatError for an error that concerns all of them."""
        ...

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Yield the files of an archive: an entry for each image as its item comes, then the other files.

        Adds what the format can't hold to `losses`, which are complete when the stream has ended.
        """
        ...


@dataclass(frozen=True, slots=True)
class Recognised:
    """The format that was recognised, and why."""

    format: str
    why: str


_registry: Registry[Format] = Registry("format", package="formats.kinds")
"""Each module in `formats.kinds` registers a format: they import this module, which imports none of them."""
register = _registry.register


@cache
def _formats() -> dict[str, Format]:
    return {name: _registry.find(name)() for name in _registry.names()}


def format_names(form: str | None = None) -> list[str]:
    """Return the names of formats, besides `auto`; with `form`, only those that hold such labels."""
    return sorted(name for name, kind in _formats().items() if form is None or form in kind.forms)


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """The facts by which people choose a format."""

    name: str
    title: str
    forms: frozenset[str]


def format_facts() -> list[FormatFacts]:
    """Return the facts about every format, sorted by name."""
    kinds = _formats()
    return [FormatFacts(name, kinds[name].title, kinds[name].forms) for name in format_names()]


def recognise(batch: Batch) -> Recognised | None:
    """Return the one format that recognises the batch, and why; None for plain images without annotations.

    Raises FormatError (`annotations_ambiguous`) when several do.
    """
    found: list[Recognised] = []
    for weak in (False, True):
        for name in format_names():
            kind = _formats()[name]
            if kind.from_folders is weak and (why := kind.recognise(batch)):
                found.append(Recognised(name, why))
        if found:
            break
    if len(found) > 1:
        words = " or ".join(f"{one.format} ({one.why})" for one in found)
        raise FormatError(f"this could be {words}: name its `format`", code="annotations_ambiguous")
    return found[0] if found else None


def read(name: str, batch: Batch) -> Reading:
    """Read the batch as the named format; errors are in the reading's `faults`. Raises FormatError if the format can't
    hold such labels, or if no image that the annotations name is in the batch."""
    reading = _format(name, batch.form).read(batch)
    reading.leave_unlabelled(batch)
    reading.check_found()
    reading.put_in_splits(batch)
    return reading


def write(name: str, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
    """Write samples in the named format; see `Format.write`. Raises FormatError as `read` does."""
    return _format(name, form).write(items, classes=classes, form=form, losses=losses)


def _format(name: str, form: str) -> Format:
    kind = _formats().get(name)
    if kind is None:
        raise FormatError(f"unknown format {name!r}: use auto or one of {', '.join(format_names())}")
    if form not in kind.forms:
        fitting = ", ".join(format_names(form))
        raise FormatError(f"{name} holds no labels of the form {form}: use one of {fitting}", code="format_unsuited")
    return kind
