"""Compare the answers and ranking of a file of lower precision with the float32 file's, on real samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from export.answers import Answered
from export.config import Precision
from export.runtime import Outputs
from tasktypes.model_parts import Outputs as OutputsOf

RANKED = {"1%": 0.01, "100": 100}
"""How many of the most uncertain samples two rankings are compared in: a share, or a number."""
LEAST_TOP1: dict[Precision, float] = {"fp16": 0.999, "int8": 0.98, "fp8": 0.98}
BOUNDED: frozenset[Precision] = frozenset({"fp16"})
"""Precisions whose logits may differ by no more than the task type says (`Outputs.most_half_error`)."""

Said = Answered | Outputs


@dataclass(frozen=True, slots=True)
class Agreement:
    """The comparison with the float32 file; `passed` by `least_top1` and `tolerance`."""

    passed: bool
    samples: int
    top1: float
    """Share of samples for which both give the same answer."""
    max_abs_error: float
    """Largest difference of a logit."""
    mean_abs_error: float
    score_spearman: float | None
    """Rank correlation of how certain both are of each sample (of one class, by the margin between the two likeliest);
    None where one of them does not vary."""
    overlap_at: dict[str, float]
    """Share of the k least certain samples that both rankings name; a k of the whole pool is left out."""
    least_top1: float
    tolerance: float | None
    optimisation: str
    """The runtime's optimisation level that the variant ran at; float32 ran as it ships."""


def compare(expected: Said, found: Said, *, outputs: OutputsOf, precision: Precision, level: str) -> Agreement:
    """Compare the outputs of both files for the same samples, N >= 1, read as `outputs` does; `level` is the variant's
    optimisation level."""
    errors = np.abs(found.logits - expected.logits)
    top1 = float(outputs.same(*(outputs.judged(said.logits, said.probabilities) for said in (found, expected))).mean())
    share = outputs.most_half_error if precision in BOUNDED else None
    tolerance = None if share is None else share * max(1.0, float(expected.logits.std()))
    before, after = (outputs.certainty(said.probabilities) for said in (expected, found))
    return Agreement(
        passed=top1 >= LEAST_TOP1[precision] and (tolerance is None or float(errors.max()) <= tolerance),
        samples=len(before),
        top1=top1,
        max_abs_error=float(errors.max()),
        mean_abs_error=float(errors.mean()),
        score_spearman=_spearman(before, after),
        overlap_at=_overlaps(before, after),
        least_top1=LEAST_TOP1[precision],
        tolerance=tolerance,
        optimisation=level,
    )


def _spearman(before: NDArray[np.float32], after: NDArray[np.float32]) -> float | None:
    if np.ptp(before) == 0 or np.ptp(after) == 0:
        return None
    return float(np.corrcoef(_ranks(before), _ranks(after))[0, 1])


def _ranks(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rank values; equal ones share the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (counts.cumsum() - (counts - 1) / 2)[places]
    return ranks


def _overlaps(before: NDArray[np.float32], after: NDArray[np.float32]) -> dict[str, float]:
    found, (first, second) = {}, (np.argsort(values, kind="stable") for values in (before, after))
    for name, wanted in RANKED.items():
        k = int(wanted) if wanted >= 1 else max(1, round(wanted * len(before)))
        if k < len(before):
            found[name] = len(np.intersect1d(first[:k], second[:k])) / k
    return found
