"""How a back-test is executed: embed, prepare, replay each pair of strategy and seed, judge."""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from backtest.config import REPLAY as REPLAY_VERSION
from backtest.config import Plan
from backtest.probe import Embedded
from backtests import services
from backtests.models import Backtest, Replay
from blobs.services import row_for, store
from catalog.exports.manifests import lines_of
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.scores.files import table_of
from mining_jobs.scores.shards import score_rows
from registry.models import ModelVersion
from registry.services import RunSpec, check_spec
from scoring.config import SCORER
from scoring.table import packed
from training.architectures import architecture
from worker_programs.config import document

Line = Mapping[str, Any]


class BacktestHandler:
    """Phase SCORE embeds what the model has not seen yet, PREPARE pins the samples, REPLAY runs one strategy with one
    seed unless that was ever done before, JUDGE writes the report."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Any phase; each may be killed and run again."""
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
    assert model is not None  # noqa: S101 - only a probe has this phase
    rows = services.labelled(backtest.version).filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
    return score_rows(rows, model, context)


def _prepare(backtest: Backtest) -> Outcome:
    """The digest of the samples that are used; of a probe also their embeddings, in one file for all replays."""
    candidates, judges = _samples(backtest)
    ref = None
    if backtest.model_version is not None:
        data, candidates, judges = _embedded(backtest, backtest.model_version, candidates, judges)
        ref = store().put_bytes(data.to_bytes())

    def apply() -> None:
        if ref is not None:
            Backtest.objects.filter(pk=backtest.pk).update(data=row_for(ref))

    seen = [[(line["md5"], line["label"]["class"]) for line in lines] for lines in (candidates, judges)]
    digest = _digest([backtest.dataset.classes, *seen])
    sizes = {"candidates": len(candidates), "test": len(judges), "barred": services.left_out(backtest.version).count()}
    return Outcome({"samples": digest} | sizes, apply)


def _samples(backtest: Backtest) -> tuple[list[Line], list[Line]]:
    """Candidates and judges, by sample id: the order that seeds refer to."""
    rows = services.labelled(backtest.version)
    return list(lines_of(rows.exclude(split=services.JUDGES))), list(lines_of(rows.filter(split=services.JUDGES)))


def _embedded(
    backtest: Backtest, model: ModelVersion, candidates: Sequence[Line], judges: Sequence[Line]
) -> tuple[Embedded, list[Line], list[Line]]:
    """With those samples that could be scored."""
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
    samples = context.job.shards.get(phase=services.PREPARE).result
    assert samples is not None  # noqa: S101 - the phase before this one
    key = replay_key(backtest, plan, samples["samples"])
    if (kept := Replay.objects.filter(key=key).select_related("blob").first()) is not None:
        return Outcome(orjson.loads(store().get(kept.blob.ref)) | {"reused": True})
    with tempfile.TemporaryDirectory(prefix="motherlode-backtest-") as name:
        config = {
            "plan": document(plan),
            "classes": backtest.dataset.classes,
            "learner": _source(backtest, Path(name)),
        }
        result = run_program("backtest", config, folder=Path(name), context=context, reads_store=True)
    curve = {name: result[name] for name in ("labels", "accuracy", "seconds")}
    ref = store().put_bytes(orjson.dumps(curve))

    def apply() -> None:
        blob = row_for(ref)
        Replay.objects.get_or_create(key=key, defaults={"blob": blob})

    return Outcome(curve | {"reused": False}, apply)


def replay_key(backtest: Backtest, plan: Plan, samples: str) -> str:
    """What decides a curve: the samples with their labels, the learner, the strategy, the seed, and the sizes."""
    return _digest([REPLAY_VERSION, samples, _learner(backtest), document(plan)])


def _learner(backtest: Backtest) -> dict[str, Any]:
    """The learner with all that is chosen about it."""
    if backtest.model_version is not None:
        return {"kind": "probe", "model": backtest.model_version.digest, "scorer": SCORER}
    name, config = backtest.learner["architecture"], backtest.learner["config"]
    params = architecture(name, config.get("params", {})).params
    recipe = check_spec(RunSpec(name, config), task=backtest.dataset.task)
    return {"kind": "train", "architecture": name, "params": document(params), "recipe": document(recipe)}


def _source(backtest: Backtest, folder: Path) -> dict[str, Any]:
    """The program's learner, with its files in `folder`."""
    if backtest.data is not None:
        (folder / "data.npz").write_bytes(store().get(backtest.data.ref))
        return {"kind": "probe", "data": str(folder / "data.npz")}
    source = {"kind": "train", "architecture": backtest.learner["architecture"], **backtest.learner["config"]}
    for name, lines in zip(("candidates", "test"), _samples(backtest), strict=True):
        path = folder / f"{name}.jsonl"
        path.write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
        source[name] = str(path)
    return source


def _judge(backtest: Backtest) -> Outcome:
    told = services.judged(backtest)
    results = backtest.job.shards.filter(phase=services.REPLAY).values_list("result", flat=True)
    reused = sum(bool(result and result["reused"]) for result in results)

    def apply() -> None:
        Backtest.objects.filter(pk=backtest.pk).update(report=told)

    return Outcome({"best": told["best"], "replays": len(results), "reused": reused}, apply)


def _digest(document: Any) -> str:
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()
