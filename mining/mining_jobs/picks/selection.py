"""Picks from scores: write the pool, select in a separate program, store its picks as rows."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from acquisition import strategy
from acquisition.ties import DRAWN
from catalog.models import Revision
from core.list_parameters import listed
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.models import MiningJob, Pick
from mining_jobs.picks.candidates import answered_of, barred_of, looks_at_labelled
from mining_jobs.picks.objects import write_objects
from mining_jobs.picks.pools import write_pool
from mining_jobs.scores.files import tempered_thresholds
from mining_jobs.scores.progress import score_results

NEIGHBOURS = 3
SHOWN_QUARANTINED = 1000
OF_LABELLED_BYTES = "of the bytes of a labelled sample"
LONG = ("histogram", "quarantined")
"""Figures of a job that are not repeated in its result."""


def select(job: MiningJob, context: ShardContext) -> Outcome:
    """Run phase SELECT of a mining job. It may be killed and run again: the picks are the same."""
    chosen, looked = strategy(job.strategy, job.params), None
    with tempfile.TemporaryDirectory(prefix="motherlode-select-") as name:
        folder = Path(name)
        written = write_pool(job, folder / "pool", context.check)
        if "objects" in chosen.needs:
            looked = write_objects(job, folder / "pool", chosen, context)
        config = {
            "pool": str(folder / "pool"),
            "out": str(folder / "picks.jsonl"),
            "strategy": job.strategy,
            "params": job.params,
            "count": job.count,
            "seed": job.seed,
            "control": job.control,
            "compose": job.compose or {},
            "neighbours": NEIGHBOURS,
        }
        result = run_program("acquisition", config, folder=folder, context=context)
        picks = [orjson.loads(line) for line in (folder / "picks.jsonl").read_bytes().splitlines()]
    rows = _rows(job, picks, written.labelled.tolist())
    stats = _totals(job) | _figures(result) | _left_out(job, result["kept_out"])
    if written.evidence is not None:
        stats["evidence"] = dict(written.evidence)
    if looked is not None:
        stats["objects"] = dict(looked.figures)

    def apply() -> None:
        Pick.objects.bulk_create(rows, batch_size=500)
        MiningJob.objects.filter(pk=job.pk).update(stats=stats)
        if looked is not None:
            looked.apply()

    return Outcome({name: value for name, value in stats.items() if name not in LONG}, apply)


def _left_out(job: MiningJob, kept_out: Mapping[str, int]) -> dict[str, Any]:
    """Count the samples of the pool that were no candidates: `barred`, because nothing would be trained on them, and by
    the rule that kept them out."""
    labelled = looks_at_labelled(strategy(job.strategy, job.params))
    answered = answered_of(job.version, job.filter, labelled=labelled).count()
    return {
        "barred": barred_of(job.version, job.filter, labelled=labelled).count(),
        "kept_out": ({OF_LABELLED_BYTES: answered} if answered else {}) | dict(kept_out),
    }


def _figures(result: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("pool", "candidates", "picked", "unmet", "kept_out", "uncompared", "spent")
    figures = {name: result[name] for name in kept} | {"select_seconds": round(result["seconds"], 3), "ties": DRAWN}
    return figures if result["histogram"] is None else figures | {"histogram": result["histogram"]}


def _rows(job: MiningJob, picks: Sequence[Mapping[str, Any]], labelled: Sequence[int]) -> list[Pick]:
    near = {labelled[row] for pick in picks for row, _ in pick["neighbours"]}
    known, sizes = _by_sample(job, sorted(near)), _sizes(job, [pick["id"] for pick in picks])
    return [
        Pick(
            mining_job=job,
            rank=pick["rank"],
            sample_id=pick["id"],
            score=pick["score"],
            terms=pick["terms"],
            reason=pick["reason"][:300],
            control=pick["control"],
            probability=pick["probability"],
            prediction=_prediction(job, pick["probabilities"], sizes.get(pick["id"])),
            neighbours=[_neighbour(job, known[labelled[row]], distance) for row, distance in pick["neighbours"]],
            explanation=pick["explanation"],
        )
        for pick in picks
    ]


def _by_sample(job: MiningJob, samples: Sequence[int]) -> dict[int, Revision]:
    rows = job.version.revisions.filter(sample__in=listed(samples)).select_related("sample", "blob", "label")
    return {row.sample_id: row for row in rows}


def _sizes(job: MiningJob, samples: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return (width, height) of the images of samples, where labels are given in pixels."""
    if not job.dataset.task_type.labels.in_pixels:
        return {}
    rows = job.version.revisions.filter(sample__in=listed(samples))
    facts = rows.values_list("sample_id", "blob__width", "blob__height")
    return {pk: (width, height) for pk, width, height in facts if width and height}


def _neighbour(job: MiningJob, row: Revision, distance: float) -> dict[str, Any]:
    label = job.dataset.task_type.in_words(row.label.value) if row.label else ""
    thumb = f"/thumbs/{row.blob.md5}"
    return {"key": row.sample.key, "thumb": thumb, "label": label, "distance": round(distance, 4)}


def _prediction(
    job: MiningJob, probabilities: Sequence[Any] | None, size: tuple[int, int] | None
) -> dict[str, Any] | None:
    if probabilities is None:
        return None
    model = job.model.model
    outputs, thresholds = model.task_type.outputs, tempered_thresholds(job.model)
    return {
        **outputs.answer(probabilities, model.classes, thresholds, size),
        **outputs.shares(probabilities, model.classes),
        "model": f"{model.name}@{job.model.number}",
    }


def _totals(job: MiningJob) -> dict[str, Any]:
    """Sum up the results of the score shards, each counted once."""
    results = score_results(job)
    seconds = sum(result.get("seconds", 0.0) for result in results)
    scored = sum(result["scored"] for result in results)
    return {
        "scored": scored,
        "reused": sum(result["reused"] for result in results),
        "quarantined": [item for result in results for item in result["quarantined"]][:SHOWN_QUARANTINED],
        "score_seconds": round(seconds, 3),
        "images_per_second": round(scored / seconds, 1) if seconds else None,
    }
