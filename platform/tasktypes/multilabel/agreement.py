"""How people agree on several classes an image."""

from collections.abc import Sequence

import numpy as np

from agreement.opinions import Codes, coded
from agreement.shapes import Matches
from tasktypes.categories import compare
from tasktypes.label_parts import Agreement, Fused, Label

NONE = "none"


class ClassesAgreement(Agreement):
    """Labels agree that name the same classes; each set of classes is a category of its own."""

    def category(self, label: Label) -> str:
        return " + ".join(label["classes"]) or NONE

    def compare(self, labels: Sequence[Label], first: Codes, second: Codes) -> Matches:
        return compare((frozenset(label["classes"]) for label in labels), first, second)

    def fuse(self, tasks: Sequence[Sequence[Label]]) -> list[Fused]:
        """Vote on each class: it is kept if more than half name it. The confidence is the mean size of the majorities,
        a tie where a class has one half."""
        return [_voted(labels) for labels in tasks]


def _voted(labels: Sequence[Label]) -> Fused:
    codes, names = coded(name for label in labels for name in label["classes"])
    shares = np.bincount(codes, minlength=len(names)) / len(labels)
    kept = [name for name, share in zip(names, shares, strict=True) if share > 1 / 2]
    confidence = float(np.maximum(shares, 1 - shares).mean()) if names else 1.0
    return Fused({"classes": kept}, confidence, tied=bool((shares == 1 / 2).any()))
