"""The first phase of a run: from a dataset version to a checkpoint."""

import platform
import time
from collections.abc import Mapping
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson

from catalog.models import Split
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import free_threads, run_program
from jobs.services import while_held
from registry.files import as_document, fetch_files, keep_file
from registry.inputs import Inputs, digests, inputs_of, write_split, write_unlabelled
from registry.models import Run
from registry.services import TRAIN, WEIGHTS, RunSpec, check_spec
from registry.snapshots import fetch_recovery, forget_recovery, keep_snapshot
from registry.trunks import fetched_encoders
from training.auto import Auto, learner, most_unlabelled
from training.config import ENCODER

CHECKPOINT = (WEIGHTS, "config.json", "metrics.json")
TRUNK = "trunk.onnx"
"""The file of the encoder that was trained on, if one was."""
ENVIRONMENT = ("kornia", "numpy", "onnxruntime", "torch")


def train(run: Run, folder: Path, context: ShardContext) -> Outcome:
    """Run the training program on the version's labelled samples and store its output.

    Its checkpoints are stored while it runs; after a kill it resumes from the newest recovery.
    """
    started, out = time.perf_counter(), folder / "out"
    recipe = check_spec(RunSpec(run.architecture, run.config), task=run.model.task)
    resume = fetch_recovery(run, folder / "recovery", context=context)
    config, read = training_config(run, folder, resume=resume)
    note_inputs(run, read, resumed=resume is not None, context=context)
    keep = partial(keep_snapshot, run, context=context, best=recipe.keep_best)
    config["workers"] = free_threads(context)
    result = run_program("training", config, folder=folder, context=context, reads_store=True, on_checkpoint=keep)
    trunk = [TRUNK] if (out / TRUNK).exists() else []
    kept = {path: keep_file(out / path) for path in (*CHECKPOINT, *trunk, result["tensorboard"])}
    seconds = time.perf_counter() - started
    lock = run_lock(run, orjson.loads((out / "config.json").read_bytes()))
    made = {"files": kept, "training": result["metrics"], "lock": lock, "seconds": seconds}
    return Outcome(made, lambda: forget_recovery(run))


def training_config(run: Run, folder: Path, *, resume: Path | None) -> tuple[dict[str, Any], Inputs]:
    """Return the training program's config, and what it will read. Writes its inputs to `folder`; the program writes to
    `folder`/out."""
    train, validation = folder / "train.jsonl", folder / "validation.jsonl"
    read = inputs_of(
        run.version,
        write_split(run.version, train, split=Split.TRAIN),
        write_split(run.version, validation, split=Split.VAL),
    )
    asked, unlabelled = learner(run.architecture, dict(run.config.get("params", {}))), folder / "unlabelled.jsonl"
    if isinstance(asked, Auto) and (most := most_unlabelled(asked.params, read["train"]["samples"])):
        read["unlabelled"] = write_unlabelled(run.version, unlabelled, most=most)
    config = {
        "out_dir": str(folder / "out"),
        "unlabelled": str(unlabelled) if "unlabelled" in read else None,
        "train": str(train),
        "validation": str(validation) if read["validation"]["samples"] else None,
        "task": run.model.task,
        "classes": run.model.classes,
        "architecture": run.architecture,
        "params": run.config.get("params", {}),
        "recipe": run.config.get("recipe", {}) | {"seed": run.seed},
        "encoders": fetched_encoders(run.job.shards.get(phase=TRAIN).params, folder / "encoders"),
        "warm_start": str(fetched_parent(run, folder)) if run.parent else None,
        "resume": str(resume) if resume else None,
        "threads": 1,
    }
    return config, read


def note_inputs(run: Run, read: Inputs, *, resumed: bool, context: ShardContext) -> None:
    """Record what the training reads, before it begins; log how that differs from what it read before it was resumed,
    and from what the run that it was cloned from had read."""
    before = run.inputs if resumed else []
    if before and digests(before[-1]) == digests(read):
        return
    if before:
        context.log(_other_samples(read, before[-1], "this training read before it was resumed"), level="warning")
    if resumed:
        read["resumed"] = True
    values: dict[str, Any] = {"inputs": [*before, read]}
    origin, changed = run.cloned_from, run.inputs_changed
    if origin is not None and changed is not None and origin.inputs:
        same = digests(origin.inputs[-1]) == digests(read)
        values["inputs_changed"] = changed | {"same": same}
        if not same:
            context.log(_other_samples(read, origin.inputs[-1], f"run {origin.pk} read"), level="warning")

    def apply() -> None:
        Run.objects.filter(pk=run.pk).update(**values)

    while_held(context.claim, apply)
    run.inputs = values["inputs"]


def _other_samples(read: Inputs, before: Inputs, whose: str) -> str:
    return (
        f"The training reads other samples than {whose}: {read['train']['samples']:,} of train where there were "
        f"{before['train']['samples']:,}, {read['validation']['samples']:,} of validation where there were "
        f"{before['validation']['samples']:,}."
    )


def run_lock(run: Run, config: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that determines the weights: data, config, seed, code and environment. `data` is a digest of what was
    read last; of a training that read something else before it was resumed, `data_before` lists that."""
    read = [digests(one) for one in run.inputs]
    return {
        "dataset": run.dataset.name,
        "version": run.version.number,
        "data": read[-1],
        **({"unlabelled": run.inputs[-1]["unlabelled"]} if "unlabelled" in run.inputs[-1] else {}),
        **({"data_before": read[:-1]} if len(read) > 1 else {}),
        "seed": run.seed,
        "config": dict(config),
        **({"encoder": _encoder_of(config["params"])} if config["architecture"] == ENCODER else {}),
        "code": config["code"],
        "warm_start": str(run.parent) if run.parent else None,
        "environment": {name: metadata.version(name) for name in ENVIRONMENT}
        | {"python": platform.python_version(), "machine": platform.machine()},
    }


def _encoder_of(params: Mapping[str, Any]) -> dict[str, str]:
    return {"name": params[ENCODER], "sha256": params["sha256"]}


def fetched_parent(run: Run, folder: Path) -> Path:
    """Fetch the parent's checkpoint and return its folder. Raises ShardFailed if it is deleted."""
    assert run.parent is not None  # noqa: S101 - asked only then
    rows = run.parent.artifacts.filter(path__in=CHECKPOINT).select_related("blob")
    if not rows:
        words = f"the weights of {run.parent}, which this run starts from, are deleted"
        raise ShardFailed(f"{words}: clone the run with another `parent`, or none", code="parent_deleted")
    fetch_files({row.path: as_document(row.blob.ref) for row in rows}, folder / "parent")
    return folder / "parent"
