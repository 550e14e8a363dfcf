"""Shared code of labels that are classes of a whole image: how a model suggests them, and how two of them agree."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from agreement.opinions import Codes, coded
from agreement.shapes import Matches
from tasktypes.schemas import NUMBER, SHARES, TEXT, Schema, record

SUGGESTION = "ClassSuggestion"
SUGGESTION_SCHEMA: Schema = record({"class": TEXT, "probability": NUMBER, "probabilities": SHARES, "model": TEXT})


def suggested_class(suggestion: Mapping[str, Any]) -> str | None:
    """Return the most probable class, or None if the suggestion is of another form."""
    name = suggestion.get("class")
    return name if isinstance(name, str) else None


def compare(categories: Iterable[Hashable], first: Codes, second: Codes) -> Matches:
    """Compare category `first[i]` with `second[i]`, both indices into `categories`; none has objects to match."""
    codes, _ = coded(categories)
    return Matches(np.zeros(len(first), np.int64), np.zeros(len(first)), codes[first] == codes[second])
