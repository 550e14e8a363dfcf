"""Upper bounds of squared distances by float32 matrix products, on the processor or on a GPU."""

import importlib
import math
from typing import Any, Literal, Protocol

import numpy as np

from acquisition.kernels.grid import Whole, squared_lengths
from acquisition.kernels.points import MEGABYTE, SLICE, Points
from acquisition.kernels.threads import sliced
from acquisition.pool import Floats
from worker_programs.config import ConfigError

Device = Literal["cpu", "cuda"]


class Products(Protocol):
    """Where matrix products run."""

    def closest(self, points: Points, centres: Floats, halves: Floats) -> Floats:
        """Return the maximum (N,) over the centres (M, D) of x . c minus the centre's entry in `halves`, all
        float32."""
        ...


def upper_bounds(points: Points, centres: Whole, products: Products) -> Whole:
    """Return upper bounds (N,), in squared steps, of the squared distance of each point to its nearest centre (M, D),
    in steps.

    |x|^2 - 2 max (x . c - |c|^2 / 2), exact except for the float32 product, whose margin is added.
    """
    step = points.grid.step
    squares = squared_lengths(centres)
    halves = (squares * (step * step / 2)).astype(np.float32)
    bounds = points.margin(math.sqrt(squares.max()))
    bounds += points.squares
    bounds -= products.closest(points, (centres * step).astype(np.float32), halves) * (2 / (step * step))
    return bounds


class NumpyProducts:
    """Runs products on the processor, in slices that stay in its caches."""

    def closest(self, points: Points, centres: Floats, halves: Floats) -> Floats:
        """Compute it slice by slice, on all cores."""
        found = np.empty(len(points), np.float32)

        def work(rows: slice) -> None:
            product = centres @ points.rows(rows).T
            product -= halves[:, None]
            product.max(axis=0, out=found[rows])

        sliced(work, len(points), SLICE)
        return found


class TorchProducts:
    """Runs products on a torch device; points stay there as far as `memory_mb` allows. Torch is imported only here.

    Products use full float32: TensorFloat-32 is off by default in torch, and is refused because its results would
    exceed the margin that the bounds rely on.
    """

    def __init__(self, device: str, memory_mb: float) -> None:
        self._torch: Any = importlib.import_module("torch")
        if device == "cuda" and not self._torch.cuda.is_available():
            raise ConfigError({"strategy.params.device": ["there is no CUDA GPU that torch can use here; say 'cpu'"]})
        if self._torch.get_float32_matmul_precision() != "highest":
            raise ConfigError({"strategy.params.device": ["torch's float32 matmul precision must be 'highest'"]})
        self._device = device
        self._room = memory_mb * MEGABYTE
        self._kept: dict[tuple[Points, int], Any] = {}

    def closest(self, points: Points, centres: Floats, halves: Floats) -> Floats:
        """Compute it in slices larger than on the processor: each costs a launch and a copy."""
        right, offsets = self._moved(centres).T, self._moved(halves)
        found = np.empty(len(points), np.float32)
        for at in range(0, len(points), 16 * SLICE):
            rows = slice(at, at + 16 * SLICE)
            found[rows] = (self._slice(points, rows) @ right - offsets).amax(dim=1).cpu().numpy()
        return found

    def _slice(self, points: Points, rows: slice) -> Any:
        key = (points, rows.start)
        if key in self._kept:
            return self._kept[key]
        moved = self._moved(points.rows(rows))
        if self._room >= moved.nbytes:
            self._room -= moved.nbytes
            self._kept[key] = moved
        return moved

    def _moved(self, values: Floats) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(values)).to(self._device)


def products_on(device: Device, memory_mb: float) -> Products:
    """Return the products of a device. Raises ConfigError where the device is missing."""
    return NumpyProducts() if device == "cpu" else TorchProducts(device, memory_mb)
