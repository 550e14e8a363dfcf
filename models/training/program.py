"""`python -m training CONFIG.json`: manifests in, checkpoint and metrics out."""

import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from programs import config as configs
from programs import files
from programs.events import Listener, Silent
from programs.manifest import Sample, read_manifest
from programs.readers import SampleReader, open_reader
from training.architectures import architecture
from training.checkpoint import CONFIG, WEIGHTS, Checkpoint, CheckpointConfig, save, warm_start
from training.config import TrainingConfig, merged_recipe
from training.data import DataError, Images, load_images, open_source
from training.loop import deterministic, fit, predict
from training.metrics import Evaluation, evaluate
from training.network import Network, build

METRICS = "metrics.json"


def train(
    config: TrainingConfig, *, reader: SampleReader | None = None, listener: Listener | None = None
) -> dict[str, Any]:
    """Run one training as configured and write checkpoint.safetensors, config.json and metrics.json to `out_dir`.

    Gives the content of metrics.json. Raises ConfigError, ManifestError, DataError, CheckpointError.
    """
    listener, reader = listener or Silent(), reader or open_reader(config.blobs)
    family, started = architecture(config.architecture, config.params), time.perf_counter()
    recipe = merged_recipe(family.recipe, config.recipe)
    threads = config.threads or len(os.sched_getaffinity(0))

    def samples_of(manifest: Path) -> list[Sample]:
        samples = read_manifest(manifest)
        if not samples:
            raise DataError(f"the manifest {manifest.name} is empty: label some samples first")
        return samples

    samples = samples_of(config.train)
    network = build(config.architecture, config.params, classes=len(config.classes), seed=recipe.seed)
    taken = warm_start(network, config.warm_start) if config.warm_start else []
    images = open_source(
        samples,
        reader,
        classes=config.classes,
        family=family,
        network=network,
        threads=threads,
        memory=config.memory,
        recipe=recipe,
        listener=listener,
    )
    held_out = (
        load_images(
            samples_of(config.validation),
            reader,
            classes=config.classes,
            input_size=family.input_size,
            threads=threads,
            listener=listener,
        )
        if config.validation
        else None
    )
    loaded = time.perf_counter() - started
    listener.log(f"training {config.architecture} on {len(samples)} images, {recipe.total_steps(len(samples))} steps")
    fitted = fit(network, images, recipe, threads=threads, listener=listener)
    evaluation = judge(network, held_out, config.classes, threads=threads) if held_out else None
    facts = CheckpointConfig(
        architecture=config.architecture,
        params=configs.document(family.params),
        classes=config.classes,
        recipe=asdict(recipe),
        threads=threads,
        torch=torch.__version__,
    )
    save(Checkpoint(network, facts), config.out_dir)
    metrics = {
        "train": {"samples": len(samples), "warm_started": len(taken), "load_seconds": loaded, **asdict(fitted)},
        "validation": asdict(evaluation) if evaluation else None,
    }
    files.write_json(config.out_dir / METRICS, metrics)
    return metrics


def judge(network: Network, images: Images, classes: list[str], *, threads: int = 1) -> Evaluation:
    """Evaluate a network on labelled images."""
    with deterministic(threads):
        logits, _ = predict(network, images.pixels)
    return evaluate(softmax(logits), images.labels, classes)


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities (N, K) of logits."""
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True), np.float32)


def body(config: TrainingConfig, listener: Listener) -> dict[str, Any]:
    """What the program does; its result event names the files and carries the metrics."""
    metrics = train(config, listener=listener)
    made = {"checkpoint": WEIGHTS, "config": CONFIG, "metrics_file": METRICS}
    return {**made, "out_dir": str(config.out_dir), "metrics": metrics}
