"""`python -m export.engine CONFIG.json`: NVIDIA's parser and builder over one ONNX file, without a GPU.

A program of its own, because the builder is foreign code that was seen to crash; `export.building` runs it.
"""

import importlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic.dataclasses import dataclass

from export.builder import Builder
from export.config import Precision, Profile
from export.engine_cache import EngineCache, EngineKey
from export.nvidia_driver import present
from worker_programs import files
from worker_programs.config import STRICT
from worker_programs.events import Listener, run

BUILDER = "tensorrt_rtx"
"""TensorRT for RTX: the parser of TensorRT, and a builder that needs no GPU."""


class BuilderAbsentError(Exception):
    """NVIDIA's builder is not installed, or does not load here."""

    code = "builder_absent"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EngineConfig:
    """The config of `python -m export.engine`."""

    model: Path
    sha256: str
    """sha256 of the model's bytes."""
    precision: Precision | str = "fp32"
    profile: Profile
    shape: list[int]
    """The input's axes after the batch."""
    architectures: list[str]
    """GPU architectures, as SM89."""
    engines: Path | None = None
    """Folder to keep engines in; None: they are deleted."""
    pixels: Path | None = None
    """Images (.npy) to run through the engine, if there is a GPU."""
    outputs: Path | None = None
    """Where the engine's outputs (.npz) go, if there is a GPU."""


def body(config: EngineConfig, listener: Listener) -> Mapping[str, Any]:
    """Parse and build; the result names the problems, the engines, and the device that an engine ran on."""
    try:
        trt = importlib.import_module(BUILDER)
    except (ImportError, OSError) as fault:
        raise BuilderAbsentError(f"{BUILDER} does not load here: {fault}") from fault
    builder = Builder(trt)
    facts = {"builder": BUILDER, "version": trt.__version__}
    if problems := builder.parse(config.model.read_bytes()):
        return {**facts, "problems": problems, "engines": [], "run": None}
    engines = [_engine(builder, config, architecture, facts) for architecture in config.architectures]
    for made in engines:
        listener.log(f"{made['architecture']}: {'built' if made['built'] else 'not built'} in {made['seconds']:.1f} s")
    return {**facts, "problems": [], "engines": engines, "run": _run(config)}


def _engine(builder: Builder, config: EngineConfig, architecture: str, facts: Mapping[str, str]) -> dict[str, Any]:
    started = time.perf_counter()
    key = EngineKey(
        onnx_sha256=config.sha256,
        architecture=architecture,
        builder=f"{facts['builder']}-{facts['version']}",
        precision=config.precision,
        profile=config.profile,
    )
    cache = EngineCache(config.engines) if config.engines else None
    plan = cache.get(key) if cache else None
    kept = plan is not None
    if plan is None:
        plan = builder.build(config.profile, config.shape, architecture)
    if plan is not None and cache and not kept:
        cache.put(key, plan)
    return {
        "architecture": architecture,
        "built": plan is not None,
        "seconds": time.perf_counter() - started,
        "bytes": len(plan) if plan is not None else None,
        "cached": kept,
        "reason": None if plan is not None else "; ".join(builder.said[-3:]) or "the builder gave no engine",
    }


def _run(config: EngineConfig) -> dict[str, Any] | None:
    """If there is a GPU, build for it, run the images and write the outputs; returns the device, or why it did not
    run."""
    if config.pixels is None or config.outputs is None:
        return None
    if not present():
        return None
    from export import gpu  # ONNX Runtime is imported only where there is a GPU

    try:
        device, data = gpu.run_model(
            config.model.read_bytes(), config.pixels, profile=config.profile, shape=config.shape
        )
    except gpu.NoGpuError as fault:
        return {"device": None, "passed": None, "reason": str(fault)}
    files.write_bytes(config.outputs, data)
    return {"device": device}


if __name__ == "__main__":
    sys.exit(run(EngineConfig, body))
