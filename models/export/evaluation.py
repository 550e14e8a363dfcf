"""Evaluate an exported model: run labelled samples through ONNX Runtime, and judge them as training does."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from export.answers import BATCH, Answers, Pictures
from export.config import ExportConfig
from export.runtime import Session
from tasktypes.baseline import baseline
from tasktypes.model_parts import CLASSES, Calibration
from tasktypes.predictions import Predictions
from training.data import DataError, targets_of
from worker_programs import files
from worker_programs.config import ConfigError
from worker_programs.events import Listener
from worker_programs.manifest import Sample, read_manifest
from worker_programs.readers import SampleReader

WORST = 50
SINGLES, SINGLE_SECONDS = 200, 1.0
"""Timed calls with one image: at most this many, for at most this many seconds."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The evaluation as a document, and its predictions as a file that later versions are compared with."""

    document: dict[str, Any]
    predictions: bytes


def evaluate_onnx(
    model: Session,
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    slices: Mapping[str, Collection[str]] | None = None,
    left_out: Mapping[str, str] | None = None,
    calibration: Calibration | None = None,
    listener: Listener | None = None,
) -> Evaluated:
    """Judge labelled samples on ONNX Runtime.

    `slices` are sample keys by name, `left_out` why other slices could not be looked up. `calibration` is reported with
    its effect here; no probability of the model uses its temperature. `images_per_second` counts the inference alone.
    """
    pictures = Pictures(reader, input_size=model.facts.input_size, scales=model.facts.jpeg_scales)
    answers = Answers(model, pictures, listener=listener)
    return evaluate_answers(answers, samples, slices=slices, left_out=left_out, calibration=calibration)


def evaluate_answers(
    answers: Answers,
    samples: Sequence[Sample],
    *,
    slices: Mapping[str, Collection[str]] | None = None,
    left_out: Mapping[str, str] | None = None,
    calibration: Calibration | None = None,
) -> Evaluated:
    """As `evaluate_onnx`, for a file that may have computed answers for some of the samples before."""
    if not samples:
        raise DataError("the test manifest is empty: there is nothing to evaluate on")
    model, metrics, classes = answers.model, answers.model.task.metrics, answers.model.facts.classes
    targets = targets_of(samples, classes, model.facts.task)
    parts, said, at = [], [], 0
    for block, (logits, probabilities) in answers.by_blocks(samples):
        parts.append(metrics.judged(probabilities, targets[at : at + len(block)], calibration))
        said.append(logits)
        at += len(block)
    whole = metrics.predictions_type.joined(parts)
    few = answers.pictures.load(samples[:BATCH])
    named = whole.named([s.key for s in samples], [s.md5 for s in samples], slices=slices or {})
    document = {
        **metrics.document(named, classes, left_out=left_out),
        "calibration": metrics.calibrated(whole, np.concatenate(said), calibration, classes) if calibration else None,
        "baseline": _baseline(model, whole),
        "worst": worst(whole, samples, model),
        "images_per_second": images_per_second(model, few),
        "latency_ms": latency_ms(model, few),
        "model_sha256": model.digest,
    }
    return Evaluated(document, named.to_bytes())


def _baseline(model: Session, predictions: Predictions) -> dict[str, Any] | None:
    """The comparison with always giving the commonest answer; None for boxes, which have none."""
    found = baseline(predictions) if model.task.outputs.form == CLASSES else None
    return None if found is None else asdict(found)


def evaluate_configured(config: ExportConfig, answers: Answers) -> Evaluated:
    """`evaluate_answers` on the manifests that a config names, calibrated on its validation samples.

    `config.test` is not None.
    """
    assert config.test is not None  # noqa: S101 - the caller asks only then
    held_out = read_manifest(config.validation) if config.validation else []
    calibration = calibration_of(answers, held_out) if held_out else None
    slices, left_out = read_slices(config.slices) if config.slices else ({}, {})
    test = read_manifest(config.test)
    return evaluate_answers(answers, test, slices=slices, left_out=left_out, calibration=calibration)


def keep_evaluation(made: Evaluated, folder: Path, *, variant: str = "") -> None:
    """Write `evaluation.json` and `predictions.npz`; for a variant `evaluation.int8.json` and
    `predictions.int8.npz`."""
    infix = f".{variant}" if variant else ""
    files.write_json(folder / f"evaluation{infix}.json", made.document)
    files.write_bytes(folder / f"predictions{infix}.npz", made.predictions)


def calibration_of(answers: Answers, samples: Sequence[Sample]) -> Calibration:
    """The calibration fitted on labelled samples that are not used for evaluation."""
    facts = answers.model.facts
    targets = targets_of(samples, facts.classes, facts.task)
    task = answers.model.task
    said = [task.outputs.judged(*block) for _, block in answers.by_blocks(samples)]
    return task.metrics.calibrate(np.concatenate(said), targets)


def images_per_second(model: Session, pixels: NDArray[np.uint8]) -> float:
    """How many images the model computes in one batch of these, on its own threads, the first call left out."""
    model.run(pixels[:1])
    started = time.perf_counter()
    model.run(pixels)
    return len(pixels) / (time.perf_counter() - started)


def latency_ms(model: Session, pixels: NDArray[np.uint8]) -> dict[str, float]:
    """Milliseconds that one image takes: `p50` and `p95` over up to 200 calls after a few to warm up."""
    taken: list[float] = []
    for row in (0, 0, 0):
        model.run(pixels[row : row + 1])
    begun = time.perf_counter()
    while len(taken) < SINGLES and time.perf_counter() - begun < SINGLE_SECONDS:
        row = len(taken) % len(pixels)
        started = time.perf_counter()
        model.run(pixels[row : row + 1])
        taken.append((time.perf_counter() - started) * 1000)
    p50, p95 = np.percentile(taken, (50, 95))
    return {"p50": float(p50), "p95": float(p95), "runs": len(taken)}


def worst(predictions: Predictions, samples: Sequence[Sample], model: Session) -> list[dict[str, Any]]:
    """The samples with the largest losses, the largest first, with their predictions."""
    losses = predictions.losses
    chosen = sorted(range(len(samples)), key=lambda row: (-losses[row], samples[row].key))[:WORST]
    return [
        {
            "key": samples[row].key,
            "md5": samples[row].md5,
            **model.task.metrics.told(predictions, row, model.facts.classes),
            "loss": float(losses[row]),
        }
        for row in chosen
    ]


def read_slices(path: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Read slices from a JSON file: `{name: [sample keys]}`, and the reasons why others have none, `{name: "why"}`."""
    try:
        found = orjson.loads(path.read_bytes())
        keys = {name: list(value) for name, value in found.items() if not isinstance(value, str)}
    except (OSError, ValueError, AttributeError, TypeError) as fault:
        raise ConfigError({"slices": [f"{path} is not JSON object of lists of sample keys: {fault}"]}) from fault
    return keys, {name: value for name, value in found.items() if isinstance(value, str)}
