"""The head of a frozen trunk, solved at once: written into the network, with the figures of a finished training."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from training.loop import Fitted
from training.network import Network
from training.propagation import Graph, fit_with, pseudo_labels
from training.ridge import Doubles, Fit, fit
from training.tensorboard import EventFile
from worker_programs.events import Listener


@dataclass(frozen=True, slots=True)
class Head:
    """A solved head, and the figures on the `images` that it learned from."""

    fit: Fit
    images: int
    loss: float
    train_accuracy: float
    seconds: float = 0.0
    """Seconds from the start of the choice that led to it."""
    pseudo_shares: tuple[float, ...] = ()
    """The share of each class in the pseudo-labels that it learned from too; empty without any."""


def solve(features: Doubles, labels: NDArray[np.int64], classes: int) -> Head:
    """Solve a head for features (N, D) and class indices (N,)."""
    return _head(fit(features, labels, classes), features, labels)


def with_pseudo_labels(
    head: Head, features: Doubles, labels: NDArray[np.int64], pool: Doubles, graph: Graph, rows: NDArray[np.intp]
) -> Head:
    """Solve a head anew on its labels and on pseudo-labels of some of `pool` (M, D); `rows` are those of its labels in
    the graph."""
    answers = head.fit.probabilities(pool)
    pseudo = pseudo_labels(graph, rows, labels, answers.shape[1], answers=answers)
    solution = fit_with(features, labels, pool, head.fit, pseudo)
    return _head(solution, features, labels, tuple(pseudo.shares(len(solution.offset)).tolist()))


def _head(solution: Fit, features: Doubles, labels: NDArray[np.int64], pseudo_shares: tuple[float, ...] = ()) -> Head:
    probabilities = solution.probabilities(features)
    likelihood = probabilities[np.arange(len(labels)), labels]
    return Head(
        solution,
        len(labels),
        loss=float(-np.log(np.maximum(likelihood, np.finfo(np.float64).tiny)).mean()),
        train_accuracy=float((probabilities.argmax(axis=1) == labels).mean()),
        pseudo_shares=pseudo_shares,
    )


def write_head(network: Network, head: Head, *, listener: Listener, folder: Path) -> Fitted:
    """Write a solved head into the network's linear layer, and its one point into the curve. The logits are calibrated:
    the temperature is in the weights."""
    layer, solution = network.head, head.fit
    assert isinstance(layer, nn.Linear)  # noqa: S101 - `choosing` takes no other
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(solution.weights.T / solution.temperature))
        layer.bias.copy_(torch.from_numpy(solution.offset / solution.temperature))
    values = {"loss": head.loss, "train_accuracy": head.train_accuracy}
    events = EventFile(folder)
    events.point(1, values)
    events.close()
    listener.point(1, values)
    listener.progress(1, 1, unit="steps")
    return Fitted(
        steps=1,
        seconds=head.seconds,
        images_per_second=head.images / max(head.seconds, 1e-9),
        **values,
        best_step=None,
        scores=[],
        device="cpu",
        precision="float32",
        compiled=False,
        sent_bytes=0,
    )
