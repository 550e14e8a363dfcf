"""How an uploaded ONNX file is checked, by the program that proves our own files, and then registered."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from accounts.models import User
from blobs.refs import BlobRef
from blobs.services import row_for
from catalog.models import Split, Version
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import free_threads, run_program
from registry import services
from registry.ancestry import ENSEMBLE
from registry.ensembles import learned_through
from registry.files import fetch_file, kept_files
from registry.gates import NOISE
from registry.inputs import write_split
from registry.models import Model, ModelVersion
from registry.prove_phase import EvaluationData, evaluated, evaluated_on
from worker_programs.manifest import Sample
from worker_programs.manifest import write_manifest as write_samples
from worker_programs.readers import Folder

NOISE_SAMPLES, NOISE_SIDE = 32, 64


def adopt(folder: Path, context: ShardContext) -> Outcome:
    """Run the export program on the uploaded file; its version appears in the transaction that ends the job."""
    started = time.perf_counter()
    told = context.job.params
    model = Model.objects.get(pk=told["model"])
    version = Version.objects.select_related("dataset").filter(pk=told["dataset_version"]).first()
    parents = list(ModelVersion.objects.filter(pk__in=told.get("parents", [])).select_related("model").order_by("pk"))
    data = _data(version, folder)
    config = told["export"] | data.fields | {
        "onnx": str(fetch_file(BlobRef(**told["onnx"]), folder / "uploaded.onnx")),
        "adopt": told["adopt"],
        "out_dir": str(folder / "out"),
        "facts": {"model": model.name, "judged_on": str(version) if version else None}
        | ({"derived_from": [str(parent) for parent in parents]} if parents else {}),
        "threads": free_threads(context),
    }  # fmt: skip
    result = run_program("export", config, folder=folder, context=context, tracked=False, reads_store=True)
    lock = {
        "uploaded": {name: told["onnx"][name] for name in ("sha256", "size")},
        "adopt": told["adopt"],
        "proved_on": "samples" if version else NOISE,
        "derived_from": [{"model": one.model.name, "version": one.number, "digest": one.digest} for one in parents],
        "data": data.read,
    }
    made = Made(model, version, "onnx", lock, parents)
    return registered(made, folder / "out", result, context, time.perf_counter() - started)


def join(folder: Path, context: ShardContext) -> Outcome:
    """Run the export program on the files of several versions; the ensemble appears in the transaction that ends the
    job."""
    started = time.perf_counter()
    told = context.job.params
    model = Model.objects.get(pk=told["model"])
    version = Version.objects.select_related("dataset").get(pk=told["dataset_version"])
    members = list(model.versions.filter(number__in=told["members"]).order_by("number"))
    data = _data(version, folder)
    config = told["export"] | data.fields | {
        "members": [str(fetch_file(one.onnx.ref, folder / f"{one.number}.onnx")) for one in members],
        "out_dir": str(folder / "out"),
        "facts": {"model": model.name, "judged_on": str(version)} | learned_through(members),
        "threads": free_threads(context),
    }  # fmt: skip
    result = run_program("export", config, folder=folder, context=context, tracked=False, reads_store=True)
    lock = {
        "members": [{"version": one.number, "digest": one.digest} for one in members], "proved_on": "samples",
        "data": data.read,
    }  # fmt: skip
    made = Made(model, version, ENSEMBLE, lock, members)
    return registered(made, folder / "out", result, context, time.perf_counter() - started)


def _data(version: Version | None, folder: Path) -> EvaluationData:
    """Manifests to prove and evaluate the file on; noise without a dataset, on which nothing can be calibrated."""
    if version is None:
        rng, blobs = np.random.default_rng(0), Folder(folder / "noise")
        pictures = rng.integers(0, 256, (NOISE_SAMPLES, NOISE_SIDE, NOISE_SIDE, 3), np.uint8)
        kept = [blobs.put(cv2.imencode(".png", picture)[1].tobytes()) for picture in pictures]
        samples = [Sample.of(f"noise-{number}.png", ref) for number, ref in enumerate(kept)]
        listed = write_samples(folder / "noise.jsonl", samples)
        fields = {"samples": str(listed), "blobs": str(folder / "noise"), "precisions": []}
        return EvaluationData(fields, {})
    seen = folder / "seen.jsonl"
    proved = write_split(version, seen, split=Split.TRAIN, labelled=None)
    if not proved["samples"]:
        proved = write_split(version, seen, split=None, labelled=None)
    evaluation = evaluated_on(version, folder)
    return EvaluationData({"samples": str(seen)} | evaluation.fields, {"proved": proved} | evaluation.read)


@dataclass(frozen=True, slots=True)
class Made:
    """The origin of a version that no run trained: its architecture's name, further entries of its lock, and the
    versions that it was made from."""

    model: Model
    version: Version | None
    architecture: str
    lock: Mapping[str, Any]
    made_from: Sequence[ModelVersion] = ()


def registered(of: Made, out: Path, result: Mapping[str, Any], context: ShardContext, seconds: float) -> Outcome:
    """Register the files of an export as the next version of the model."""
    made = kept_files(out)
    if "model.onnx" not in made:
        raise ShardFailed("the export wrote no model.onnx", code="export_incomplete")
    told, author = context.job.params, context.job.created_by
    assert isinstance(author, User)  # noqa: S101 - whoever asked for it
    version = of.version
    lock = {
        "job": context.job.pk,
        "dataset": version.dataset.name if version else None,
        "version": version.number if version else None,
        **of.lock,
    }
    metrics = evaluated(result) | {"seconds": {"prove": seconds, "steps": result.get("seconds", {})}}

    def apply() -> None:
        blobs = {path: row_for(BlobRef(**ref)) for path, ref in made.items()}
        proof = services.Proof(blobs["model.onnx"].sha256, metrics, result["report"], lock, blobs)
        origin = services.Origin(of.architecture, author, version, notes=told["notes"], made_from=of.made_from)
        services.register(of.model.pk, proof, origin)

    return Outcome({"digest": made["model.onnx"]["sha256"], "model": of.model.name}, apply)
