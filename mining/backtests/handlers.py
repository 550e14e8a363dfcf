"""How a back-test is executed: embed, prepare, replay each strategy with each seed, judge."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from backtest.config import REPLAY as REPLAY_VERSION
from backtest.config import Plan
from backtest.probe import Embedded
from backtests import services
from backtests.learners import decided, frozen_family, most_disk
from backtests.models import Backtest, Replay
from backtests.samples import (
    Line,
    asks_evidence,
    copies,
    digest_of,
    evidence_of,
    labelled,
    left_out,
    samples_digest,
    samples_of,
)
from blobs.services import row_for, store
from catalog.exports.manifests import lines_of
from catalog.models import RevisionQuerySet
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.scores.files import table_of
from mining_jobs.scores.shards import score_rows
from registry.models import ModelVersion
from scoring.table import packed
from worker_programs.config import document


class BacktestHandler:
    """Phase SCORE embeds new images, or computes the features of a frozen trunk, PREPARE fixes the samples, REPLAY runs
    one strategy with one seed unless this replay exists already, JUDGE writes the report."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run a shard of any phase; it may be killed and run again."""
        related = ("version__dataset", "model_version__model", "data", "job")
        backtest = Backtest.objects.select_related(*related).get(job=context.job)
        match context.claim.shard.phase:
            case services.SCORE:
                return _score(backtest, context)
            case services.PREPARE:
                return _prepare(backtest)
            case services.REPLAY:
                return _replay(backtest, context)
        return _judge(backtest)


def _score(backtest: Backtest, context: ShardContext) -> Outcome:
    span, model = context.params, backtest.model_version
    rows = labelled(backtest.version).filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
    return _features(backtest, rows, context) if model is None else score_rows(rows, model, context)


def _features(backtest: Backtest, rows: RevisionQuerySet, context: ShardContext) -> Outcome:
    """Compute features into this machine's cache; replays on another machine compute what they lack."""
    with tempfile.TemporaryDirectory(prefix="motherlode-backtest-") as name:
        manifest = _manifest(Path(name) / "images.jsonl", list(lines_of(rows)))
        source = _trained(backtest) | {"candidates": manifest, "test": manifest}
        told = _program(backtest, source) | {"plan": None}
        result = run_program("backtest", told, folder=Path(name), context=context, reads_store=True)
    return Outcome({field: result[field] for field in ("images", "seconds")})


def _prepare(backtest: Backtest) -> Outcome:
    """Return the digest of the samples to use; for a probe, also store their embeddings, in one file for all
    replays."""
    (candidates, judges), ref = samples_of(backtest.version), None
    if backtest.model_version is not None:
        data, candidates, judges = _embedded(backtest, backtest.model_version, candidates, judges)
        ref = store().put_bytes(data.to_bytes())

    def apply() -> None:
        if ref is not None:
            Backtest.objects.filter(pk=backtest.pk).update(data=row_for(ref))

    task, classes = backtest.dataset.task_type, backtest.dataset.classes
    digests = {"samples": samples_digest(task, classes, candidates, judges)}
    if any(map(asks_evidence, backtest.strategies)):
        digests["evidence"] = samples_digest(task, classes, evidence_of(backtest.version))
    sizes = {"candidates": len(candidates), "test": len(judges), "barred": left_out(backtest.version).count()}
    sizes["copies"] = copies(backtest.version)
    return Outcome(digests | sizes, apply)


def _embedded(
    backtest: Backtest, model: ModelVersion, candidates: Sequence[Line], judges: Sequence[Line]
) -> tuple[Embedded, list[Line], list[Line]]:
    """Return the embeddings of the samples that could be scored, and these samples."""
    table = table_of(model)
    classes = {name: index for index, name in enumerate(backtest.dataset.classes)}
    arrays: list[Any] = []
    kept: list[list[Line]] = []
    for lines in (candidates, judges):
        places = table.rows(packed(line["md5"] for line in lines))
        known = [line for line, place in zip(lines, places.tolist(), strict=True) if place >= 0]
        if not known:
            raise ShardFailed(f"No sample of {backtest.version} could be scored by {model}.", code="nothing_scored")
        labels = np.array([classes[line["label"]["class"]] for line in known], np.int64)
        arrays += [table.embedding_of(places[places >= 0]), labels]
        kept.append(known)
    return Embedded(*arrays), kept[0], kept[1]


def _replay(backtest: Backtest, context: ShardContext) -> Outcome:
    plan = services.plan_of(backtest, context.params)
    known = context.job.shards.get(phase=services.PREPARE).result
    assert known is not None  # noqa: S101 - the phase before this one
    with_evidence = asks_evidence(backtest.strategies[context.params["arm"]])
    samples = known["samples"] + (known["evidence"] if with_evidence else "")
    key = replay_key(backtest, plan, samples)
    if (kept := Replay.objects.filter(key=key).select_related("blob").first()) is not None:
        return Outcome(orjson.loads(store().get(kept.blob.ref)) | {"reused": True})
    with tempfile.TemporaryDirectory(prefix="motherlode-backtest-") as name:
        told = _program(backtest, _source(backtest, Path(name), with_evidence=with_evidence))
        told["plan"] = document(plan)
        result = run_program("backtest", told, folder=Path(name), context=context, reads_store=True)
    curve = {field: result[field] for field in ("labels", "accuracy", "objects", "seconds")}
    ref = store().put_bytes(orjson.dumps(curve))

    def apply() -> None:
        blob = row_for(ref)
        Replay.objects.get_or_create(key=key, defaults={"blob": blob})

    return Outcome(curve | {"reused": False}, apply)


def replay_key(backtest: Backtest, plan: Plan, samples: str) -> str:
    """Return the digest of everything a curve depends on: the samples with their labels, the learner, the strategy, the
    seed, and the sizes."""
    return digest_of([REPLAY_VERSION, samples, decided(backtest), document(plan)])


def _program(backtest: Backtest, source: dict[str, Any]) -> dict[str, Any]:
    """The config of the back-test program, without a plan."""
    return {"classes": backtest.dataset.classes, "task": backtest.dataset.task, "learner": source}


def _source(backtest: Backtest, folder: Path, *, with_evidence: bool) -> dict[str, Any]:
    """The learner of the program's config, with its files in `folder`."""
    if backtest.data is not None:
        (folder / "data.npz").write_bytes(store().get(backtest.data.ref))
        return {"kind": "probe", "data": str(folder / "data.npz")}
    source = _trained(backtest)
    for name, lines in zip(("candidates", "test"), samples_of(backtest.version), strict=True):
        source[name] = _manifest(folder / f"{name}.jsonl", lines)
    if with_evidence and (lines := evidence_of(backtest.version)):
        source["evidence"] = _manifest(folder / "evidence.jsonl", lines)
    return source


def _trained(backtest: Backtest) -> dict[str, Any]:
    """An architecture as the learner of the program's config, without its samples."""
    disk = {} if frozen_family(backtest.learner) is None else {"disk": most_disk()}
    return {"kind": "train", "architecture": backtest.learner["architecture"], **backtest.learner["config"], **disk}


def _manifest(path: Path, lines: Sequence[Line]) -> str:
    path.write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    return str(path)


def _judge(backtest: Backtest) -> Outcome:
    told = services.judged(backtest)
    results = backtest.job.shards.filter(phase=services.REPLAY).values_list("result", flat=True)
    reused = sum(bool(result and result["reused"]) for result in results)

    def apply() -> None:
        Backtest.objects.filter(pk=backtest.pk).update(report=told)

    return Outcome({"best": told["best"], "replays": len(results), "reused": reused}, apply)
