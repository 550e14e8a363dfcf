"""`python -m export CONFIG.json`: a checkpoint or an ONNX file in; proved files out, in every precision."""

import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import torch

from blobs.cache import BlobCache
from blobs.opening import open_reader
from export.adopt_graph import adopt_onnx
from export.answers import BATCH, Answers, Pictures, open_answers
from export.config import ExportConfig
from export.ensemble import join_onnx
from export.evaluation import evaluate_configured, keep_evaluation
from export.feeding import PREPROCESSING
from export.graph import export_onnx
from export.modelcard import model_card
from export.parity import Parity, prove_parity, prove_parity_with, prove_parity_with_plain
from export.proto import add_facts, take_uint8
from export.runtime import ModelError, Outputs, Session, load_proto
from export.triton import PLAN, Served, config_pbtxt
from export.variants import Variant, ask_builder, choose, file_report, make_variant, with_headline
from tasktypes.model_parts import CLASSES
from training.checkpoint import Checkpoint, load
from training.data import DataError
from training.features import load_features
from training.hardware import deterministic
from worker_programs import config as configs
from worker_programs import files
from worker_programs.config import ConfigError
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample, read_manifest
from worker_programs.readers import Remembering, SampleReader

MODEL, REPORT, EVALUATION, CARD = "model.onnx", "report.json", "evaluation.json", "modelcard.md"


@dataclass(slots=True)
class Export:
    """An export under way: its inputs, and the seconds that each step took so far."""

    config: ExportConfig
    reader: SampleReader
    listener: Listener
    threads: int
    seen: list[Sample]
    test: list[Sample]
    checkpoint: Checkpoint | None
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step and log its duration."""
        started = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - started
        self.listener.log(f"{name}: {self.seconds[name]:.1f} s")

    def answers(self, data: bytes, session: Session) -> Answers:
        """The answers of the float32 file."""
        told = session.facts
        pictures = Pictures(self.reader, input_size=told.input_size, threads=self.threads, scales=told.jpeg_scales)
        few = (self.test or self.seen)[:BATCH]
        halves = (
            self.checkpoint is not None
            and self.checkpoint.network.family.frozen
            and session.task.outputs.form == CLASSES
        )
        return open_answers(data, session, pictures, few, frozen=halves, listener=self.listener)


@dataclass(frozen=True, slots=True)
class Primary:
    """The float32 file, its answers, and its report and evaluation."""

    data: bytes
    answers: Answers
    report: dict[str, Any]
    evaluation: dict[str, Any] | None


def export(
    config: ExportConfig, *, reader: SampleReader | None = None, listener: Listener | None = None
) -> dict[str, Any]:
    """Export, check, prove and evaluate as configured; write the files to `out_dir` and return `report`, `evaluation`,
    the evaluations of the `variants` by precision, and the `seconds` of each step.

    A file that fails a check is still written, with `ready` false in its report: gates decide whether it is used.
    Raises ConfigError, ManifestError, CheckpointError, DataError, ModelError.
    """
    threads, reader = config.threads or len(os.sched_getaffinity(0)), Remembering(reader or open_reader(config.blobs))
    checkpoint = load(config.checkpoint) if config.checkpoint else None
    work = Export(config, reader, listener or Silent(), threads, *_samples(config), checkpoint)
    primary = _proved_before(work, config.proved) if config.proved else _proved_now(work)
    variants, evaluations = _variants(work, primary)
    report = primary.report | {"variants": {variant.precision: variant.report for variant in variants}}
    _write(config, primary, variants, report, evaluations)
    return {"report": report, "evaluation": primary.evaluation, "variants": evaluations, "seconds": work.seconds}


def _samples(config: ExportConfig) -> tuple[list[Sample], list[Sample]]:
    """The samples of the manifests `samples` and `test`, at least one of which is not empty."""
    seen, test = (read_manifest(path) if path else [] for path in (config.samples, config.test))
    if not seen and (config.samples or not test):
        raise DataError("there are no samples to prove parity on")
    return seen, test


def _proved_now(work: Export) -> Primary:
    """Make the float32 file and prove it."""
    cache = BlobCache.from_env() if work.checkpoint else None
    with work.step("export"):
        data = _made(work.config, cache)
    primary = _prove(work, data)
    if cache is None or primary.report["parity"]["passed"]:
        return primary
    anew = _made(work.config, cache, anew=True)
    if anew == data:
        return primary
    work.listener.log("the kept graph does not answer as the network: the network was traced anew")
    return _prove(work, anew)


def _prove(work: Export, data: bytes) -> Primary:
    """Prove the float32 file; NVIDIA's builder runs meanwhile, in a process of its own."""
    config = work.config
    session = Session(data)
    answers = work.answers(data, session)
    few = answers.pictures.load((work.seen or work.test)[: config.profile.opt])
    with ThreadPoolExecutor(1) as beside:
        built = beside.submit(partial(ask_builder, data, config, precision="fp32", pixels=few))
        with work.step("parity"):
            proof = _parity(work, data, answers)
        work.listener.log(f"parity {'holds' if proof.passed else 'FAILS'}: at most {proof.max_abs_error:.1e} apart")
        with work.step("evaluate"):
            evaluation = _evaluate(work, answers, "") if work.test else None
        with work.step("check"):
            checked = file_report(data, MODEL, config)
            report = {
                "export_seconds": work.seconds["export"],
                **checked,
                "ready": checked["ready"] and proof.passed,
                "parity": asdict(proof),
                "profile": configs.document(config.profile),
                "tensorrt": built.result(),
                "feeding": {"classes": session.facts.classes, PREPROCESSING: session.facts.preprocessing},
            }
    return Primary(data, answers, report, evaluation)


def _proved_before(work: Export, folder: Path) -> Primary:
    """Read the files and results of an earlier export."""
    try:
        data, report = (folder / MODEL).read_bytes(), orjson.loads((folder / REPORT).read_bytes())
        evaluation = orjson.loads((folder / EVALUATION).read_bytes()) if work.test else None
    except (OSError, ValueError) as fault:
        raise ConfigError({"proved": [f"is not a folder of an earlier export: {fault}"]}) from fault
    return Primary(data, work.answers(data, Session(data)), report, evaluation)


def _made(config: ExportConfig, cache: BlobCache | None, *, anew: bool = False) -> bytes:
    """Make and write the float32 file; returns its bytes."""
    out, facts = config.out_dir / MODEL, {**config.facts, "profile": configs.document(config.profile)}
    if config.checkpoint is not None:
        return export_onnx(config.checkpoint, out, facts=facts, kind=config.input, cache=cache, anew=anew)
    if config.members is not None:
        proto = load_proto(join_onnx([_bytes(path) for path in config.members]))
    else:
        assert config.onnx is not None  # noqa: S101 - a config has one of them
        data = _bytes(config.onnx)
        proto = load_proto(adopt_onnx(data, config.adopt) if config.adopt else data)
    add_facts(proto, facts)
    if config.input == "uint8_nhwc" and Session(proto.SerializeToString()).input != config.input:
        take_uint8(proto)
    made: bytes = proto.SerializeToString(deterministic=True)
    files.write_bytes(out, made)
    return made


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as fault:
        raise ModelError("onnx_invalid", f"{path} cannot be read: {fault.strerror}") from fault


def _parity(work: Export, data: bytes, answers: Answers) -> Parity:
    """Prove parity. For a frozen trunk, torch's features are those that the head was trained on, if this machine still
    has them."""
    config, model, opt = work.config, answers.model, work.config.profile.opt
    samples = (work.seen or work.test)[: config.parity_samples]
    pixels = answers.pictures.load(samples)
    if work.checkpoint is None:
        return prove_parity_with_plain(data, model, pixels, opt=opt, threads=work.threads)
    network, cache = work.checkpoint.network, BlobCache.from_env()
    if network.family.frozen and cache is not None:
        used = work.checkpoint.config.threads
        features = load_features(samples, work.reader, network, threads=used, listener=work.listener, cache=cache)
        with deterministic(used), torch.inference_mode():
            logits, embedding = network.eval().answered(torch.from_numpy(features))
        answers_of = model.task.outputs.probabilities(logits.numpy())
        said = Outputs(logits.numpy(), embedding.numpy(), answers_of)
        return prove_parity_with(said, model, pixels, opt=opt, threads=work.threads)
    with deterministic(work.threads):
        return prove_parity(network, model, pixels, opt=opt)


def _variants(work: Export, primary: Primary) -> tuple[list[Variant], dict[str, dict[str, Any]]]:
    """Make each precision that the config names, with its evaluation if there is one of the float32 file."""
    made: list[Variant] = []
    evaluations: dict[str, dict[str, Any]] = {}
    chosen = choose(work.seen, work.test, work.config)
    for precision in work.config.precisions:
        with work.step(precision):
            variant, answers = make_variant(precision, primary.data, chosen, primary.answers, config=work.config)
            if primary.evaluation is not None:
                evaluations[precision] = _evaluate(work, answers, precision)
                name = answers.model.task.metrics.headline
                told = with_headline(variant, evaluations[precision], primary.evaluation, name=name)
                variant = replace(variant, report=told)
        top1 = 100 * variant.report["agreement"]["top1"]
        work.listener.log(f"{precision}: {top1:.2f} % of the answers are float32's, {len(variant.data):,} bytes")
        made.append(variant)
    return made, evaluations


def _evaluate(work: Export, answers: Answers, variant: str) -> dict[str, Any]:
    made = evaluate_configured(work.config, answers)
    keep_evaluation(made, work.config.out_dir, variant=variant)
    return made.document


def _write(
    config: ExportConfig,
    primary: Primary,
    variants: list[Variant],
    report: Mapping[str, Any],
    evaluations: Mapping[str, Mapping[str, Any]],
) -> None:
    """Write all files but the float32 file and the evaluations, the report last."""
    model, out = primary.answers.model, config.out_dir
    served = Served(
        size=model.facts.input_size,
        kind=model.input,
        outputs=model.shapes,
        profile=config.profile,
    )
    files.write_bytes(out / "config.pbtxt", config_pbtxt(served, MODEL).encode())
    files.write_bytes(out / "config.plan.pbtxt", config_pbtxt(served, PLAN).encode())
    for variant in variants:
        files.write_bytes(out / variant.file, variant.data)
        files.write_bytes(out / f"config.{variant.precision}.pbtxt", config_pbtxt(served, variant.file).encode())
    judged = ({"fp32": primary.evaluation} if primary.evaluation else {}) | dict(evaluations)
    files.write_bytes(out / CARD, model_card(primary.data, report, judged).encode())
    files.write_json(out / REPORT, report)


def body(config: ExportConfig, listener: Listener) -> dict[str, Any]:
    """Run the program; its result event names the files and carries report and evaluations."""
    os.nice(config.nice)
    made = export(config, listener=listener)
    names = {"model": MODEL, "report_file": REPORT, "evaluation_file": EVALUATION if made["evaluation"] else None}
    return {**names, "out_dir": str(config.out_dir), **made}
