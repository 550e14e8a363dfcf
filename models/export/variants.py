"""Make the same model in lower precision, check it, and compare it with the float32 file on real samples."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from export.agreement import compare
from export.answers import Answers
from export.building import not_asked, prove_engine
from export.config import ExportConfig, Precision, Profile
from export.float16 import to_half
from export.quantise import METHODS, to_fp8, to_int8
from export.ranges import ranges_of
from export.readiness import readiness
from export.runtime import Session
from export.trtexec import input_shape, lines, profile_shapes, trtexec
from worker_programs.manifest import Sample

SEED = 0
"""Seed of the calibration sample and of the pool: equal manifests give equal samples."""
MOST_DROP = 0.01
"""The largest drop of the headline metric below float32's."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The real samples that prove a precision; no blob is in both lists unless there are too few."""

    calibration: list[Sample]
    pool: list[Sample]
    held_out: bool
    """Whether the pool has no sample of the calibration."""

    @property
    def digest(self) -> str:
        """sha256 over the sorted sha256s of the calibration sample, one per line."""
        digests = sorted(sample.sha256 for sample in self.calibration)
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Variant:
    """A file of lower precision with its part of the report."""

    precision: Precision
    data: bytes
    report: dict[str, Any]

    @property
    def file(self) -> str:
        """The file's name beside `model.onnx`."""
        return f"model.{self.precision}.onnx"


def choose(samples: Sequence[Sample], others: Sequence[Sample], config: ExportConfig) -> Samples:
    """Draw the calibration sample from `samples`, and the pool from the rest of both lists, by blob."""
    first = {sample.md5: sample for sample in samples or others}
    rng = np.random.default_rng(SEED)
    drawn = {sample.md5: sample for sample in _draw(first, config.calibration_samples, rng)}
    rest = {s.md5: s for s in (*samples, *others) if s.md5 not in drawn}
    pool = _draw(rest or first, config.pool_samples, rng)
    return Samples(list(drawn.values()), pool, held_out=bool(rest))


def make_variant(
    precision: Precision, data: bytes, chosen: Samples, reference: Answers, *, config: ExportConfig
) -> tuple[Variant, Answers]:
    """Convert the float32 file `data` to another precision and compare the two; returns the variant and its answers,
    computed exactly as its graph says. Raises DataError for a sample that cannot be read."""
    started, calibration, pictures = time.perf_counter(), _calibration(chosen, precision), reference.pictures
    if calibration is None:
        converted = to_half(data)
    else:
        quantise = to_int8 if precision == "int8" else to_fp8
        converted = quantise(data, pictures.load(chosen.calibration))
    seconds = time.perf_counter() - started
    answers = Answers(Session(converted, exact=True), pictures)
    level = answers.model.level
    outputs = reference.model.task.outputs
    expected, said = reference.of(chosen.pool), answers.of(chosen.pool)
    compared = compare(expected, said, outputs=outputs, precision=precision, level=level)
    facts = {"agreement": {**asdict(compared), "held_out": chosen.held_out}, "calibration": calibration}
    report = {**file_report(converted, f"model.{precision}.onnx", config), "precision": precision, **facts}
    report["ready"] = report["ready"] and compared.passed
    few = pictures.load(chosen.pool[: config.profile.opt])
    if precision == "fp16":
        found = ranges_of(data, few)
        report |= {"ranges": asdict(found), "ready": report["ready"] and not found.overflows}
    report["tensorrt"] = ask_builder(converted, config, precision=precision, pixels=few)
    return Variant(precision, converted, {**report, "export_seconds": seconds}), answers


def file_report(data: bytes, file: str, config: ExportConfig) -> dict[str, Any]:
    """The report on any ONNX file: digest, checks, profile, and how to build its engine."""
    static, session = readiness(data), Session(data, exact=True)
    shapes = profile_shapes(config.profile, input_shape(session.facts.input_size, session.input))
    return {
        "file": file,
        "precision": "fp32",
        "input": session.input,
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        **asdict(static),
        "shapes": shapes,
        "trtexec": trtexec(file, shapes),
        "trtexec_lines": lines(file, shapes),
    }


def ask_builder(
    data: bytes, config: ExportConfig, *, precision: Precision | str, pixels: NDArray[np.uint8]
) -> dict[str, Any]:
    """Call `prove_engine` as configured."""
    if config.tensorrt == "never":
        return not_asked()
    profile = Profile(min=config.profile.min, opt=config.profile.opt, max=config.profile.max)
    return prove_engine(data, profile=profile, precision=precision, engines=config.engines, pixels=pixels)


def with_headline(
    variant: Variant, evaluation: dict[str, Any], of_float: dict[str, Any], *, name: str
) -> dict[str, Any]:
    """The variant's report with its headline beside float32's; a drop of more than a point makes it not ready."""
    drop = (of_float[name] or 0) - (evaluation[name] or 0)
    told = {name: evaluation[name], f"{name}_drop": drop, f"most_{name}_drop": MOST_DROP}
    return {**variant.report, **told, "ready": variant.report["ready"] and drop <= MOST_DROP}


def _calibration(chosen: Samples, precision: Precision) -> dict[str, Any] | None:
    if precision not in METHODS:
        return None
    return {
        "samples": len(chosen.calibration),
        "method": METHODS[precision],
        "seed": SEED,
        "digest": chosen.digest,
    }


def _draw(samples: dict[str, Sample], count: int, rng: np.random.Generator) -> list[Sample]:
    ordered = [samples[md5] for md5 in sorted(samples)]
    if len(ordered) <= count:
        return ordered
    return [ordered[place] for place in sorted(rng.choice(len(ordered), count, replace=False))]
