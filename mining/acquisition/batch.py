"""What a selection answers: picks, each with its explanation, and what became of the other candidates."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload


@dataclass(frozen=True, slots=True)
class Pick:
    """One pick of a batch.

    `rank` counts from 1; the control arm comes last and is marked by `control`. `score` is the strategy's, times the
    objectives where there are any. `terms` are the values behind it, by name.

    `probability` is the chance that a candidate had of coming into the batch the way this pick came: c / N for the c
    control picks of N candidates (the same for each of them, so n / c times a sum over them estimates a sum over all);
    likewise n / N where the strategy itself is uniform and no rule between picks bends it; 1 for what a strategy chose:
    given the scores and the seed nothing was left to chance. None where a uniform strategy was bent by rules or
    objectives, for then each sample has a chance of its own that nobody knows.

    `explanation` is `{terms: [{name, value, strength, contribution, rank, of}], product, quota, displaced}`.
    Contributions multiply to `product`; a rank is that among all candidates (of a strategy that picks in sequence: its
    place among all that the strategy named). `quota` is the one that admitted the pick, `{kind: name, min, place}`, or
    None. `displaced` is the candidate that the pick stands in place of, `{id, score, reason}`, or None: the best that
    it kept out by gap or distance, or the best that still might have joined when the batch was full (not known of
    strategies that pick in sequence: their next pick is not made).
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

    `pool` rows were given and `candidates` of them could be picked at all. `unmet` are quotas below their least number,
    `{quota: {kind: name}, min, picked, reason}`; `kept_out` counts candidates by the rule that kept them out; `spent`
    is the sum of the costs where there is a budget. `histogram` `{edges, counts, cut, score}` spreads the scores of the
    candidates, `cut` being the lowest that was picked; None for strategies that pick in sequence.
    """

    picks: list[Pick]
    pool: int
    candidates: int
    unmet: list[dict[str, Any]]
    kept_out: dict[str, int]
    spent: float | None
    histogram: dict[str, Any] | None

    def __len__(self) -> int:
        return len(self.picks)

    @overload
    def __getitem__(self, at: int) -> Pick: ...
    @overload
    def __getitem__(self, at: slice) -> list[Pick]: ...
    def __getitem__(self, at: int | slice) -> Pick | list[Pick]:
        return self.picks[at]
