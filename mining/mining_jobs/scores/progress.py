"""The scoring of a mining job, from the results of its shards: progress, refused images, and the spread of the scores
so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Func, IntegerField, Max, Q, Sum
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils import timezone

from jobs.models import Shard
from mining_jobs.models import SCORE, MiningJob


def score_results(job: MiningJob) -> list[dict[str, Any]]:
    """Return the results of the finished score shards, in order."""
    rows = job.job.shards.filter(phase=SCORE, state=Shard.State.DONE).order_by("index")
    return [result for result in rows.values_list("result", flat=True) if result]


@dataclass(frozen=True, slots=True)
class _Scored:
    """The sums of the score shards of a job, and when the last of them ended."""

    last: datetime | None = None
    shards: int = 0
    done: int = 0
    unfinished: int = 0
    units: int = 0
    scored: int = 0
    reused: int = 0
    quarantined: int = 0


def scoring_progress(mining: Sequence[MiningJob]) -> dict[int, dict[str, Any]]:
    """Map mining jobs, whose `job` must be loaded, to `{shards_done, shards, images_per_second, eta_seconds,
    quarantined}`, in one query: the database sums the results of their shards.

    The rate counts newly scored images since the job began: existing scores take no time. It and the ETA are None
    before anything is scored; the ETA is 0 when all is.
    """
    rows = Shard.objects.filter(job__in=[job.job_id for job in mining], phase=SCORE).order_by().values_list("job")
    sums = rows.annotate(
        shards=Count("pk"),
        done=Count("pk", filter=Q(state=Shard.State.DONE)),
        unfinished=Count("pk", filter=Q(finished=None)),
        all_units=Sum("units"),
        scored=Sum("units_done"),
        reused=Sum(Cast(KeyTextTransform("reused", "result"), IntegerField())),
        quarantined=Sum(_JsonLength(KeyTransform("quarantined", "result"))),
        last=Max("finished"),
    )
    scored = {job: _Scored(last, *(int(number or 0) for number in numbers)) for job, *numbers, last in sums}
    return {job.pk: _progress(job, scored.get(job.job_id, _Scored())) for job in mining}


class _JsonLength(Func):
    """The length of a JSON array."""

    function = "jsonb_array_length"
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **context)


def _progress(job: MiningJob, scored: _Scored) -> dict[str, Any]:
    fresh, seconds = scored.scored - scored.reused, _seconds(job, scored)
    rate = fresh / seconds if fresh > 0 and seconds > 0 else None
    left = scored.units - scored.scored
    return {
        "shards_done": scored.done,
        "shards": scored.shards,
        "images_per_second": round(rate, 1) if rate else None,
        "eta_seconds": round(left / rate, 1) if rate else (None if left else 0.0),
        "quarantined": scored.quarantined,
    }


def _seconds(job: MiningJob, scored: _Scored) -> float:
    """Seconds from the start of the job until its last shard was scored, or until now."""
    if job.job.started is None:
        return 0.0
    until = scored.last if scored.last and not scored.unfinished else job.job.finished or timezone.now()
    return float((until - job.job.started).total_seconds())


def live_histogram(job: MiningJob) -> dict[str, Any] | None:
    """Return `{edges, counts, cut, score, live}` of the margins that this job has scored so far (`scoring.histogram`);
    None before the first, and without a model, which alone has margins."""
    if job.model_version is None:
        return None
    found = [result["histogram"] for result in score_results(job) if result.get("histogram")]
    if not found:
        return None
    counts = [sum(column) for column in zip(*(one["counts"] for one in found), strict=True)]
    return {"edges": found[0]["edges"], "counts": counts, "cut": None, "score": "margin", "live": True}


def quarantined(job: MiningJob, *, shard: int, item: int) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield refused images, `{md5, code, detail}`, from an item of a shard on, each with the place after it; shard by
    shard, so that no more is read than needed."""
    rows = job.job.shards.filter(phase=SCORE, state=Shard.State.DONE, index__gte=shard).order_by("index")
    for index, result in rows.values_list("index", "result").iterator(chunk_size=1):
        found = (result or {}).get("quarantined", [])
        for place in range(item if index == shard else 0, len(found)):
            yield (index, place + 1), found[place]
