"""Exact and near-duplicates among the images of a commit, as reported to its caller."""

from dataclasses import dataclass, field
from typing import Any

from catalog.models import Sample

SHOWN = 100


@dataclass(frozen=True, slots=True)
class NearDuplicatePair:
    """A sample outside test that is a near-duplicate of the test sample `of`; `distance` in bits of 64 that differ."""

    sample: Sample
    of: Sample
    distance: float
    split: str

    def document(self) -> dict[str, object]:
        """The pair as a JSON object for the API."""
        return {"key": self.sample.key, "of": self.of.key, "distance": self.distance, "split": self.split}


@dataclass(slots=True)
class ExactDuplicates:
    """How many images repeat one of the same commit, or one of the dataset; the first pairs as `{key, of}`."""

    in_commit: int = 0
    in_dataset: int = 0
    pairs: list[dict[str, str]] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """The counts and pairs as a JSON object for the API."""
        return {"in_commit": self.in_commit, "in_dataset": self.in_dataset, "pairs": self.pairs}

    def add(self, key: str, of: str) -> None:
        """Add a pair to `pairs`, up to SHOWN."""
        if len(self.pairs) < SHOWN:
            self.pairs.append({"key": key, "of": of})
