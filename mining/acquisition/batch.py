"""The result of a selection: picks, each with its explanation, and why the other candidates were not picked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload


@dataclass(frozen=True, slots=True)
class Pick:
    """One pick of a batch.

    `rank` counts from 1; the control arm comes last and is marked by `control`. `score` is the strategy's, times the
    objectives where there are any. `terms` are the values behind it, by name.

    `probability` is the chance of a candidate to be picked in the same way: c / N for the c control picks of N
    candidates (the same for each, so N / c times a sum over them estimates a sum over all); likewise n / N for the n
    picks of a uniform strategy, if no rule between picks changes it; 1 for picks of other strategies: given the scores
    and the seed nothing is random. None where rules or objectives change a uniform strategy, because each sample then
    has its own unknown chance.

    `explanation` is `{terms: [{name, value, strength, contribution, rank, of}], product, quota, displaced}`.
    Contributions multiply to `product`; a rank counts all candidates (for a strategy that picks in sequence, all rows
    that it has proposed). `quota` is the one that admitted the pick, `{kind: name, min, place}`, or None. `displaced`
    is the candidate that the pick replaced, `{id, score, reason}`, or None: the best one that it kept out by gap or
    distance, or the best one that might still have joined when the batch was full (unknown for strategies that pick in
    sequence: their next pick is not computed).
    """

    id: Any
    rank: int
    score: float | None
    reason: str
    control: bool
    probability: float | None
    terms: dict[str, float] = field(default_factory=dict)
    explanation: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch(Sequence[Pick]):
    """The picks in the order of their ranks, as a sequence.

    `pool` is the number of rows, `candidates` the number of those that could be picked at all. `unmet` are quotas below
    their minimum, `{quota: {kind: name}, min, picked, reason}`; `kept_out` counts candidates by the rule that kept them
    out, copies of other candidates among them: the candidates are different pictures, as far as likeness tells.
    `uncompared` is the number of pairs of possible near copies that were too many to compare. `spent` is the sum of the
    costs where there is a budget. `histogram` `{edges, counts, cut, score}` is that of the candidates' scores, with
    `cut` the lowest picked score; None for strategies that pick in sequence.
    """

    picks: list[Pick]
    pool: int
    candidates: int
    unmet: list[dict[str, Any]]
    kept_out: dict[str, int]
    spent: float | None
    uncompared: int
    histogram: dict[str, Any] | None

    def __len__(self) -> int:
        return len(self.picks)

    @overload
    def __getitem__(self, at: int) -> Pick: ...
    @overload
    def __getitem__(self, at: slice) -> list[Pick]: ...
    def __getitem__(self, at: int | slice) -> Pick | list[Pick]:
        return self.picks[at]
