"""The second phase of a run: from a checkpoint to a registered version with its proof."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.services import row_for
from catalog.models import Split
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.programs import run_program
from registry import services
from registry.files import fetch_files, keep_file, write_manifest
from registry.models import Run


def prove(run: Run, folder: Path, context: ShardContext) -> Outcome:
    """Run the export program on what the first phase made; its version appears in the transaction that ends the job."""
    started = time.perf_counter()
    trained = run.job.shards.get(phase=services.TRAIN).result
    assert trained is not None  # noqa: S101 - this phase begins when that one is done
    fetch_files(trained["files"], folder / "checkpoint")
    split = Split.TEST if run.version.counts["by_split"].get(Split.TEST) else Split.VAL
    test = write_manifest(run.version, folder / "test.jsonl", split=split, labelled=True)
    seen = write_manifest(run.version, folder / "train.jsonl", split=Split.TRAIN, labelled=True)
    config = {
        "checkpoint": str(folder / "checkpoint"),
        "out_dir": str(folder / "out"),
        "test": str(test) if test.stat().st_size else None,
        "samples": str(seen),
        "facts": {"model": run.model.name, "dataset": str(run.version)},
        "threads": 1,
    }
    result = run_program("export", config, folder=folder, context=context, tracked=False)
    return _register(run, folder / "out", trained, result, time.perf_counter() - started)


def _register(run: Run, out: Path, trained: Mapping[str, Any], result: Mapping[str, Any], seconds: float) -> Outcome:
    made = {path.name: keep_file(path) for path in sorted(out.iterdir()) if path.is_file()}
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
    """The metrics of a version: its evaluation on the ONNX file, and how long each part took."""
    fit = trained["training"]["train"]
    evaluation = result.get("evaluation") or {}
    found = {
        "training_samples": fit["samples"],
        "seconds": {"train": trained["seconds"], "prove": seconds},
        "images_per_second": {"train": fit.get("images_per_second"), "evaluate": evaluation.get("images_per_second")},
    } | {name: value for name, value in evaluation.items() if name != "images_per_second"}
    if "accuracy_low" in evaluation:
        found["accuracy_interval"] = [evaluation["accuracy_low"], evaluation["accuracy_high"]]
    return found
