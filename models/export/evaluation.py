"""What an exported model is worth: labelled samples through ONNX Runtime, judged as training judges."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from export.config import ExportConfig
from export.runtime import Session
from programs import files
from programs.config import ConfigError
from programs.events import Listener, Silent
from programs.manifest import Sample, read_manifest
from programs.readers import SampleReader
from training.calibration import Temperature, confidences, fit_temperature
from training.data import DataError, label_indices, load_pixels
from training.judgement import judged
from training.metrics import calibration_error
from training.predictions import Predictions

BLOCK, BATCH = 1024, 64
"""Test images in memory at a time, and in one call of the model."""
WORST = 50
SINGLES, SINGLE_SECONDS = 200, 2.0
"""Calls with one image whose time is taken: at most so many, or as long."""


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
    temperature: Temperature | None = None,
    single: Session | None = None,
    listener: Listener | None = None,
) -> Evaluated:
    """Judge labelled samples on ONNX Runtime, with images per second of inference alone.

    `slices` are sample keys by name, `left_out` why other slices could not be looked up. `temperature` is shown with
    what it does to the calibration here; no figure of the model itself uses it. `single` is the same file on one
    thread, for the time that one image takes; None: `model` is.
    """
    if not samples:
        raise DataError("the test manifest is empty: there is nothing to evaluate on")
    labels, speed = label_indices(samples, model.facts.classes), Speed()
    parts, calibrated = [], []
    for at, logits, probabilities in _answers(model, samples, reader, speed=speed, listener=listener):
        parts.append(Predictions.of(probabilities, labels[at : at + len(logits)]))
        calibrated.append(confidences(logits, temperature.value if temperature else 1.0))
    whole = Predictions.joined(parts)
    few = load_pixels(samples[:BATCH], reader, input_size=model.facts.input_size)
    named = whole.named([s.key for s in samples], [s.md5 for s in samples], slices=slices or {})
    document = {
        **judged(named, model.facts.classes, left_out=left_out),
        "calibration": _calibration(whole, np.concatenate(calibrated), temperature),
        "worst": worst(whole, samples, model.facts.classes),
        "images_per_second": len(samples) / speed.seconds,
        "latency_ms": latency_ms(single or model, few),
        "model_sha256": model.digest,
    }
    return Evaluated(document, named.to_bytes())


def evaluate_configured(
    config: ExportConfig, model: Session, reader: SampleReader, *, single: Session, listener: Listener | None = None
) -> Evaluated:
    """`evaluate_onnx` on the manifests that a config names, the temperature fitted on its validation samples.

    `config.test` is not None.
    """
    assert config.test is not None  # noqa: S101 - the caller asks only then
    held_out = read_manifest(config.validation) if config.validation else []
    temperature = temperature_of(model, held_out, reader, listener=listener) if held_out else None
    slices, left_out = read_slices(config.slices) if config.slices else ({}, {})
    return evaluate_onnx(
        model,
        read_manifest(config.test),
        reader,
        slices=slices,
        left_out=left_out,
        temperature=temperature,
        single=single,
        listener=listener,
    )


def keep_evaluation(made: Evaluated, folder: Path, *, variant: str = "") -> None:
    """Write `evaluation.json` and `predictions.npz`, of a variant `evaluation.int8.json` and `predictions.int8.npz`."""
    infix = f".{variant}" if variant else ""
    files.write_json(folder / f"evaluation{infix}.json", made.document)
    files.write_bytes(folder / f"predictions{infix}.npz", made.predictions)


def temperature_of(
    model: Session, samples: Sequence[Sample], reader: SampleReader, *, listener: Listener | None = None
) -> Temperature:
    """The temperature that fits labelled samples on which nothing was judged."""
    labels = label_indices(samples, model.facts.classes)
    logits = [found for _, found, _ in _answers(model, samples, reader, speed=Speed(), listener=listener)]
    return fit_temperature(np.concatenate(logits), labels)


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


def worst(predictions: Predictions, samples: Sequence[Sample], classes: list[str]) -> list[dict[str, Any]]:
    """The samples with the largest losses, the largest first, with what was said of them."""
    losses = predictions.losses
    chosen = sorted(range(len(samples)), key=lambda row: (-losses[row], samples[row].key))[:WORST]
    return [
        {
            "key": samples[row].key,
            "md5": samples[row].md5,
            "label": classes[predictions.label[row]],
            "predicted": classes[predictions.predicted[row]],
            "confidence": float(predictions.confidence[row]),
            "loss": float(losses[row]),
        }
        for row in chosen
    ]


def read_slices(path: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Slices of a JSON file: `{name: [sample keys]}`, and by name why others have none, `{name: "why"}`."""
    try:
        found = orjson.loads(path.read_bytes())
        keys = {name: list(value) for name, value in found.items() if not isinstance(value, str)}
    except (OSError, ValueError, AttributeError, TypeError) as fault:
        raise ConfigError({"slices": [f"{path} is no JSON object of lists of sample keys: {fault}"]}) from fault
    return keys, {name: value for name, value in found.items() if isinstance(value, str)}


@dataclass(slots=True)
class Speed:
    """Seconds that the model itself took."""

    seconds: float = 0.0


def _answers(
    model: Session, samples: Sequence[Sample], reader: SampleReader, *, speed: Speed, listener: Listener | None
) -> Iterator[tuple[int, NDArray[np.float32], NDArray[np.float32]]]:
    """By blocks: where each begins, its logits and probabilities."""
    listener = listener or Silent()
    for at in range(0, len(samples), BLOCK):
        pixels = load_pixels(samples[at : at + BLOCK], reader, input_size=model.facts.input_size)
        started = time.perf_counter()
        made = [model.run(pixels[row : row + BATCH]) for row in range(0, len(pixels), BATCH)]
        speed.seconds += time.perf_counter() - started
        listener.progress(min(at + BLOCK, len(samples)), len(samples), unit="images")
        yield at, np.concatenate([m.logits for m in made]), np.concatenate([m.probabilities for m in made])


def _calibration(
    predictions: Predictions, calibrated: NDArray[np.float32], temperature: Temperature | None
) -> dict[str, Any] | None:
    if temperature is None:
        return None
    facts = {f"validation_{name}": value for name, value in asdict(temperature).items() if name.startswith("loss")}
    return {
        "temperature": temperature.value,
        "samples": temperature.samples,
        "ece_before": calibration_error(predictions.confidence, predictions.right),
        "ece_after": calibration_error(calibrated, predictions.right),
        **facts,
    }
