"""What the committed answers of a mining job say about its model and its strategy."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, Subquery

from acquisition import composition, strategy
from acquisition.estimates import Answered, accuracy, lift
from acquisition.ties import DRAWN, draws
from catalog.models import Dataset, Revision, revision_conditions
from labeling.models import Task
from mining_jobs.models import MiningJob, Pick

Judged = list[tuple[Pick, bool | None]]
"""Picks that were queued with a prediction, each with whether that was right; None without an answer."""
COMMITTED = "mining_job__queue__committed_version__number"


def judged(mining: MiningJob) -> Judged:
    """Return the picks of one job as `judged_of` does."""
    return judged_of([mining])[mining.pk]


def judged_of(mining: Iterable[MiningJob]) -> dict[int, Judged]:
    """Return the judged picks of each job by rank, by the job's id, in one query for each dataset; those of a job whose
    queue is not committed are empty. Picks that a cutoff kept out of the queue are left out of the batch: they are not
    missing by chance. `queue.committed_version.dataset` should be loaded."""
    found: dict[int, Judged] = {}
    jobs: dict[Dataset, list[int]] = {}
    for job in mining:
        found[job.pk] = []
        if job.queue is not None and job.queue.committed_version is not None:
            jobs.setdefault(job.queue.committed_version.dataset, []).append(job.pk)
    queued = Task.objects.filter(queue=OuterRef("mining_job__queue"), sample=OuterRef("sample"))
    for dataset, ids in jobs.items():
        conditions = revision_conditions([(dataset.pk, OuterRef(COMMITTED)), *dataset.ancestry])
        rows = Revision.objects.filter(reduce(or_, conditions), sample=OuterRef("sample")).exclude(label=None)
        picks = Pick.objects.filter(Exists(queued), mining_job__in=ids).exclude(prediction=None)
        told = picks.annotate(truth=Subquery(rows.values("label__value")[:1])).defer("terms", "neighbours")
        for pick in told.order_by("mining_job", "rank"):
            found[pick.mining_job_id].append((pick, _is_right(pick, vars(pick)["truth"])))
    return found


def _places(mining: MiningJob, answers: Judged) -> list[int]:
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
