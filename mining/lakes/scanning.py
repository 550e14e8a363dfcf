"""The rules of scans: which strategies they can use, how to start and find one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit
from accounts.models import User
from acquisition import Strategy, names, strategy
from acquisition.registry import RowStrategy
from catalog.models import Dataset
from catalog.versions.names import check_own_name
from core.errors import Conflict, Invalid, NotFound
from jobs.lifecycle.finding import refuse_archived
from jobs.needs import NOTHING, Needs
from jobs.services import ShardSpec, create_job
from labeling.models import Queue
from lake import CANDIDATES
from lakes.models import LakeScan
from lakes.reading import asked
from mining_jobs.models import SCORE, SELECT
from mining_jobs.services import MiningSpec, check_spec
from registry.models import ModelVersion
from registry.services import check_classes

KIND = "lake_scan"
MAX_COUNT = 20_000
"""Most picks of a scan: one commit brings them in."""
MAX_GROUPS = 50_000


@dataclass(frozen=True, slots=True)
class ScanSpec:
    """What a scan picks: the fields of a mining job, and the frames of the lake to pick from."""

    strategy: str
    count: int
    params: Mapping[str, Any] = field(default_factory=dict)
    control: float = 0.1
    seed: int = 0
    prefix: str = ""
    where: Sequence[str] = ()
    queue: str = ""
    needs: Needs = NOTHING


def is_random(chosen: Strategy) -> bool:
    """Whether the strategy picks at random, without a model."""
    return chosen.uniform and not chosen.needs


def can_scan(chosen: Strategy) -> bool:
    """Whether a scan can use the strategy: it scores each frame by the model's output for that frame alone, or picks at
    random."""
    by_row = isinstance(chosen, RowStrategy) and chosen.needs == RowStrategy.needs
    return by_row or is_random(chosen)


def scanning_strategies() -> list[str]:
    """Return the names of the strategies that a scan can use."""
    return [name for name in names() if can_scan(strategy(name))]


@transaction.atomic
def start_scan(dataset: Dataset, version: ModelVersion, spec: ScanSpec, *, author: User) -> LakeScan:
    """Create a queued scan of the dataset's lake; the caller wakes its job. Each shard scores a group, the last one
    chooses.

    Raises Invalid (strategy, count, model, prefix, where), Conflict (archived, name_taken).
    """
    locked = Dataset.everything.select_for_update().get(pk=dataset.pk)  # no part is removed meanwhile
    refuse_archived(locked)
    check_classes(version.model, dataset)
    mining = MiningSpec(spec.strategy, spec.count, spec.params, control=spec.control, seed=spec.seed)
    chosen, _ = check_spec(mining, task=dataset.task, classes=dataset.classes)
    if not can_scan(chosen):
        words = f"{spec.strategy} looks at more than what a model says of one frame: a scan takes"
        words = f"{words} {', '.join(scanning_strategies())}; mine the pool by it afterwards"
        raise Invalid.field("strategy", words, code="strategy_not_scanned")
    wanted = asked(dataset, spec.prefix, spec.where)
    groups = list(wanted.groups(dataset).values_list("pk", "rows"))
    _check_extent(dataset, spec, len(groups))
    _check_queue(spec.queue)
    shards = [ShardSpec({"group": pk}, units=rows, phase=SCORE, needs=spec.needs) for pk, rows in groups]
    job = create_job(
        KIND,
        f"Pick {spec.count} of the lake of {dataset.name} by {spec.strategy}",
        shards=[*shards, ShardSpec(phase=SELECT, units=0)],
        unit="frames",
        created_by=author,
        project=dataset.project_id,
    )
    scan = LakeScan.objects.create(
        dataset=dataset,
        model_version=version,
        strategy=spec.strategy,
        params=dict(spec.params),
        count=spec.count,
        control=spec.control,
        seed=spec.seed,
        prefix=spec.prefix,
        where=[str(one) for one in wanted.where],
        queue=spec.queue,
        job=job,
        created_by=author,
    )
    told = {"dataset": dataset.name, "strategy": spec.strategy, "count": spec.count, "job": job.pk}
    audit.note("started", "lake scan", str(scan.pk), project=dataset.project_id, after=told, by=author)
    return scan


def _check_queue(name: str) -> None:
    if not name:
        return
    check_own_name(name, field="queue")
    if Queue.objects.filter(name=name).exists():
        raise Conflict(f"There is a queue {name!r} already: choose another name.", code="name_taken")


def _check_extent(dataset: Dataset, spec: ScanSpec, groups: int) -> None:
    if not groups:
        words = (
            f"no frame of the lake of {dataset.name!r} has such a key" if spec.prefix else "the lake holds no frames"
        )
        raise Invalid.field("prefix", f"{words}: push some, or ask for others", code="lake_empty")
    if groups > MAX_GROUPS:
        raise Invalid.field("prefix", f"{groups:,} groups of frames are more than {MAX_GROUPS:,} at once: narrow it")
    most = CANDIDATES // groups
    if spec.count > most:
        words = (
            f"of {groups:,} groups of frames at most {most:,} can be picked at once, for each keeps as many: ask for"
        )
        raise Invalid.field("count", f"{words} fewer, or narrow `prefix`", code="too_many_candidates")


def scans_of(dataset: Dataset) -> QuerySet[LakeScan]:
    """Return the scans of a lake, with what their documents show."""
    related = ("dataset", "model_version__model", "job", "mining__version", "mining__queue")
    return LakeScan.objects.filter(dataset=dataset).select_related(*related)


def find_scan(dataset: Dataset, pk: int) -> LakeScan:
    """Return a scan by its id. Raises NotFound."""
    found = scans_of(dataset).filter(pk=pk).first()
    if found is None:
        raise NotFound(f"The lake of {dataset.name!r} has no scan {pk}.", code="scan_unknown")
    return found
