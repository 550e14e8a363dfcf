"""How a run is executed: train in one program, prove and export in another, then register; a separate job makes
further precisions."""

import tempfile
from pathlib import Path

from core.errors import Conflict
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.lifecycle.finding import refuse_archived
from registry import services
from registry.models import ModelVersion, Run
from registry.precisions_phase import prove_precisions
from registry.prove_phase import prove
from registry.train_phase import train
from registry.upload_phase import adopt, join


class UploadHandler:
    """Checks an uploaded ONNX file like the files made here, and registers it."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """May be killed and run again."""
        with tempfile.TemporaryDirectory(prefix="motherlode-upload-") as name:
            return adopt(Path(name), context)


class EnsembleHandler:
    """Joins several versions into one file, proves and evaluates it like any other, and registers it."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """May be killed and run again."""
        with tempfile.TemporaryDirectory(prefix="motherlode-ensemble-") as name:
            return join(Path(name), context)


class PrecisionsHandler:
    """Makes, proves and evaluates the further precisions of a version."""

    lane = lanes.REST

    def run(self, context: ShardContext) -> Outcome:
        """May be killed and run again."""
        rows = ModelVersion.objects.select_related("model", "run", "dataset_version__dataset")
        version = rows.get(precisions_job=context.job)
        with tempfile.TemporaryDirectory(prefix="motherlode-precisions-") as name:
            return prove_precisions(version, Path(name), context)


class TrainHandler:
    """Phase TRAIN makes a checkpoint, phase PROVE the ONNX file with its report, and registers both."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run the phase of the claimed shard; each phase may be killed and run again."""
        run = Run.objects.select_related("model", "version__dataset", "parent", "cloned_from").get(job=context.job)
        try:
            refuse_archived(run.model, run.version.dataset)  # the job may have been taken up again since
        except Conflict as fault:
            raise ShardFailed(fault.detail, code=fault.code) from fault
        phase = train if context.claim.shard.phase == services.TRAIN else prove
        with tempfile.TemporaryDirectory(prefix="motherlode-run-") as name:
            return phase(run, Path(name), context)
