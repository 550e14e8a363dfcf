"""Does the ONNX file answer as the torch network does, whatever the batch?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from export.runtime import Outputs, Session
from training.loop import predict
from training.network import Network

TOLERANCE = 1e-4
"""Largest difference, as a share of the largest logit (at least 1); measured: 1e-7 to 2e-5."""
ODD = 7


@dataclass(frozen=True, slots=True)
class Parity:
    """The proof, over real samples; differences are absolute."""

    passed: bool
    samples: int
    max_abs_error: float
    """Largest difference of a logit or an embedding from torch's."""
    mean_abs_error: float
    top1_agreement: float
    batch_sizes: list[int]
    batch_variance: float
    """Largest difference between a sample alone and the same sample in a batch of any of these sizes."""
    tolerance: float


def prove_parity(network: Network, model: Session, pixels: NDArray[np.uint8], *, opt: int) -> Parity:
    """Compare on decoded samples (N, H, W, C), N >= 1, in batches of 1, 2, 7 and `opt`, as far as they go."""
    logits, embedding = predict(network, pixels)
    sizes = sorted({min(size, len(pixels)) for size in (1, 2, ODD, opt)})
    runs = [_in_batches(model, pixels, size) for size in sizes]
    errors = np.concatenate([np.abs(run.logits - logits).ravel() for run in runs])
    errors = np.concatenate([errors, *(np.abs(run.embedding - embedding).ravel() for run in runs)])
    variance = max(float(np.abs(run.logits - runs[0].logits).max()) for run in runs)
    agreement = min(float((run.logits.argmax(1) == logits.argmax(1)).mean()) for run in runs)
    allowed = TOLERANCE * max(1.0, float(np.abs(logits).max()))
    return Parity(
        passed=float(errors.max()) <= allowed and variance <= allowed and agreement == 1.0,
        samples=len(pixels),
        max_abs_error=float(errors.max()),
        mean_abs_error=float(errors.mean()),
        top1_agreement=agreement,
        batch_sizes=sizes,
        batch_variance=variance,
        tolerance=allowed,
    )


def _in_batches(model: Session, pixels: NDArray[np.uint8], size: int) -> Outputs:
    made = [model.run(pixels[at : at + size]) for at in range(0, len(pixels), size)]
    return Outputs(
        np.concatenate([part.logits for part in made]),
        np.concatenate([part.embedding for part in made]),
        np.concatenate([part.probabilities for part in made]),
    )
