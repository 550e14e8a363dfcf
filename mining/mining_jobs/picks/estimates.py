"""What the committed answers of a mining job say about its model and its strategy."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from acquisition import composition, strategy
from acquisition.estimates import Answered, accuracy, lift
from acquisition.ties import DRAWN, draws
from catalog.models import Revision
from mining_jobs.models import MiningJob, Pick


def judged(mining: MiningJob) -> list[tuple[Pick, bool | None]]:
    """Return each pick that was queued with a prediction, and whether that was right (None: without an answer); empty
    until the queue is committed. Picks that a cutoff kept out of the queue are left out of the batch: they are not
    missing by chance."""
    queue = mining.queue
    if queue is None or queue.committed_version is None:
        return []
    asked = mining.picks.filter(sample__in=queue.tasks.values("sample"))
    rows = Revision.objects.at(queue.committed_version).filter(sample__in=asked.values("sample"))
    truth = dict(rows.exclude(label=None).values_list("sample_id", "label__value"))
    return [
        (pick, _is_right(pick, truth.get(pick.sample_id))) for pick in asked.exclude(prediction=None).order_by("rank")
    ]


def _places(mining: MiningJob, answers: Sequence[tuple[Pick, bool | None]]) -> list[int]:
    """Return the place of each pick among those that the strategy ranks alike: as drawn, or for a job of an earlier
    release, which broke ties by the id, that id."""
    ids = np.array([pick.sample_id for pick, _ in answers], np.int64)
    places: list[int] = (draws(ids, mining.seed) if mining.stats.get("ties") == DRAWN else ids).tolist()
    return places


def _is_right(pick: Pick, told: Mapping[str, Any] | None) -> bool | None:
    """Whether the prediction matches every part of the label; None without an answer."""
    said = pick.prediction or {}
    return None if told is None else all(said.get(name) == part for name, part in told.items())


def estimate(mining: MiningJob) -> dict[str, Any] | None:
    """Return `{accuracy, lift}` with intervals (`acquisition.estimates`), either None where the answers don't determine
    it; None before they are committed.

    The accuracy is that over all candidates of the job. The strategy's own picks count in it when it took the highest
    scores and no rule came between.
    """
    answers = judged(mining)
    if not answers:
        return None
    chosen, free = strategy(mining.strategy, mining.params), composition(mining.compose).free
    by_chance = chosen.uniform and free
    picks = [
        Answered(
            correct=right,
            fair=pick.control or by_chance,
            place=place,
            score=pick.explanation.get("product"),
        )
        for (pick, right), place in zip(answers, _places(mining, answers), strict=True)
    ]
    ranked = free and not by_chance and all(pick.score is not None for pick in picks) and "histogram" in mining.stats
    known = accuracy(picks, candidates=mining.stats.get("candidates", mining.stats["pool"]), ranked=ranked)
    counts = {control: [right for pick, right in answers if pick.control == control and right is not None]
              for control in (False, True)}  # fmt: skip
    raised = lift(
        mined_wrong=counts[False].count(False),
        mined=len(counts[False]),
        control_wrong=counts[True].count(False),
        control=len(counts[True]),
    )
    return {"accuracy": asdict(known) if known else None, "lift": asdict(raised) if raised else None}
