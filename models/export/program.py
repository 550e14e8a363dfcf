"""`python -m export CONFIG.json`: a checkpoint or an ONNX file in; proved files out, in every precision."""

import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from export.adopt import adopt_onnx
from export.config import ExportConfig
from export.evaluation import evaluate_configured, keep_evaluation
from export.graph import export_onnx
from export.modelcard import model_card
from export.parity import Parity, prove_parity, prove_parity_with_plain
from export.proto import add_facts, take_uint8
from export.runtime import ModelError, Session, load_proto
from export.triton import PLAN, Served, config_pbtxt
from export.variants import Variant, ask_builder, choose, file_report, make_variants, with_accuracy
from programs import config as configs
from programs import files
from programs.events import Listener, Silent
from programs.manifest import Sample, read_manifest
from programs.readers import Remembering, SampleReader, open_reader
from training.checkpoint import load
from training.data import DataError, load_pixels
from training.loop import deterministic

MODEL, REPORT, EVALUATION, CARD = "model.onnx", "report.json", "evaluation.json", "modelcard.md"


def export(
    config: ExportConfig, *, reader: SampleReader | None = None, listener: Listener | None = None
) -> dict[str, Any]:
    """Export, check, prove and evaluate as configured; write the files to `out_dir` and give `report`, `evaluation`
    and the evaluations of the `variants` by precision.

    A file that fails a check is still written, with `ready` false in its report: gates decide what becomes of it.
    Raises ConfigError, ManifestError, CheckpointError, DataError, ModelError.
    """
    listener, reader = listener or Silent(), Remembering(reader or open_reader(config.blobs))
    threads = config.threads or len(os.sched_getaffinity(0))
    started = time.perf_counter()
    data = _made(config)
    seconds = time.perf_counter() - started
    listener.log(f"exported {len(data):,} bytes of ONNX in {seconds:.1f} s")
    model = Session(data, threads=threads)
    seen, test = _samples(config)
    proof = _prove(config, data, model, reader, threads)
    listener.log(f"parity {'holds' if proof.passed else 'FAILS'}: at most {proof.max_abs_error:.1e} apart")
    report = {"export_seconds": seconds, **_report(config, data, proof, reader, seen or test)}
    variants = make_variants(data, choose(seen, test, config), reader, config=config, threads=threads)
    evaluations = {
        name: _evaluate(config, session, reader, name=name, listener=listener)
        for name, session in _sessions(model, variants, threads).items()
        if test
    }
    report["variants"] = {variant.precision: _judged(variant, evaluations, listener) for variant in variants}
    _write(config, data, variants, report, evaluations)
    evaluation = evaluations.pop("fp32", None)
    return {"report": report, "evaluation": evaluation, "variants": evaluations}


def _made(config: ExportConfig) -> bytes:
    """The float32 file, written."""
    out, facts = config.out_dir / MODEL, {**config.facts, "profile": configs.document(config.profile)}
    if config.checkpoint is not None:
        return export_onnx(config.checkpoint, out, facts=facts, kind=config.input)
    assert config.onnx is not None  # noqa: S101 - a config has one of them
    try:
        data = config.onnx.read_bytes()
    except OSError as fault:
        raise ModelError("onnx_invalid", f"{config.onnx} cannot be read: {fault.strerror}") from fault
    proto = load_proto(adopt_onnx(data, config.adopt) if config.adopt else data)
    add_facts(proto, facts)
    if config.input == "uint8_nhwc" and Session(proto.SerializeToString()).input != config.input:
        take_uint8(proto)
    made: bytes = proto.SerializeToString(deterministic=True)
    files.write_bytes(out, made)
    return made


def _samples(config: ExportConfig) -> tuple[list[Sample], list[Sample]]:
    """Of `samples` and of `test`; one of them has some."""
    seen, test = (read_manifest(path) if path else [] for path in (config.samples, config.test))
    if not seen and (config.samples or not test):
        raise DataError("there are no samples to prove parity on")
    return seen, test


def _prove(config: ExportConfig, data: bytes, model: Session, reader: SampleReader, threads: int) -> Parity:
    seen, test = _samples(config)
    pixels = load_pixels((seen or test)[: config.parity_samples], reader, input_size=model.facts.input_size)
    if config.checkpoint is None:
        return prove_parity_with_plain(data, model, pixels, opt=config.profile.opt)
    with deterministic(threads):
        return prove_parity(load(config.checkpoint).network, model, pixels, opt=config.profile.opt)


def _report(
    config: ExportConfig, data: bytes, proof: Parity, reader: SampleReader, samples: list[Sample]
) -> dict[str, Any]:
    made = file_report(data, MODEL, config)
    size = Session(data).facts.input_size
    pixels = load_pixels(samples[: config.profile.opt], reader, input_size=size)
    return {
        **made,
        "ready": made["ready"] and proof.passed,
        "parity": asdict(proof),
        "profile": configs.document(config.profile),
        "tensorrt": ask_builder(data, config, precision="fp32", pixels=pixels),
    }


def _sessions(model: Session, variants: list[Variant], threads: int) -> dict[str, Session]:
    """Whatever is evaluated, by precision; int8 as its graph says."""
    return {"fp32": model} | {v.precision: Session(v.data, threads=threads, exact=True) for v in variants}


def _evaluate(
    config: ExportConfig, model: Session, reader: SampleReader, *, name: str, listener: Listener
) -> dict[str, Any]:
    made = evaluate_configured(config, model, reader, single=model, listener=listener)
    keep_evaluation(made, config.out_dir, variant="" if name == "fp32" else name)
    return made.document


def _judged(variant: Variant, evaluations: Mapping[str, dict[str, Any]], listener: Listener) -> dict[str, Any]:
    name, found = variant.precision, variant.report["agreement"]
    listener.log(f"{name}: {100 * found['top1']:.2f} % of the answers are float32's, {len(variant.data):,} bytes")
    if name not in evaluations:
        return variant.report
    return with_accuracy(variant, evaluations[name], evaluations["fp32"])


def _write(
    config: ExportConfig,
    data: bytes,
    variants: list[Variant],
    report: Mapping[str, Any],
    evaluations: Mapping[str, Mapping[str, Any]],
) -> None:
    """All but the float32 file and the evaluations, the report last."""
    model, out = Session(data), config.out_dir
    served = Served(
        size=model.facts.input_size,
        kind=model.input,
        classes=len(model.facts.classes),
        embedding=model.embedding_dim,
        profile=config.profile,
    )
    files.write_bytes(out / "config.pbtxt", config_pbtxt(served, MODEL).encode())
    files.write_bytes(out / "config.plan.pbtxt", config_pbtxt(served, PLAN).encode())
    for variant in variants:
        files.write_bytes(out / variant.file, variant.data)
        files.write_bytes(out / f"config.{variant.precision}.pbtxt", config_pbtxt(served, variant.file).encode())
    files.write_bytes(out / CARD, model_card(data, report, evaluations).encode())
    files.write_json(out / REPORT, report)


def body(config: ExportConfig, listener: Listener) -> dict[str, Any]:
    """What the program does; its result event names the files and carries report and evaluations."""
    made = export(config, listener=listener)
    names = {"model": MODEL, "report_file": REPORT, "evaluation_file": EVALUATION if made["evaluation"] else None}
    return {**names, "out_dir": str(config.out_dir), **made}
