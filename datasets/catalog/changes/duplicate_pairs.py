"""Which images of a commit repeat another one, or nearly do: what its caller is told of them."""

from dataclasses import dataclass, field
from typing import Any

from catalog.models import Sample

SHOWN = 100


@dataclass(frozen=True, slots=True)
class NearDuplicatePair:
    """A sample outside test that shows nearly what the test sample `of` shows; `distance` in bits of 64 that differ."""

    sample: Sample
    of: Sample
    distance: float
    split: str

    def document(self) -> dict[str, object]:
        """As the API shows it."""
        return {"key": self.sample.key, "of": self.of.key, "distance": self.distance, "split": self.split}


@dataclass(slots=True)
class ExactDuplicates:
    """How many images repeat one of the same commit, or one that the dataset has; the first of them as `{key, of}`."""

    in_commit: int = 0
    in_dataset: int = 0
    pairs: list[dict[str, str]] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """As the API shows it."""
        return {"in_commit": self.in_commit, "in_dataset": self.in_dataset, "pairs": self.pairs}

    def add(self, key: str, of: str) -> None:
        """Show a pair, while there is room."""
        if len(self.pairs) < SHOWN:
            self.pairs.append({"key": key, "of": of})
