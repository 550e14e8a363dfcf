"""`python -m training CONFIG.json`: manifests in, checkpoint and metrics out."""

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import torch

from blobs.opening import open_reader
from tasktypes import task_type
from training import checkpointing, recovery, tensorboard
from training.architectures import Architecture, architecture
from training.checkpoint import CONFIG, WEIGHTS, Checkpoint, CheckpointConfig, save, warm_start
from training.config import Recipe, TrainingConfig, merged_recipe
from training.data import DataError, Held, open_held_out, open_source
from training.hardware import deterministic
from training.launching import started_again
from training.loop import Fitted, fit, logits_of
from training.network import Network, build
from training.revision import revision
from training.together import Together, together
from worker_programs import config as configs
from worker_programs import files
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample, read_manifest
from worker_programs.readers import SampleReader

METRICS = "metrics.json"


def train(
    config: TrainingConfig, *, reader: SampleReader | None = None, listener: Listener | None = None
) -> dict[str, Any]:
    """Run one training as configured and write checkpoint.safetensors, config.json, metrics.json and tensorboard/ to
    `out_dir`; while it runs also recovery/ and best/.

    Returns the content of metrics.json. Raises ConfigError, ManifestError, DataError, CheckpointError, RecoveryError.
    """
    listener, reader = listener or Silent(), reader or open_reader(config.blobs)
    family = architecture(config.architecture, config.params)
    family.check_task(config.task)
    recipe = merged_recipe(family.recipe, config.recipe, frozen=family.frozen, task=config.task)
    with together(recipe) as group:
        return _trained(config, family, recipe, reader, listener if group.first else Silent(), group)


def _trained(
    config: TrainingConfig,
    family: Architecture,
    recipe: Recipe,
    reader: SampleReader,
    listener: Listener,
    group: Together,
) -> dict[str, Any]:
    started, threads = time.perf_counter(), (config.threads or len(os.sched_getaffinity(0))) // group.local or 1
    samples = _samples(config.train)
    judges = _samples(config.validation) if config.validation else []
    network = build(config.architecture, config.params, classes=len(config.classes), seed=recipe.seed)
    taken = warm_start(network, config.warm_start, config.classes) if config.warm_start else []
    opening: dict[str, Any] = {
        "classes": config.classes,
        "task": config.task,
        "family": family,
        "network": network,
        "threads": threads,
        "listener": listener,
    }
    source = open_source(samples, reader, memory=config.memory, recipe=recipe, **opening)
    held_out = open_held_out(judges, reader, **opening) if judges else None
    loaded = time.perf_counter() - started
    listener.log(f"training {config.architecture} on {len(samples)} images, {recipe.total_steps(len(samples))} steps")
    identity = _identity(config, family, recipe, [samples, judges], kind=type(source).__name__)
    again = group.first and started_again()
    resume = config.out_dir / checkpointing.RECOVERY if again else config.resume
    keep = checkpointing.CheckpointPlan(config.out_dir, identity, resume)
    fitted = fit(network, source, recipe, threads=threads, listener=listener, held_out=held_out, keep=keep, group=group)
    if not group.first:
        return {}
    evaluation = judge(network, held_out, config.classes, threads=threads) if held_out else None
    save(Checkpoint(network, _facts(config, family, recipe, fitted=fitted, threads=threads)), config.out_dir)
    metrics = {
        "train": {"samples": len(samples), "warm_started": len(taken), "load_seconds": loaded, **asdict(fitted)},
        "validation": evaluation,
    }
    files.write_json(config.out_dir / METRICS, metrics)
    shutil.rmtree(config.out_dir / checkpointing.RECOVERY, ignore_errors=True)  # a finished training is not resumed
    return metrics


def _samples(manifest: Path) -> list[Sample]:
    samples = read_manifest(manifest)
    if not samples:
        raise DataError(f"the manifest {manifest.name} is empty: label some samples first")
    return samples


def _identity(
    config: TrainingConfig, family: Architecture, recipe: Recipe, manifests: Sequence[Sequence[Sample]], *, kind: str
) -> dict[str, str]:
    """Digests that a recovery file must match for a resume; `kind` is that of the source, as each has its own order."""
    parent = config.warm_start / WEIGHTS if config.warm_start else None
    start = hashlib.sha256(parent.read_bytes()).hexdigest() if parent else None
    seen = [[(sample.sha256, sample.label) for sample in samples] for samples in manifests]
    parts = {
        "recipe": asdict(recipe),
        "architecture": [config.architecture, configs.document(family.params), config.classes, config.task],
        "data": [start, seen, kind],
    }
    digests = {name: hashlib.sha256(_canonical(part)).hexdigest() for name, part in parts.items()}
    return digests | {recovery.CODE: f"{revision()}, torch {torch.__version__}"}


def _canonical(document: Any) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def _facts(
    config: TrainingConfig, family: Architecture, recipe: Recipe, *, fitted: Fitted, threads: int
) -> CheckpointConfig:
    return CheckpointConfig(
        architecture=config.architecture,
        params=configs.document(family.params),
        classes=config.classes,
        task=config.task,
        recipe=asdict(recipe),
        threads=threads,
        torch=torch.__version__,
        device=fitted.device,
        precision=fitted.precision,
        code=revision(),
    )


def judge(network: Network, held_out: Held, classes: list[str], *, threads: int = 1) -> dict[str, Any]:
    """The metrics of a network on labelled images, or on their features from its trunk."""
    task = task_type(held_out.task)
    with deterministic(threads):
        probabilities = task.outputs.probabilities(logits_of(network, held_out).numpy())
    return task.metrics.summary(task.metrics.judged(probabilities, held_out.labels), classes)


def body(config: TrainingConfig, listener: Listener) -> dict[str, Any]:
    """Run the training; the returned result event names the files and holds the metrics."""
    metrics = train(config, listener=listener)
    made = {"checkpoint": WEIGHTS, "config": CONFIG, "metrics_file": METRICS}
    shown = f"{tensorboard.FOLDER}/{tensorboard.FILE}"
    return {**made, "tensorboard": shown, "out_dir": str(config.out_dir), "metrics": metrics}
