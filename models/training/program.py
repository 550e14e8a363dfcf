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
from programs.manifest import read_manifest
from programs.readers import SampleReader, open_reader
from training.architectures import architecture
from training.checkpoint import CONFIG, WEIGHTS, Checkpoint, CheckpointConfig, save, warm_start
from training.config import TrainingConfig, merged_recipe
from training.data import DataError, Images, load_images
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
    recipe = merged_recipe(family.recipe, config.recipe, frozen=family.frozen)
    threads = config.threads or len(os.sched_getaffinity(0))

    def images_of(manifest: Path) -> Images:
        samples = read_manifest(manifest)
        if not samples:
            raise DataError(f"the manifest {manifest.name} is empty: label some samples first")
        return load_images(samples, reader, classes=config.classes, input_size=family.input_size, listener=listener)

    images = images_of(config.train)
    held_out = images_of(config.validation) if config.validation else None
    loaded = time.perf_counter() - started
    network = build(config.architecture, config.params, classes=len(config.classes), seed=recipe.seed)
    taken = warm_start(network, config.warm_start) if config.warm_start else []
    listener.log(f"training {config.architecture} on {len(images)} images, {recipe.total_steps(len(images))} steps")
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
        "train": {"samples": len(images), "warm_started": len(taken), "load_seconds": loaded, **asdict(fitted)},
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
