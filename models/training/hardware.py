"""The hardware settings of a training: device, precision, compiled or not, by its recipe and the machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch

from training.config import Recipe
from training.network import Network
from worker_programs.config import ConfigError

LONG_RUN = 5_000
"""Fewest steps for which compiling saves time on a GPU."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A device and how to use it."""

    device: torch.device
    precision: Literal["float32", "bfloat16"]
    compiled: bool

    def autocast(self) -> torch.autocast:
        """The context of a forward pass."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16")

    def forward(self, network: Network) -> Any:
        """The function from pixels to (logits, embedding) with the network's own weights, perhaps compiled."""
        return torch.compile(network) if self.compiled else network


def choose(recipe: Recipe, *, frozen: bool, steps: int) -> Hardware:
    """Resolve the recipe's `auto` settings; ConfigError if it requires a GPU and there is none.

    The head of a frozen trunk gains nothing from bfloat16 or compiling.
    """
    gpu = torch.cuda.is_available()
    if recipe.device == "cuda" and not gpu:
        raise ConfigError({"recipe.device": ["there is no CUDA GPU on this machine: use auto or cpu"]})
    device = torch.device("cuda" if gpu and recipe.device != "cpu" else "cpu")
    half = recipe.precision == "bfloat16" or (
        recipe.precision == "auto" and not frozen and computes_in_bfloat16(device)
    )
    pays = device.type == "cuda" and not frozen and steps >= LONG_RUN
    compiled = recipe.compile == "always" or (recipe.compile == "auto" and pays and not recipe.sharded)
    return Hardware(device, "bfloat16" if half else "float32", compiled)


def computes_in_bfloat16(device: torch.device) -> bool:
    """Whether the device has units for bfloat16; without them autocast is about three times slower than float32."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


@contextmanager
def deterministic(threads: int, *, device: str = "cpu") -> Iterator[None]:
    """Use deterministic kernels on `threads` CPU threads, and on a GPU where they exist; restore the process's settings
    and random state afterwards."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when a process first uses its GPU
    before, used = torch.are_deterministic_algorithms_enabled(), torch.get_num_threads()
    lenient = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(mode=True, warn_only=device == "cuda")
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count()) if device == "cuda" else []):
            yield
    finally:
        torch.use_deterministic_algorithms(mode=before, warn_only=lenient)
        torch.set_num_threads(used)
