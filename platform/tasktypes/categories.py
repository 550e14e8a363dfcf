"""What labels share that are classes of a whole image: how a model guesses at them, and how two of them agree."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from agreement.opinions import Codes, coded
from agreement.shapes import Matches
from tasktypes.schemas import NUMBER, SHARES, TEXT, Schema, record

SUGGESTION = "ClassSuggestion"
SUGGESTION_SCHEMA: Schema = record({"class": TEXT, "probability": NUMBER, "probabilities": SHARES, "model": TEXT})


def suggested_class(suggestion: Mapping[str, Any]) -> str | None:
    """The class that is likeliest, or None where the suggestion is of another form."""
    name = suggestion.get("class")
    return name if isinstance(name, str) else None


def compare(categories: Iterable[Hashable], first: Codes, second: Codes) -> Matches:
    """Compare category `first[i]` with `second[i]`, both places in `categories`; none has objects that could match."""
    codes, _ = coded(categories)
    return Matches(np.zeros(len(first), np.int64), np.zeros(len(first)), codes[first] == codes[second])
