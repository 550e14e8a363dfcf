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

from export.config import Precision, Profile
from export.engine_cache import EngineCache, EngineKey
from programs import files
from programs.config import STRICT
from programs.events import Listener, run

BUILDER = "tensorrt_rtx"
"""TensorRT for RTX: the parser of TensorRT, and a builder for GPUs that are not there."""


class BuilderAbsentError(Exception):
    """NVIDIA's builder is not installed, or does not load here."""

    code = "builder_absent"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class EngineConfig:
    """What is built."""

    model: Path
    sha256: str
    """Of the model's bytes."""
    precision: Precision | str = "fp32"
    profile: Profile
    shape: list[int]
    """Of the input, after the batch."""
    architectures: list[str]
    """GPU architectures, as SM89."""
    engines: Path | None = None
    """Folder to keep engines in; None: they are thrown away."""
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


class Builder:
    """One parsed model in one TensorRT module, which keeps what it says."""

    def __init__(self, trt: Any) -> None:
        self.trt, self.said = trt, list[str]()
        said = self.said

        class Logger(trt.ILogger):  # type: ignore[misc]  # the module is loaded by name
            def __init__(self) -> None:
                trt.ILogger.__init__(self)

            def log(self, severity: Any, message: str) -> None:
                if severity in (trt.ILogger.ERROR, trt.ILogger.INTERNAL_ERROR):
                    said.append(message)

        self.logger = Logger()
        self.builder = trt.Builder(self.logger)
        self.network = self.builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))

    def parse(self, data: bytes) -> list[str]:
        """What the parser refuses; nothing when the whole model is supported as one piece."""
        parser = self.parser = self.trt.OnnxParser(self.network, self.logger)  # it owns the network's weights
        if not parser.parse(data):
            faults = [parser.get_error(number) for number in range(parser.num_errors)]
            return [f"{fault.node_operator()} {fault.node_name()!r}: {fault.desc()}" for fault in faults] or self.said
        other = self.builder.create_network(self.network.flags)
        probe = self.trt.OnnxParser(other, self.logger)
        if not probe.supports_model_v2(data):
            return self.said or ["the parser does not support the whole model"]
        return []

    def build(self, profile: Profile, shape: list[int], architecture: str | None) -> bytes | None:
        """An engine for the GPU architecture (None: the GPU that is here); None when there is none."""
        config = self.builder.create_builder_config()
        shapes = self.builder.create_optimization_profile()
        batches = ((size, *shape) for size in (profile.min, profile.opt, profile.max))
        shapes.set_shape(self.network.get_input(0).name, *batches)
        config.add_optimization_profile(shapes)
        if architecture is not None:
            config.num_compute_capabilities = 1
            config.set_compute_capability(getattr(self.trt.ComputeCapability, architecture), 0)
        self.said.clear()
        plan = self.builder.build_serialized_network(self.network, config)
        return None if plan is None else bytes(plan)


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
    """Where there is a GPU: build for it, run the images and keep the outputs; the device, or why it did not run."""
    if config.pixels is None or config.outputs is None:
        return None
    from export import gpu

    if not gpu.present():
        return None
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
