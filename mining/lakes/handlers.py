"""How a scan is executed: score the frames of each group and keep the best of them, then choose."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from acquisition import Pool, PoolError, strategy
from acquisition.registry import RowStrategy
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from lake import Kept, first_of_each, keep, priorities, words_of
from lake.groups import FRAME
from lake.picking import CONTROL, UNIFORM, Words
from lakes.choosing import calibrated, choose
from lakes.models import LakeGroup, LakeScan, ScanKept
from lakes.reading import Asked, asked, labelled_among, samples_among, table_of
from lakes.scanning import is_random
from lakes.scores import SCORED, Said, keep_scores, scored
from mining_jobs.models import SCORE

SHOWN_QUARANTINED = 100
"""Most refused frames that a shard names; all are counted."""
Rows = NDArray[np.integer[Any]]


class ScanHandler:
    """Phase SCORE scores a group, phase SELECT chooses and commits."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run a shard of either phase; it may be killed and run again."""
        related = ("dataset__project", "model_version__model", "job", "created_by")
        scan = LakeScan.objects.select_related(*related).get(job=context.job)
        return _look_at(scan, context) if context.claim.shard.phase == SCORE else choose(scan, context)


def _look_at(scan: LakeScan, context: ShardContext) -> Outcome:
    group = LakeGroup.objects.select_related("blob", "part").get(pk=context.params["group"])
    wanted = asked(scan.dataset, scan.prefix, scan.where)
    chosen = strategy(scan.strategy, scan.params)
    at_random = is_random(chosen)
    columns = [*([] if at_random else FRAME.names), "md5", *wanted.columns]
    table = table_of(group, list(dict.fromkeys(columns)))
    rows, passed_over = _eligible(scan, wanted, table)
    found = len(rows)
    rows, contents = _without_copies(scan, table, rows)
    left_out = {"copies": found - len(rows), "passed_over": passed_over}
    if at_random:
        said = None
        drawn = priorities(scan.seed, UNIFORM, contents)
        kept = keep(1 - drawn, drawn, rows, contents, count=scan.count, control=0)
    else:
        said = scored(group, table, rows, scan.model_version, context)
        known = said.states[rows] == SCORED
        kept = _kept(scan, chosen, said, rows[known], contents[known])

    def apply() -> None:
        if said is not None:
            keep_scores(group, scan.model_version, said)
        ScanKept.objects.create(scan=scan, group=group, data=kept.to_bytes())

    return Outcome(_told(said) | left_out | {"without_value": wanted.unknown(table)}, apply)


def _eligible(scan: LakeScan, wanted: Asked, table: Any) -> tuple[Rows, int]:
    """Return the matching rows that are no samples yet, and the number of those that are."""
    rows = wanted.rows(table)
    keys = table["key"].take(rows).to_pylist()
    known = samples_among(scan.dataset, keys)
    if not known:
        return rows, 0
    free = np.array([key not in known for key in keys], bool)
    return rows[free], int((~free).sum())


def _without_copies(scan: LakeScan, table: Any, rows: Rows) -> tuple[Rows, Words]:
    """Return rows of different bytes that no labelled sample of the dataset has, and a word for the bytes of each."""
    digests = table["md5"].take(rows).to_pylist()
    labelled = labelled_among(scan.dataset, {digest.hex() for digest in digests})
    free = np.array([digest.hex() not in labelled for digest in digests], bool)
    rows, contents = rows[free], words_of(digests)[free]
    first = first_of_each(contents)
    return rows[first], contents[first]


def _kept(scan: LakeScan, chosen: Any, said: Said, rows: Rows, contents: Words) -> Kept:
    assert isinstance(chosen, RowStrategy)  # noqa: S101 - `scanning.can_scan`
    drawn = round(scan.count * scan.control)
    if said.probabilities is None or not len(rows):
        return keep(np.empty(0), np.empty(0), rows[:0], contents[:0], count=scan.count, control=drawn)
    model = scan.model_version.model
    try:
        told = calibrated(scan, said.probabilities[rows])
        pool = Pool(ids=np.arange(len(rows)), probabilities=told, classes=model.classes, task=model.task)
        scores = chosen.scored(pool)
    except PoolError as fault:
        raise ShardFailed(f"what the model says can't be ranked: {fault}", code=fault.code) from fault
    numbers = priorities(scan.seed, CONTROL, contents)
    return keep(scores, numbers, rows, contents, count=scan.count, control=drawn)


def _told(said: Said | None) -> dict[str, Any]:
    """The figures of a shard, from the model's scores."""
    if said is None:
        return {"scored": 0, "reused": 0, "quarantined": [], "quarantined_count": 0}
    return {
        "scored": said.scored,
        "reused": said.reused,
        "quarantined": said.refused[:SHOWN_QUARANTINED],
        "quarantined_count": len(said.refused),
        **said.told,
    }
