"""How a version's further precisions are made: the export program continues from the proved float32 file."""

import time
from pathlib import Path
from typing import Any

from blobs.refs import BlobRef
from blobs.services import row_for
from catalog.models import Split
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import free_threads, run_program
from registry.files import as_document, fetch_files, kept_files, write_manifest
from registry.models import Artifact, ModelVersion
from registry.prove_phase import evaluated_on

PROVED = ("model.onnx", "report.json", "evaluation.json")
NICE = 10


def prove_precisions(version: ModelVersion, folder: Path, context: ShardContext) -> Outcome:
    """Run the export program on the files that the run proved; the new files and metrics appear on the version in the
    transaction that ends the job."""
    started, run, data = time.perf_counter(), version.run, version.dataset_version
    if run is None or data is None:
        raise ShardFailed(f"{version} came from no run: there is nothing to go on from", code="export_incomplete")
    rows = version.artifacts.filter(path__in=PROVED).select_related("blob")
    fetch_files({row.path: as_document(row.blob.ref) for row in rows}, folder / "proved")
    config = (
        run.config.get("export", {})
        | {
            "proved": str(folder / "proved"),
            "precisions": context.job.params["precisions"],
            "out_dir": str(folder / "out"),
            "samples": str(write_manifest(data, folder / "train.jsonl", split=Split.TRAIN, labelled=True)),
            "threads": free_threads(context),
            "nice": NICE,
        }
        | evaluated_on(data, folder).fields
    )
    result = run_program("export", config, folder=folder, context=context, tracked=False, reads_store=True)
    made = kept_files(folder / "out")
    spent = {"precisions": time.perf_counter() - started, "steps": result["seconds"]}

    def apply() -> None:
        _attach(version.pk, made, result, spent)

    return Outcome({"precisions": context.job.params["precisions"], "seconds": spent}, apply)


def _attach(pk: int, made: dict[str, dict[str, Any]], result: dict[str, Any], spent: dict[str, Any]) -> None:
    """Store the new files, report and metrics on the version, so that its report and card cover every precision."""
    version = ModelVersion.objects.select_for_update(of=("self",)).get(pk=pk)
    before = version.metrics.get("seconds", {})
    steps = before.get("steps", {}) | spent["steps"]
    version.report = result["report"]
    version.metrics = version.metrics | {"variants": result["variants"], "seconds": before | spent | {"steps": steps}}
    version.save(update_fields=["report", "metrics"])
    for path, ref in made.items():
        Artifact.objects.update_or_create(version=version, path=path, defaults={"blob": row_for(BlobRef(**ref))})
