"""What an exported model is worth: labelled samples through ONNX Runtime, judged as training judges."""

import time
from dataclasses import asdict
from typing import Any

import numpy as np

from export.runtime import Session
from programs.events import Listener, Silent
from programs.manifest import Sample
from programs.readers import SampleReader
from training.data import DataError, label_indices, load_pixels
from training.metrics import evaluate

BLOCK = 1024
"""Test images in memory at a time."""


def evaluate_onnx(
    model: Session, samples: list[Sample], reader: SampleReader, *, listener: Listener | None = None
) -> dict[str, Any]:
    """The Evaluation of labelled samples on ONNX Runtime as a document, with images per second of inference alone."""
    if not samples:
        raise DataError("the test manifest is empty: there is nothing to evaluate on")
    labels, listener = label_indices(samples, model.facts.classes), listener or Silent()
    probabilities, seconds = [], 0.0
    for at in range(0, len(samples), BLOCK):
        pixels = load_pixels(samples[at : at + BLOCK], reader, input_size=model.facts.input_size)
        started = time.perf_counter()
        probabilities += [model.run(pixels[row : row + 64]).probabilities for row in range(0, len(pixels), 64)]
        seconds += time.perf_counter() - started
        listener.progress(min(at + BLOCK, len(samples)), len(samples), unit="images")
    evaluation = asdict(evaluate(np.concatenate(probabilities), labels, model.facts.classes))
    return {**evaluation, "images_per_second": len(samples) / seconds, "model_sha256": model.digest}
