"""Prove that an ONNX file answers as its reference does, whatever the batch."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from export.runtime import Outputs, Session
from training.loop import predict
from training.network import Network

TOLERANCE = 1e-4
"""Largest difference, as a share of the largest value (at least 1); measured: 1e-7 to 2e-5."""
ODD = 7
FEW = 32
"""Number of samples on which batch sizes other than the largest are tried."""
PLAIN_BATCH = 64


@dataclass(frozen=True, slots=True)
class Parity:
    """The result of a parity proof, over real samples; differences are absolute."""

    passed: bool
    samples: int
    max_abs_error: float
    """Largest difference of a logit or an embedding from the reference's."""
    mean_abs_error: float
    top1_agreement: float
    batch_sizes: list[int]
    batch_variance: float
    """Largest difference between a sample alone and the same sample in a batch of any of these sizes."""
    tolerance: float
    """Allowed difference of a logit; that of an embedding is the same share of its own largest value."""
    reference: Literal["torch", "onnxruntime"] = "torch"
    """What it was compared with: the network in torch, or the file itself with nothing optimised."""


def prove_parity(network: Network, model: Session, pixels: NDArray[np.uint8], *, opt: int) -> Parity:
    """Compare with torch on decoded samples (N, H, W, C), N >= 1: all of them in batches of `opt`, the first 32 in
    batches of 1, 2 and 7 too, as far as they go."""
    logits, embedding = predict(network, pixels)
    said = Outputs(logits, embedding, model.task.outputs.probabilities(logits))
    return prove_parity_with(said, model, pixels, opt=opt)


def prove_parity_with(
    said: Outputs, model: Session, pixels: NDArray[np.uint8], *, opt: int, threads: int = 1
) -> Parity:
    """As `prove_parity`, with torch's outputs computed already."""
    return _prove(said, model, pixels, opt=opt, threads=threads, reference="torch")


def prove_parity_with_plain(
    data: bytes, model: Session, pixels: NDArray[np.uint8], *, opt: int, threads: int = 1
) -> Parity:
    """As `prove_parity`, for a file that came without its network: against ONNX Runtime with nothing optimised."""
    plain = _in_batches(Session(data, plain=True), pixels, PLAIN_BATCH, threads=threads)
    return _prove(plain, model, pixels, opt=opt, threads=threads, reference="onnxruntime")


def _prove(
    said: Outputs,
    model: Session,
    pixels: NDArray[np.uint8],
    *,
    opt: int,
    threads: int,
    reference: Literal["torch", "onnxruntime"],
) -> Parity:
    sizes = sorted({min(size, len(pixels)) for size in (1, 2, ODD, opt)})
    runs = [_in_batches(model, pixels if size == sizes[-1] else pixels[:FEW], size, threads=threads) for size in sizes]
    logits, embedding, _ = said
    ours = np.concatenate([np.abs(run.logits - logits[: len(run.logits)]).ravel() for run in runs])
    below = np.concatenate([np.abs(run.embedding - embedding[: len(run.embedding)]).ravel() for run in runs])
    errors = np.concatenate([ours, below])
    alone = runs[0].logits[:FEW]
    variance = max(float(np.abs(run.logits[: len(alone)] - alone).max()) for run in runs)
    allowed, allowed_below = (TOLERANCE * max(1.0, float(np.abs(values).max())) for values in (logits, embedding))
    outputs = model.task.outputs
    told = outputs.judged(said.logits, said.probabilities)
    answers = [outputs.judged(run.logits, run.probabilities) for run in runs]
    agreement = min(float(outputs.same(told[: len(one)], one, tolerance=allowed).mean()) for one in answers)
    return Parity(
        passed=bool(
            ours.max() <= allowed and below.max() <= allowed_below and variance <= allowed and agreement == 1.0
        ),
        samples=len(pixels),
        max_abs_error=float(errors.max()),
        mean_abs_error=float(errors.mean()),
        top1_agreement=agreement,
        batch_sizes=sizes,
        batch_variance=variance,
        tolerance=allowed,
        reference=reference,
    )


def _in_batches(model: Session, pixels: NDArray[np.uint8], size: int, *, threads: int) -> Outputs:
    batches = [pixels[at : at + size] for at in range(0, len(pixels), size)]
    with ThreadPoolExecutor(threads) as pool:
        made = list(pool.map(model.run, batches))
    return Outputs(*(np.concatenate(parts) for parts in zip(*made, strict=True)))
