"""The live curve of a run: loss and accuracy of its latest steps, its speed, and the time to its end."""

import math
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor

from training.data import DataError

POINTS = 60
"""The approximate number of points of a run's live curve."""


class Tail:
    """Loss and right answers of the latest steps. Kept as tensors: reading each step's value would make a GPU wait."""

    def __init__(self, length: int) -> None:
        self._steps: deque[tuple[Tensor, Tensor, int]] = deque(maxlen=length)

    def add(self, loss: Tensor, right: Tensor, images: int) -> None:
        """Add a step: its mean loss, how many of its images were right, and how many images it had."""
        self._steps.append((loss, right, images))

    def values(self) -> dict[str, float]:
        """Mean loss and accuracy; raises DataError when the loss is not finite."""
        loss, right, images = self.tensors().values()
        mean = float(loss.double().mean())
        if not math.isfinite(mean):
            raise DataError("the loss is not finite: lower recipe.learning_rate")
        return {"loss": mean, "train_accuracy": float(right.sum()) / float(images.sum())}

    def tensors(self) -> dict[str, Tensor]:
        """All steps as tensors, the oldest first."""
        losses, right, images = zip(*self._steps, strict=True)
        return {"loss": torch.stack(losses).cpu(), "right": torch.stack(right).cpu(), "images": torch.tensor(images)}

    def restore(self, held: Mapping[str, Tensor], *, device: torch.device) -> None:
        """Restore the result of `tensors`, on `device`."""
        loss, right = held["loss"].to(device), held["right"].to(device)
        self._steps.extend(zip(loss, right, held["images"].tolist(), strict=True))


class Clock:
    """Seconds of training, images per second, and seconds to the end."""

    def __init__(self, *, step: int, steps: int, spent: float) -> None:
        self._first, self._steps, self._spent = step, steps, spent
        self._started, self._paused, self._images = time.perf_counter(), 0.0, 0

    def count(self, images: int) -> None:
        """Count `images` more trained images."""
        self._images += images

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Exclude evaluations and file writes from images per second; they still count into the time that is left."""
        started = time.perf_counter()
        yield
        self._paused += time.perf_counter() - started

    @property
    def seconds(self) -> float:
        """Seconds since the start of the run, without work repeated because of a kill."""
        return self._spent + time.perf_counter() - self._started

    def values(self, step: int) -> dict[str, float]:
        """`images_per_second` and `eta_seconds` at `step`."""
        passed = time.perf_counter() - self._started
        left = passed / max(1, step - self._first) * (self._steps - step)
        return {"images_per_second": self._images / max(1e-9, passed - self._paused), "eta_seconds": left}


def is_point(step: int, steps: int) -> bool:
    """Whether the curve has a point at `step`, even without an evaluation."""
    return step % max(1, steps // POINTS) == 0 or step == steps
