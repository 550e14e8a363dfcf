"""A batch from a pool: a control arm of random picks, then the strategy's own within the rules of a composition.

The picks of a strategy are found greedily. Its ranking is walked from the best on; a candidate joins unless a rule
forbids it, and one that may not join now may never join (`acquisition.rules`). Quotas with a minimum go first: until it
is reached, only their candidates are considered. A strategy that picks in sequence runs again over the remaining
candidates, until the count is reached or none is left (`acquisition.rankings`).

Greedy means: a minimum is met whenever there are enough candidates for it and no other rule forbids them. Where quotas
overlap, or compete with gaps, distances or the budget, a better choice might meet more (that problem is NP-hard: it
contains the independent set problem); quotas that are not met are reported with the reason.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from acquisition.assembly import Assembly
from acquisition.batch import Batch, Pick
from acquisition.composition import Composition
from acquisition.explanations import Explainer
from acquisition.pool import Indices, Pool
from acquisition.rankings import Ranking, Scored, Sequential
from acquisition.registry import Choice, ScoreStrategy, Strategy, Watch, strategy, unwatched

CONTROL = "random: the control arm, a fair sample of the candidates"
BINS = 40
FLAT = 1e-6
COPIES = 1
"""The stream of random numbers that visits candidates to leave out near copies."""


def compose(
    pool: Pool,
    name: str,
    *,
    count: int,
    seed: int,
    control: float = 0.0,
    params: Mapping[str, Any] | None = None,
    composition: Composition | None = None,
    watch: Watch = unwatched,
) -> Batch:
    """Pick `count` samples, or fewer if pool and rules allow no more: a share `control` at random, the rest by
    strategy.

    Of samples with the same bytes one is a candidate, of near copies as many as the composition allows
    (`acquisition.copies`). The control arm is drawn first and from all candidates: those that no rule
    forbids on their own, whatever else is picked (not too near to labelled samples, not of a quota that takes none, not
    dearer than the budget). It is a fair sample of them, so that it measures the lift of the strategy and an unbiased
    accuracy; to stay fair it is exempt from the rules between picks, but they count it when the strategy picks. It is
    small enough for the budget whatever is drawn.

    The result depends on (pool, strategy, params, count, control, seed, composition) alone, not on the order of the
    rows. Samples that rank alike come in an order drawn by the seed (`acquisition.ties`). `watch` is called with the
    number of picks so far. Raises PoolError, ConfigError, and what `watch` raises.
    """
    chosen = strategy(name, params)
    pool = pool.in_order(seed)
    chosen.check(pool)
    made = composition or Composition()
    rng = np.random.default_rng(seed)
    assembly = Assembly(pool, made, min(count, len(pool)))
    ranking = _ranking(chosen, pool, made, rng, lambda done, _: watch(len(assembly.picked) + done, assembly.count))
    uncompared = _rule_out_copies(assembly, ranking, made, seed)
    candidates = assembly.open_rows()
    fair = chosen.uniform and made.free
    drawn = _control_arm(assembly, candidates, 0.0 if fair else control, rng)
    chosen_rows = _fill(assembly, ranking, watch)
    explainer = Explainer(assembly, ranking, candidates)
    chance = _probability(chosen, made, picked=len(chosen_rows), of=len(candidates))
    picks = []
    for rank, (row, quota) in enumerate(chosen_rows, start=1):
        choice = ranking.choice(row)
        why = explainer.of(choice, len(drawn) + rank - 1, quota=quota, control=False)
        picks.append(_pick(pool, choice, rank, why, chance))
    for rank, (row, place) in enumerate(zip(drawn, range(len(drawn)), strict=True), start=len(picks) + 1):
        choice = Choice(row, None, CONTROL)
        why = explainer.of(choice, place, quota=None, control=True)
        picks.append(_pick(pool, choice, rank, why, len(drawn) / len(candidates), control=True))
    return Batch(
        picks=picks,
        pool=len(pool),
        candidates=len(candidates),
        unmet=assembly.unmet(),
        kept_out=assembly.kept_out(),
        uncompared=uncompared,
        spent=None if assembly.budget is None else assembly.budget.spent,
        histogram=_histogram(ranking, candidates, picks),
    )


def candidates_of(pool: Pool, chosen: Strategy, *, count: int, seed: int, composition: Composition) -> Indices:
    """Return the rows of a pool in the order of the seed that `compose` picks from, for a strategy that picks in
    sequence."""
    assembly = Assembly(pool, composition, min(count, len(pool)))
    ranking = Sequential(chosen, pool, composition.objectives, np.random.default_rng(seed), unwatched)
    _rule_out_copies(assembly, ranking, composition, seed)
    return assembly.open_rows()


def _rule_out_copies(assembly: Assembly, ranking: Ranking, made: Composition, seed: int) -> int:
    return assembly.rule_out_copies(made.near_copies, ranking.preference, np.random.default_rng([seed, COPIES]))


def _control_arm(assembly: Assembly, candidates: Indices, share: float, rng: np.random.Generator) -> list[int]:
    """Draw rows at random and admit them. Their number is `share` of what the budget pays for on average, and small
    enough that even the dearest could be paid: it is fixed before the draw, or the draw would not be fair."""
    size = min(assembly.count, len(candidates))
    budget = assembly.budget
    if budget is None:
        size = round(size * share)
    elif size:
        costs = np.sort(budget.costs[candidates])[::-1]
        paid = budget.limit / mean if (mean := float(costs.mean())) else size
        size = round(min(size, paid) * share)
        size = int(np.searchsorted(np.cumsum(costs[:size]), budget.limit, side="right"))
    drawn: list[int] = candidates[rng.permutation(len(candidates))[:size]].tolist()
    for row in drawn:
        assembly.admit(row)
    return drawn


def _ranking(chosen: Strategy, pool: Pool, made: Composition, rng: np.random.Generator, watch: Watch) -> Ranking:
    if isinstance(chosen, ScoreStrategy):
        return Scored(chosen, pool, made.objectives, watch)
    return Sequential(chosen, pool, made.objectives, rng, watch)


def _fill(assembly: Assembly, ranking: Ranking, watch: Watch) -> list[tuple[int, dict[str, Any] | None]]:
    """Return the strategy's picks in order, each with the quota that admitted it: first those that quotas need, then
    the best of all."""
    found: list[tuple[int, dict[str, Any] | None]] = []

    def joined(row: int) -> None:
        found.append((row, assembly.quotas.admitting(row)))
        watch(len(assembly.picked) + 1, assembly.count)

    settled = 0
    for quotas_first in (True, False):
        while want := min(assembly.room, assembly.quotas.missing if quotas_first else assembly.room):
            if isinstance(ranking, Sequential):
                assembly.settle(assembly.open_rows(), since=settled)
                settled = len(assembly.picked)
            rows = assembly.open_rows()
            rows = rows[assembly.wanted()[rows]] if quotas_first else rows
            if not len(rows):
                break
            best = ranking.first(rows, want, assembly.picked)
            assembly.walk(best, quotas_first=quotas_first, joined=joined)
    return found


def _probability(chosen: Strategy, made: Composition, *, picked: int, of: int) -> float | None:
    """The chance of a strategy's pick: see `acquisition.batch.Pick`."""
    if not chosen.uniform:
        return 1.0
    return picked / of if made.free and of else None


def _pick(
    pool: Pool, choice: Choice, rank: int, why: dict[str, Any], probability: float | None, *, control: bool = False
) -> Pick:
    terms = choice.terms | {term["name"]: term["value"] for term in why["terms"]}
    return Pick(pool.ids[choice.row].item(), rank, choice.score, choice.reason, control, probability, terms, why)


def _histogram(ranking: Ranking, candidates: Indices, picks: list[Pick]) -> dict[str, Any] | None:
    if not isinstance(ranking, Scored) or not len(candidates):
        return None
    scores = ranking.final[candidates].astype(np.float64)
    low, high = float(scores.min()), float(scores.max())
    if high - low < FLAT * max(1.0, abs(high)):  # as good as equal: there is no room for bins between them
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(scores, bins=BINS, range=(low, high))
    cut = [pick.score for pick in picks if pick.score is not None]
    return {
        "edges": edges.tolist(),
        "counts": counts.tolist(),
        "cut": min(cut) if cut else None,
        "score": ranking.chosen.name if not ranking.factors else "product",
    }
