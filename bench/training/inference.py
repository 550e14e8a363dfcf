"""The exported file on ONNX Runtime beside the same network in torch, eager and compiled."""

import shutil
import time
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from bench.versioning.table import Line
from export.graph import to_onnx
from export.runtime import METADATA, Session
from training import build
from training.data import as_input
from training.network import Network

BATCH = 64
RUNS = 5
NETWORKS: Mapping[str, Mapping[str, int]] = {"small_cnn": {}, "resnet18": {"size": 32}}


def compare(name: str, *, seconds: float, threads: int, compiled: bool) -> list[Line]:
    """Images per second of each, the best of several runs in turn. The ratio is ONNX Runtime to the other."""
    used = torch.get_num_threads()
    torch.set_num_threads(threads)
    network = build(name, dict(NETWORKS[name]), classes=10).eval()
    channels, height, width = network.family.input_size
    pixels = np.random.default_rng(0).integers(0, 256, (BATCH, height, width, channels), dtype=np.uint8)
    session = _session(network, threads)
    ways: dict[str, Callable[[], object]] = {"ours": lambda: session.run(pixels), "eager": _torch(network, pixels)}
    if compiled:
        ways["compiled"] = _torch(torch.compile(network), pixels)
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for run in ways.values():
        run()  # compiles, allocates
    for _ in range(RUNS):
        for way, run in ways.items():
            rates[way].append(rate(run, seconds / RUNS))
    torch.set_num_threads(used)
    ours = max(rates["ours"])
    lines = [_line(f"{name}, torch eager", max(rates["eager"]), ours, target=1.0)]
    return lines + ([_line(f"{name}, torch compiled", max(rates["compiled"]), ours)] if compiled else [])


def compiler() -> bool:
    """There is a C++ compiler, which torch.compile needs on a CPU."""
    return shutil.which("g++") is not None


def rate(run: Callable[[], object], seconds: float) -> float:
    """Images per second of calls with one batch, for about so long."""
    started, calls = time.perf_counter(), 0
    while not calls or time.perf_counter() - started < seconds:
        run()
        calls += 1
    return calls * BATCH / (time.perf_counter() - started)


def _session(network: Network, threads: int) -> Session:
    proto = to_onnx(network)
    size = list(network.family.input_size)
    classes = ", ".join(f'"{number}"' for number in range(10))
    proto.metadata_props.add(key=METADATA, value=f'{{"classes": [{classes}], "input_size": {size}}}')
    return Session(proto.SerializeToString(), threads=threads)


def _torch(network: Callable[..., object], pixels: NDArray[np.uint8]) -> Callable[[], object]:
    def run() -> object:
        with torch.inference_mode():
            return network(as_input(pixels))

    return run


def _line(what: str, base: float, ours: float, target: float | None = None) -> Line:
    return Line(what, f"{base:,.0f}/s", f"{ours:,.0f}/s", ours / base, target)
