"""Run NVIDIA's parser and builder on a file in a process of their own, and survive their crashes."""

import hashlib
import importlib.util
import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from export.config import Precision, Profile
from export.engine import BUILDER, BuilderAbsentError, EngineConfig
from export.runtime import Outputs, Session
from export.trtexec import input_shape
from worker_programs import config as configs
from worker_programs import confinement, files
from worker_programs.confinement import MEMORY_SETTING, Limit, Watch, environment, memory_limit

ARCHITECTURES = {"fp8": ["SM89"]}
"""GPU architectures of engines by precision, if not all of them: those before SM89 have no 8-bit floats."""
ALL_ARCHITECTURES = ["SM80", "SM89"]
SECONDS = 120.0
VERIFIED, REFUSED, UNKNOWN = "verified", "refused", "not verified"
RUN_TOLERANCE = {"fp32": 5e-3, "fp16": 2e-2, "int8": 0.25, "fp8": 0.25}
"""Largest difference of a logit between a GPU and ONNX Runtime, as a share of the largest: GPUs compute fp32 in
TF32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The builder's limits for one file."""

    seconds: float = SECONDS
    memory_bytes: int | None = None
    """None: half of our own limit, because that includes our child processes."""


def prove_engine(
    data: bytes,
    *,
    profile: Profile,
    precision: Precision | str = "fp32",
    limits: Limits = Limits(),
    engines: Path | None = None,
    pixels: NDArray[np.uint8] | None = None,
) -> dict[str, Any]:
    """`tensorrt` of a report: status `verified`, `refused` or `not verified`, why, and the engines that were built.

    With `pixels` (N, H, W, C) and a GPU, an engine is run too and compared with ONNX Runtime, under `run`.
    """
    if importlib.util.find_spec(BUILDER) is None:
        return _verdict(UNKNOWN, f"NVIDIA's builder ({BUILDER}) is not installed")
    session = Session(data, exact=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = EngineConfig(
            model=files.write_bytes(folder / "model.onnx", data),
            sha256=hashlib.sha256(data).hexdigest(),
            precision=precision,
            profile=profile,
            shape=input_shape(session.facts.input_size, session.input),
            architectures=ARCHITECTURES.get(precision, ALL_ARCHITECTURES),
            engines=engines,
            pixels=_pixels(folder, pixels),
            outputs=folder / "outputs.npz",
        )
        verdict = _ask(config, folder, limits)
        if verdict["status"] != REFUSED and pixels is not None and (folder / "outputs.npz").exists():
            verdict["run"] = _compared(session, pixels, folder / "outputs.npz", precision, verdict["run"]["device"])
        return verdict


def _pixels(folder: Path, pixels: NDArray[np.uint8] | None) -> Path | None:
    if pixels is None:
        return None
    np.save(folder / "pixels.npy", pixels)
    return folder / "pixels.npy"


def _ask(config: EngineConfig, folder: Path, limits: Limits) -> dict[str, Any]:
    files.write_json(folder / "engine.json", configs.document(config))
    command = [sys.executable, "-m", "export.engine", str(folder / "engine.json")]
    memory = Limit(limits.memory_bytes or memory_limit().most // 2, MEMORY_SETTING)
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, stdout=said, stderr=subprocess.DEVNULL, env=environment(), process_group=0
        ) as process,
    ):
        with Watch(process, confinement.Limits(memory=memory, seconds=Limit(limits.seconds))) as watch:
            process.wait()
        said.seek(0)
        lines = said.read().splitlines()
    if watch.overrun is not None:
        return _verdict(UNKNOWN, f"the builder was stopped: {watch.overrun.words}")
    events = [json.loads(line) for line in lines if line.startswith(b"{")]
    last = events[-1] if events else {}
    if last.get("event") == "result":
        return _judged(last)
    if last.get("event") == "error":
        words = last["message"]
        return _verdict(UNKNOWN, words if last["code"] == BuilderAbsentError.code else f"the builder failed: {words}")
    code = process.returncode
    return _verdict(UNKNOWN, f"the builder crashed over it: {signal.Signals(-code).name if code < 0 else code}")


def _judged(result: dict[str, Any]) -> dict[str, Any]:
    failed = [f"{made['architecture']}: {made['reason']}" for made in result["engines"] if not made["built"]]
    problems = [*result["problems"], *failed]
    engines = [{name: value for name, value in made.items() if name != "reason"} for made in result["engines"]]
    verdict = _verdict(REFUSED if problems else VERIFIED, "; ".join(problems) or None)
    return {**verdict, "version": result["version"], "engines": engines, "run": result["run"]}


def _verdict(status: str, reason: str | None) -> dict[str, Any]:
    return {"status": status, "reason": reason, "builder": BUILDER, "version": None, "engines": [], "run": None}


def _compared(
    session: Session, pixels: NDArray[np.uint8], outputs: Path, precision: str, device: str
) -> dict[str, Any]:
    """Compare the engine's outputs with those of ONNX Runtime."""
    with np.load(outputs) as found:
        ran = Outputs(**{name: found[name] for name in Outputs._fields})
    expected = session.run(pixels)
    error = float(np.abs(ran.logits - expected.logits).max())
    meaning = session.task.outputs
    top1 = float(meaning.same(*(meaning.judged(said.logits, said.probabilities) for said in (ran, expected))).mean())
    tolerance = RUN_TOLERANCE[precision] * max(1.0, float(np.abs(expected.logits).max()))
    return {
        "device": device,
        "passed": error <= tolerance and top1 >= 0.98,
        "samples": len(pixels),
        "max_abs_error": error,
        "top1_agreement": top1,
        "tolerance": tolerance,
    }


def not_asked() -> dict[str, Any]:
    """The verdict if the export is configured not to ask the builder."""
    return _verdict(UNKNOWN, "the export was told not to ask NVIDIA's builder")
