"""Into which splits the samples of a commit went, and why."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from catalog.models import Split
from formats import SplitSource

DEFAULT, REQUEST, RULE = "default", "request", "rule"
ONCE_TEST, NEAR_DUPLICATE = "once_test", "near_duplicate"
REASONS = {
    DEFAULT: "by default",
    "folder": "folder {name}",
    "file": "file {name}",
    "annotations": "as the annotations say",
    REQUEST: "as asked",
    RULE: "by the split rule",
    ONCE_TEST: "in test before, where a model was judged by them",
    NEAR_DUPLICATE: "kept out of train, as nearly the same as a test image",
}
"""By code, what decided on a split, in words; `formats` gives the codes folder, file and annotations."""
ORDER = (Split.TRAIN, Split.VAL, Split.TEST, Split.POOL)


@dataclass(frozen=True, slots=True)
class SplitCount:
    """How many samples a commit put into a split for one reason. `source` is the name of the folder or file, if one
    decided; `why` is the reason in words."""

    split: str
    samples: int
    reason: str
    source: str
    why: str

    def document(self) -> dict[str, Any]:
        return asdict(self)


def split_counts(placed: Iterable[tuple[str, SplitSource]]) -> list[SplitCount]:
    """Count the samples by split and what decided on it, in the order of the splits, the most samples first."""
    counts = Counter(placed)
    rows = (
        SplitCount(split, samples, source.reason, source.name, REASONS[source.reason].format(name=source.name))
        for (split, source), samples in counts.items()
    )
    return sorted(rows, key=lambda row: (ORDER.index(Split(row.split)), -row.samples, row.why))
