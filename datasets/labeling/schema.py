"""Keys and colours of a dataset's classes, by their order."""

from typing import Any

from catalog.models import Dataset

DIGITS = "1234567890"
KEYS = (*DIGITS, *(f"shift+{digit}" for digit in DIGITS))
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#882255")
DASHES = 4


def schema_document(dataset: Dataset) -> dict[str, Any]:
    """The label schema of a dataset."""
    classes = [
        {
            "name": name,
            "key": KEYS[at] if at < len(KEYS) else "",
            "colour": COLOURS[at % len(COLOURS)].lower(),
            "dash": at // len(COLOURS) % DASHES,
            "guideline": "",
            "examples": [],
            "archived": False,
        }
        for at, name in enumerate(dataset.classes)
    ]
    return {"version": 1, "classes": classes, "guideline": "", "multi_label": False}
