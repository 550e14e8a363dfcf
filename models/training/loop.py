"""The training loop: setup, fit, done. Bit-reproducible on CPU for one seed and one number of threads."""

import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from programs.events import Listener, Silent
from training.config import Recipe
from training.data import Batch, DataError, Features, Images, Source, as_input
from training.network import Network

BLOCK = 256
"""Images per forward pass where no gradient is needed."""
POINTS = 60
"""About so many points make up a run's live curve."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What the loop has to say: the network's weights are trained in place."""

    steps: int
    seconds: float
    images_per_second: float
    loss: float
    """Mean over the last tenth of the steps."""
    train_accuracy: float


@contextmanager
def deterministic(threads: int) -> Iterator[None]:
    """Deterministic kernels on `threads` CPU threads; the process's own settings come back afterwards."""
    before, used = torch.are_deterministic_algorithms_enabled(), torch.get_num_threads()
    torch.use_deterministic_algorithms(mode=True)
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.use_deterministic_algorithms(mode=before)
        torch.set_num_threads(used)


def fit(
    network: Network, source: Source, recipe: Recipe, *, threads: int = 1, listener: Listener | None = None
) -> Fitted:
    """Train `network` on `source` as `recipe` says; its weights end as the averaged ones where an EMA is asked for."""
    if not len(source.labels):
        raise DataError("there are no labelled samples")
    with deterministic(threads):
        torch.manual_seed(recipe.seed)  # dropout
        return _fit(network, _seen(network, source), recipe, listener or Silent())


def predict(network: Network, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits (N, K) and embeddings (N, D) of decoded images (N, H, W, C), in evaluation mode."""
    network.eval()
    with torch.inference_mode():
        made = [network(as_input(pixels[at : at + BLOCK])) for at in range(0, len(pixels), BLOCK)]
    logits, embeddings = zip(*made, strict=True)
    return torch.cat(logits).numpy(), torch.cat(embeddings).numpy()


def _seen(network: Network, source: Source) -> Source:
    """A frozen trunk is run once over every image; only what it gave is trained on."""
    if network.family.frozen and isinstance(source, Images):
        return Features(predict(network, source.pixels)[1], source.labels)
    return source


def _logits(network: Network, batch: Batch) -> Tensor:
    if batch.features is not None:
        return network.classify(torch.from_numpy(batch.features))
    assert batch.pixels is not None  # noqa: S101 - a batch has either
    logits, _ = network(as_input(batch.pixels))
    return logits  # type: ignore[no-any-return]  # nn.Module.__call__ is untyped


def _fit(network: Network, source: Source, recipe: Recipe, listener: Listener) -> Fitted:
    steps = recipe.total_steps(len(source.labels))
    optimiser = _optimiser(network, recipe)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, steps, recipe.warmup))
    average = _average(network, recipe.ema)
    network.train()
    started, tail = time.perf_counter(), _Tail(max(1, steps // 10))
    for step, batch in enumerate(source.batches(recipe), 1):
        wanted = torch.from_numpy(batch.labels)
        logits = _logits(network, batch)
        loss = nn.functional.cross_entropy(logits, wanted, label_smoothing=recipe.label_smoothing)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimiser.step()
        schedule.step()
        if average is not None:
            average.update_parameters(network)
        tail.add(loss.item(), int((logits.argmax(1) == wanted).sum()), len(wanted))
        if step % max(1, steps // POINTS) == 0 or step == steps:
            listener.point(step, {**tail.values(), "lr": float(schedule.get_last_lr()[0])})
            listener.progress(step, steps, unit="steps")
    if average is not None:
        network.load_state_dict(average.module.state_dict())
    seconds, values = time.perf_counter() - started, tail.values()
    return Fitted(steps, seconds, values["images_per_second"], values["loss"], values["train_accuracy"])


def _average(network: Network, decay: float) -> AveragedModel | None:
    if not decay:
        return None
    rule = get_ema_multi_avg_fn(decay)  # type: ignore[no-untyped-call]  # torch leaves it untyped
    return AveragedModel(network, multi_avg_fn=rule, use_buffers=True)


class _Tail:
    """Loss and accuracy of the latest steps; the rate since the start."""

    def __init__(self, length: int) -> None:
        self._steps: deque[tuple[float, int, int]] = deque(maxlen=length)
        self._images, self._started = 0, time.perf_counter()

    def add(self, loss: float, right: int, images: int) -> None:
        if not math.isfinite(loss):
            raise DataError("the loss is not finite: lower recipe.learning_rate")
        self._steps.append((loss, right, images))
        self._images += images

    def values(self) -> dict[str, float]:
        losses, right, images = zip(*self._steps, strict=True)
        rate = self._images / (time.perf_counter() - self._started)
        return {
            "loss": sum(losses) / len(losses),
            "train_accuracy": sum(right) / sum(images),
            "images_per_second": rate,
        }


def _optimiser(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    """AdamW; weight decay on matrices and kernels, not on biases and norms."""
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate)


def _rate(step: int, steps: int, warmup: float) -> float:
    """The share of the learning rate at `step`: linear warm-up, then a cosine to zero."""
    rising = max(1, round(steps * warmup))
    if step < rising:
        return (step + 1) / rising
    return 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, steps - rising)))
