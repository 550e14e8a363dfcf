"""Errors of a filter and their places: a field of its JSON form, or a character of its text form."""

from collections.abc import Iterable
from difflib import get_close_matches

from catalog.filtering.expressions import Place
from core.errors import Invalid

FIELD = "filter"
# What people call some conditions, the pages among them.
_OTHER_NAMES = {"label": "class", "category": "class", "name": "key", "file": "key", "filename": "key", "path": "key"}


class Faults:
    """Makes the errors of one filter. `field` is its name in the request, `text` its text form if it came as text."""

    def __init__(self, field: str = FIELD, text: str | None = None) -> None:
        self.field = field
        self.text = text

    def below(self, *names: str) -> str:
        """Return the place of a part of the JSON form."""
        return ".".join([self.field, *names] if self.field else names)

    def at(self, place: Place, words: str, *, code: str | None = None) -> Invalid:
        """Return the error for the part at this place."""
        if not isinstance(place, int):
            return Invalid.field(place or self.field, words, code=code)
        words = f"character {place + 1}: {words}"
        return Invalid(
            f"{self.field}: {words}",
            code=code or "filter_malformed",
            errors={self.field: [words]},
            extra={"position": place},
        )


def meant(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of those known."""
    names = list(known)
    usual = _OTHER_NAMES.get(name.lower())
    close = [usual] if usual in names else get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
