"""`python -m export CONFIG.json`: a checkpoint in; model.onnx, report.json, evaluation.json and predictions.npz out."""

import hashlib
import os
import time
from dataclasses import asdict
from typing import Any

from export.config import ExportConfig, Profile
from export.evaluation import evaluate_configured, keep_evaluation
from export.graph import export_onnx
from export.parity import Parity, prove_parity
from export.readiness import readiness
from export.runtime import Session
from programs import config as configs
from programs import files
from programs.events import Listener, Silent
from programs.manifest import read_manifest
from programs.readers import SampleReader, open_reader
from training.checkpoint import load
from training.data import DataError, load_pixels
from training.loop import deterministic

MODEL, REPORT, EVALUATION = "model.onnx", "report.json", "evaluation.json"


def export(
    config: ExportConfig, *, reader: SampleReader | None = None, listener: Listener | None = None
) -> dict[str, Any]:
    """Export, check, prove and evaluate as configured; write the files to `out_dir` and give the report and evaluation.

    A file that fails a check is still written, with `ready` false in its report: gates decide what becomes of it.
    Raises ConfigError, ManifestError, CheckpointError, DataError, ModelError.
    """
    listener, reader = listener or Silent(), reader or open_reader(config.blobs)
    threads = config.threads or len(os.sched_getaffinity(0))
    started = time.perf_counter()
    data = export_onnx(config.checkpoint, config.out_dir / MODEL, facts=config.facts)
    seconds = time.perf_counter() - started
    listener.log(f"exported {len(data):,} bytes of ONNX in {seconds:.1f} s")
    model = Session(data, threads=threads)
    proof = _prove(config, model, reader, threads)
    listener.log(f"parity {'holds' if proof.passed else 'FAILS'}: at most {proof.max_abs_error:.1e} from torch")
    report = {"export_seconds": seconds, **_report(data, model, proof, config.profile)}
    files.write_json(config.out_dir / REPORT, report)
    evaluation = None
    if config.test:
        single = model if threads == 1 else Session(data)
        made = evaluate_configured(config, model, reader, single=single, listener=listener)
        keep_evaluation(made, config.out_dir)
        evaluation = made.document
    return {"report": report, "evaluation": evaluation}


def trtexec(model: Session, profile: Profile) -> str:
    """The line that builds an engine for `profile` with TensorRT 10.12 or later; 11 knows only strong typing."""
    shape = "x".join(str(number) for number in model.facts.input_size)
    shapes = " ".join(f"--{name}Shapes=input:{getattr(profile, name)}x{shape}" for name in ("min", "opt", "max"))
    return f"trtexec --onnx={MODEL} --saveEngine=model.plan {shapes} --stronglyTyped --skipInference"


def _prove(config: ExportConfig, model: Session, reader: SampleReader, threads: int) -> Parity:
    manifest = config.samples or config.test
    samples = read_manifest(manifest)[: config.parity_samples] if manifest else []
    if not samples:
        raise DataError("there are no samples to prove parity on")
    pixels = load_pixels(samples, reader, input_size=model.facts.input_size)
    with deterministic(threads):
        return prove_parity(load(config.checkpoint).network, model, pixels, opt=config.profile.opt)


def _report(data: bytes, model: Session, proof: Parity, profile: Profile) -> dict[str, Any]:
    static = readiness(data)
    return {
        "ready": static.ready and proof.passed,
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        **{name: value for name, value in asdict(static).items() if name != "ready"},
        "parity": asdict(proof),
        "profile": configs.document(profile),
        "trtexec": trtexec(model, profile),
        # No engine was built: that needs NVIDIA's own builder, and is never passed without it.
        "tensorrt": "not verified",
    }


def body(config: ExportConfig, listener: Listener) -> dict[str, Any]:
    """What the program does; its result event names the files and carries report and evaluation."""
    made = export(config, listener=listener)
    names = {"model": MODEL, "report_file": REPORT, "evaluation_file": EVALUATION if made["evaluation"] else None}
    return {**names, "out_dir": str(config.out_dir), **made}
