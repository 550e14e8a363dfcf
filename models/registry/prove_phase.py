"""The second phase of a run: from a checkpoint to a registered version with its proof."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.services import row_for
from catalog.curation.slices import checked
from catalog.models import Split, Version
from core.errors import MotherlodeError
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import free_threads, run_program
from registry import services
from registry.files import fetch_files, keep_file, write_manifest
from registry.inputs import ReadSplit, write_split
from registry.models import Run
from registry.train_phase import CHECKPOINT, TRUNK
from worker_programs import files as whole_files


def prove(run: Run, folder: Path, context: ShardContext) -> Outcome:
    """Run the export program on the trained checkpoint; the version appears in the transaction that ends the job."""
    started = time.perf_counter()
    trained = run.job.shards.get(phase=services.TRAIN).result
    assert trained is not None  # noqa: S101 - this phase begins when that one is done
    checkpoint = {name: ref for name, ref in trained["files"].items() if name in (*CHECKPOINT, TRUNK)}
    fetch_files(checkpoint, folder / "checkpoint")
    evaluation = evaluated_on(run.version, folder)
    config = (
        run.config.get("export", {})
        | {
            "checkpoint": str(folder / "checkpoint"),
            "out_dir": str(folder / "out"),
            "samples": str(write_manifest(run.version, folder / "train.jsonl", split=Split.TRAIN, labelled=True)),
            "facts": {"model": run.model.name, "dataset": str(run.version)}
            | ({"warm_start": str(run.parent)} if run.parent else {}),
            "precisions": [],  # a job of their own proves them
            "threads": free_threads(context),
        }
        | evaluation.fields
    )
    result = run_program("export", config, folder=folder, context=context, tracked=False, reads_store=True)
    lock = trained["lock"] | {"data": trained["lock"].get("data", {}) | evaluation.read}
    return _register(run, folder / "out", trained | {"lock": lock}, result, time.perf_counter() - started)


class EvaluationData(NamedTuple):
    """The `fields` of an export's config that name the evaluation data, and what was `read`, by split, for the lock."""

    fields: dict[str, Any]
    read: dict[str, ReadSplit]


def evaluated_on(version: Version, folder: Path) -> EvaluationData:
    """Return the evaluation data of an export, and write those files to `folder`.

    Without a test split the validation split replaces it: then no temperature can be fitted on it as well.
    """
    test, validation = folder / "test.jsonl", folder / "validation.jsonl"
    read = {
        "validation": write_split(version, validation, split=Split.VAL),
        "test": write_split(version, test, split=Split.TEST),
    }
    if read["test"]["samples"]:
        named, split = {"test": test, "validation": validation}, Split.TEST
    else:
        named, split = {"test": validation}, Split.VAL
    named["slices"] = whole_files.write_json(folder / "slices.json", slice_keys(version, split))
    fields = {field: str(path) for field, path in named.items() if path.stat().st_size}
    return EvaluationData(fields, read)


def slice_keys(version: Version, split: str) -> dict[str, list[str] | str]:
    """Map each slice of the dataset to the keys of its labelled samples in a split, or to why they can't be looked up.

    Slices that don't cover this split are left out.
    """
    found: dict[str, list[str] | str] = {}
    for one in version.dataset.slices.select_related("dataset").order_by("name"):
        try:
            chosen = checked(one)
            if split not in chosen.splits:
                continue
            rows = chosen.apply(version.revisions).filter(split=split, label__isnull=False)
            found[one.name] = list(rows.values_list("sample__key", flat=True))
        except MotherlodeError as fault:
            found[one.name] = fault.detail
    return found


def _register(run: Run, out: Path, trained: Mapping[str, Any], result: Mapping[str, Any], seconds: float) -> Outcome:
    paths = [path for path in sorted(out.rglob("*")) if path.is_file()]
    made = {path.relative_to(out).as_posix(): keep_file(path) for path in paths}
    if "model.onnx" not in made:
        raise ShardFailed("the export wrote no model.onnx", code="export_incomplete")
    files = trained["files"] | made
    metrics = figures(trained, result, seconds)

    def apply() -> None:
        blobs: dict[str, Blob] = {path: row_for(BlobRef(**ref)) for path, ref in files.items()}
        digest = blobs["model.onnx"].sha256
        proof = services.Proof(digest, metrics, result["report"], trained["lock"], blobs)
        services.register_run(run, proof)

    return Outcome({"digest": made["model.onnx"]["sha256"], "metrics": metrics}, apply)


def figures(trained: Mapping[str, Any], result: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The metrics of a version: its evaluation on the ONNX file, that of each variant, and how long each part took."""
    fit, choice = trained["training"]["train"], trained["training"].get("choice")
    found = evaluated(result)
    return found | {
        **({"choice": choice} if choice else {}),
        "training_samples": fit["samples"],
        **({"sent_bytes": fit["sent_bytes"]} if fit.get("sent_bytes") else {}),
        "seconds": {"train": trained["seconds"], "prove": seconds, "steps": result.get("seconds", {})},
        "images_per_second": {"train": fit.get("images_per_second")} | found["images_per_second"],
    }


def evaluated(result: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics that an export measured, with or without a training before it."""
    evaluation = result.get("evaluation") or {}
    found = dict(evaluation) | {
        "images_per_second": {"evaluate": evaluation.get("images_per_second")},
        "variants": result.get("variants") or {},
    }
    if "accuracy_low" in evaluation:
        found["accuracy_interval"] = [evaluation["accuracy_low"], evaluation["accuracy_high"]]
    return found
