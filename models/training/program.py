"""`python -m training CONFIG.json`: manifests in, checkpoint and metrics out."""

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson
import torch

from blobs.opening import open_reader
from tasktypes import task_type
from training import checkpointing, recovery, tensorboard
from training.architectures import Architecture, architecture
from training.auto import Auto, learner, learner_recipe
from training.checkpoint import CONFIG, WEIGHTS, Checkpoint, CheckpointConfig, save, trained_by, warm_start
from training.choosing import Choice, Data, choose
from training.config import Recipe, TrainingConfig, merged_recipe
from training.data import DataError, Held, open_held_out, open_source
from training.encoders import NetworkSpec, named_spec
from training.hardware import deterministic
from training.launching import started_again
from training.loop import Fitted, fit, logits_of
from training.network import Network, build
from training.revision import revision
from training.solving import write_head
from training.together import Together, together
from worker_programs import config as configs
from worker_programs import files
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample, read_manifest
from worker_programs.readers import SampleReader

METRICS = "metrics.json"
PSEUDO = "pseudo_labels_"
"""What the names of the curves of pseudo-labels start with; the name of a class follows."""
DRAWN = 20
"""The most classes that have such a curve."""


def train(
    config: TrainingConfig, *, reader: SampleReader | None = None, listener: Listener | None = None
) -> dict[str, Any]:
    """Run one training as configured and write checkpoint.safetensors, config.json, metrics.json and tensorboard/ to
    `out_dir`; while it runs also recovery/ and best/.

    Returns the content of metrics.json. Raises ConfigError, ManifestError, DataError, CheckpointError, RecoveryError.
    """
    listener, reader = listener or Silent(), reader or open_reader(config.blobs)
    asked = learner(config.architecture, config.params)
    asked.check_task(config.task)
    recipe = learner_recipe(asked, config.recipe, task=config.task)
    if isinstance(asked, Auto):
        return _chosen_and_trained(config, asked, recipe, reader, listener)
    spec = named_spec(config.architecture, config.params, config.encoders)
    with together(recipe) as group:
        return _trained(config, spec, recipe, reader, listener if group.first else Silent(), group)


def _chosen_and_trained(
    config: TrainingConfig, asked: Auto, recipe: Recipe, reader: SampleReader, listener: Listener
) -> dict[str, Any]:
    """Choose what to train, and train that; the metrics say what was chosen and why."""
    threads = config.threads or len(os.sched_getaffinity(0))
    unlabelled = read_manifest(config.unlabelled) if config.unlabelled else []
    data = Data(_samples(config.train), unlabelled, reader)
    choice = choose(config, asked.params, recipe, data, threads=threads, listener=listener)
    if shares := list(choice.record["pseudo_labels"].items()):
        listener.point(0, {f"{PSEUDO}{name}": share for name, share in shares[:DRAWN]})
    family = architecture(choice.network.architecture, choice.network.params)
    changes = {"seed": recipe.seed} if choice.head else config.recipe
    recipe = merged_recipe(family.recipe, changes, frozen=family.frozen, task=config.task)
    parent = config.warm_start
    if parent and (choice.head or not trained_by(parent, family.name)):
        listener.log(f"auto: {choice.record['name']} takes nothing from the weights of the parent")
        parent = None
    config = replace(config, warm_start=parent)
    return _trained(config, choice.network, recipe, reader, listener, Together(), choice)


def _trained(
    config: TrainingConfig,
    spec: NetworkSpec,
    recipe: Recipe,
    reader: SampleReader,
    listener: Listener,
    group: Together,
    choice: Choice | None = None,
) -> dict[str, Any]:
    """Train, or write the head that a choice has solved into the network."""
    config = replace(config, architecture=spec.architecture, params=spec.params)
    head = choice.head if choice else None
    started, threads = time.perf_counter(), (config.threads or len(os.sched_getaffinity(0))) // group.local or 1
    samples = _samples(config.train) + (choice.pseudo if choice else [])
    judges = _samples(config.validation) if config.validation else []
    network = build(
        config.architecture, config.params, classes=len(config.classes), seed=recipe.seed, files=spec.files
    )  # fmt: skip
    family = network.family
    taken = warm_start(network, config.warm_start, config.classes) if config.warm_start else []
    opening: dict[str, Any] = {
        "classes": config.classes,
        "task": config.task,
        "family": family,
        "network": network,
        "threads": threads,
        "listener": listener,
    }
    source = None if head else open_source(samples, reader, memory=config.memory, recipe=recipe, **opening)
    held_out = open_held_out(judges, reader, **opening) if judges else None
    loaded = time.perf_counter() - started
    if source is None:
        assert head is not None  # noqa: S101 - as above
        fitted = write_head(network, head, listener=listener, folder=config.out_dir)
    else:
        listener.log(
            f"training {config.architecture} on {len(samples)} images, {recipe.total_steps(len(samples))} steps"
        )
        identity = _identity(config, family, recipe, [samples, judges], kind=type(source).__name__)
        again = group.first and started_again()
        resume = config.out_dir / checkpointing.RECOVERY if again else config.resume
        keep = checkpointing.CheckpointPlan(config.out_dir, identity, resume)
        fitted = fit(
            network, source, recipe, threads=threads, listener=listener, held_out=held_out, keep=keep, group=group
        )  # fmt: skip
    if not group.first:
        return {}
    evaluation = judge(network, held_out, config.classes, threads=threads) if held_out else None
    save(Checkpoint(network, _facts(config, family, recipe, fitted=fitted, threads=threads)), config.out_dir)
    metrics = {
        "train": {"samples": len(samples), "warm_started": len(taken), "load_seconds": loaded, **asdict(fitted)},
        "validation": evaluation,
        **({"choice": choice.record} if choice else {}),
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
