"""Keys and looks of classes: assigned once, in the order of the classes, with colours that the colour-blind can tell
apart.

The colours are Okabe and Ito's without black, and Tol's wine. A class beyond the eighth repeats a colour with another
dash pattern; one beyond the twentieth has no key.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import product
from typing import Any

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#882255")
DASHES = 4
DIGITS = (*"123456789", "0")
KEYS = (*DIGITS, *(f"shift+{digit}" for digit in DIGITS))
LOOKS = tuple((colour, dash) for dash, colour in product(range(DASHES), COLOURS))


def fresh(name: str, others: Collection[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a new class with the first key and look that no other class has."""
    keys = {one["key"] for one in others}
    looks = {(one["colour"], one["dash"]) for one in others}
    colour, dash = next((look for look in LOOKS if look not in looks), LOOKS[len(others) % len(LOOKS)])
    key = next((key for key in _wished(name) if key not in keys), None)
    return {"name": name, "key": key, "colour": colour, "dash": dash, "guideline": "", "archived": False}


def first(names: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the classes of a schema that nobody has changed."""
    others = iter([key for key in KEYS if key not in names])
    for place, name in enumerate(names):
        colour, dash = LOOKS[place % len(LOOKS)]
        key = name if name in DIGITS else next(others, None)
        yield {"name": name, "key": key, "colour": colour, "dash": dash, "guideline": "", "archived": False}


def _wished(name: str) -> tuple[str, ...]:
    """Return the keys to try, in order. A class that is a digit takes its own key if free: a 3 answered by
    pressing 4 would be wrong all day."""
    return (name, *KEYS) if name in DIGITS else KEYS
