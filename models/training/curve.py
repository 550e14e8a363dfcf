"""The live curve of a run: what its latest steps show, how fast it goes, when it ends."""

import math
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from training.data import DataError

POINTS = 60
"""About so many points make up a run's live curve."""


class Tail:
    """Loss and hits of the latest steps. Kept as tensors: reading each step's value would make a GPU wait."""

    def __init__(self, length: int) -> None:
        self._steps: deque[tuple[Tensor, Tensor, int]] = deque(maxlen=length)

    def add(self, loss: Tensor, right: Tensor, images: int) -> None:
        """One step: its mean loss, how many of its images were right, and how many there were."""
        self._steps.append((loss, right, images))

    def values(self) -> dict[str, float]:
        """Mean loss and accuracy; DataError when the loss is no number any more."""
        loss, right, images = self.tensors().values()
        mean = float(loss.double().mean())
        if not math.isfinite(mean):
            raise DataError("the loss is not finite: lower recipe.learning_rate")
        return {"loss": mean, "train_accuracy": float(right.sum()) / float(images.sum())}

    def tensors(self) -> dict[str, Tensor]:
        """All of it, oldest step first."""
        losses, right, images = zip(*self._steps, strict=True)
        return {"loss": torch.stack(losses).cpu(), "right": torch.stack(right).cpu(), "images": torch.tensor(images)}

    def restore(self, held: Mapping[str, Tensor], *, device: torch.device) -> None:
        """Take over what `tensors` gave, to go on with on `device`."""
        loss, right = held["loss"].to(device), held["right"].to(device)
        self._steps.extend(zip(loss, right, held["images"].tolist(), strict=True))


class Clock:
    """Seconds of training, images per second, and seconds to the end."""

    def __init__(self, *, step: int, steps: int, spent: float) -> None:
        self._first, self._steps, self._spent = step, steps, spent
        self._started, self._paused, self._images = time.perf_counter(), 0.0, 0

    def count(self, images: int) -> None:
        """So many images more were trained on."""
        self._images += images

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Evaluations and files do not count into images per second, but into the time that is left."""
        started = time.perf_counter()
        yield
        self._paused += time.perf_counter() - started

    @property
    def seconds(self) -> float:
        """Since the start of the run, without what was done twice because of a kill."""
        return self._spent + time.perf_counter() - self._started

    def values(self, step: int) -> dict[str, float]:
        """`images_per_second` and `eta_seconds` at `step`."""
        passed = time.perf_counter() - self._started
        left = passed / max(1, step - self._first) * (self._steps - step)
        return {"images_per_second": self._images / max(1e-9, passed - self._paused), "eta_seconds": left}


def is_point(step: int, steps: int) -> bool:
    """Whether the curve has a point at `step` in any case."""
    return step % max(1, steps // POINTS) == 0 or step == steps
