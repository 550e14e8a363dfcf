"""How a run is executed: train in one program, prove and export in another, then register."""

import platform
import tempfile
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson

from blobs.models import Blob
from blobs.refs import BlobRef
from blobs.services import keep, row_for, store
from catalog.manifests import manifest_lines
from catalog.models import Split, Version
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.programs import run_program
from registry import services
from registry.models import Run

CHECKPOINT = ("checkpoint.safetensors", "config.json", "metrics.json")


class TrainHandler:
    """Phase TRAIN makes a checkpoint, phase PROVE the ONNX file with its report, and registers both."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Either phase; each may be killed and run again."""
        run = Run.objects.select_related("model", "version__dataset", "parent").get(job=context.job)
        with tempfile.TemporaryDirectory(prefix="motherlode-run-") as name:
            phase = self._train if context.claim.shard.phase == services.TRAIN else self._prove
            return phase(run, Path(name), context)

    def _train(self, run: Run, folder: Path, context: ShardContext) -> Outcome:
        started = time.perf_counter()
        out = folder / "out"
        validation = write_manifest(run.version, folder / "validation.jsonl", split=Split.VAL, labelled=True)
        config = {
            "out_dir": str(out),
            "train": str(write_manifest(run.version, folder / "train.jsonl", split=Split.TRAIN, labelled=True)),
            "validation": str(validation) if validation.stat().st_size else None,
            "classes": run.model.classes,
            "architecture": run.architecture,
            "params": run.config.get("params", {}),
            "recipe": run.config.get("recipe", {}) | {"seed": run.seed},
            "warm_start": str(self._parent(run, folder)) if run.parent else None,
            "threads": 1,
        }
        result = run_program("training", config, folder=folder, context=context)
        kept = {path: keep_file(out / path) for path in CHECKPOINT}
        seconds = time.perf_counter() - started
        lock = run_lock(run, orjson.loads((out / "config.json").read_bytes()))
        return Outcome({"files": kept, "training": result["metrics"], "lock": lock, "seconds": seconds})

    def _prove(self, run: Run, folder: Path, context: ShardContext) -> Outcome:
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
        return self._register(run, folder / "out", trained, result, time.perf_counter() - started)

    def _register(
        self, run: Run, out: Path, trained: Mapping[str, Any], result: Mapping[str, Any], seconds: float
    ) -> Outcome:
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

    @staticmethod
    def _parent(run: Run, folder: Path) -> Path:
        """The parent's checkpoint, fetched."""
        assert run.parent is not None  # noqa: S101 - asked only then
        rows = run.parent.artifacts.filter(path__in=CHECKPOINT).select_related("blob")
        fetch_files({row.path: as_document(row.blob.ref) for row in rows}, folder / "parent")
        return folder / "parent"


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


def run_lock(run: Run, config: Mapping[str, Any]) -> dict[str, Any]:
    """All that decides the weights: data, config, seed, code and environment."""
    return {
        "dataset": run.dataset.name,
        "version": run.version.number,
        "seed": run.seed,
        "config": dict(config),
        "warm_start": str(run.parent) if run.parent else None,
        "environment": {name: metadata.version(name) for name in ("numpy", "onnxruntime", "torch")}
        | {"python": platform.python_version(), "machine": platform.machine()},
    }


def write_manifest(version: Version, path: Path, *, split: str | None = None, labelled: bool | None = None) -> Path:
    """The samples of a version as a program's manifest."""
    with path.open("wb") as file:
        for line in manifest_lines(version, split=split, labelled=labelled):
            file.write(orjson.dumps(line) + b"\n")
    return path


def as_document(ref: BlobRef) -> dict[str, Any]:
    """A ref as JSON."""
    return {"md5": ref.md5, "sha256": ref.sha256, "size": ref.size, "key": ref.key, "offset": ref.offset}


def keep_file(path: Path) -> dict[str, Any]:
    """Put a file into the store. Putting it again, after a kill, is the same object."""
    with path.open("rb") as stream:
        return as_document(keep(stream, media_type="application/octet-stream").ref)


def fetch_files(files: Mapping[str, Mapping[str, Any]], folder: Path) -> None:
    """Bring files back from the store, verified."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, ref in files.items():
        (folder / name).write_bytes(store().get(BlobRef(**ref)))
