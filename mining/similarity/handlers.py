"""How embeddings are computed: the backbone is made into a file where it is needed and missing, then a range of samples
at a time is embedded. What has embeddings already is not computed again."""

import tempfile
from pathlib import Path

from blobs.services import row_for, store
from catalog.models import Version
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.scores.shards import score_alone
from registry.models import ModelVersion
from similarity.embeddings import BACKBONE, PREPARE, Embedder
from similarity.models import Backbone


class EmbedHandler:
    """Phase PREPARE exports the backbone, phase SCORE embeds a range of samples."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Either phase; each may be killed and run again."""
        if context.claim.shard.phase == PREPARE:
            return _prepare(context)
        given, span = context.job.params, context.params
        version = Version.objects.select_related("dataset").get(pk=given["version"])
        model = given["model_version"]
        file = Embedder(ModelVersion.objects.select_related("model").get(pk=model) if model else None).file
        assert file is not None  # noqa: S101 - the phase before this one made it
        rows = version.revisions.filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
        return score_alone(rows, file, context)


def _prepare(context: ShardContext) -> Outcome:
    if Backbone.objects.filter(name=BACKBONE).exists():
        return Outcome({"made": False})
    with tempfile.TemporaryDirectory(prefix="motherlode-backbone-") as name:
        path = Path(name) / "backbone.onnx"
        config = {"architecture": BACKBONE, "out": str(path)}
        run_program("export.backbone", config, folder=Path(name), context=context, tracked=False)
        with path.open("rb") as file:
            ref = store().put_file(file)

    def apply() -> None:
        """Of two jobs that make it at once, the file of the first stays: scores are kept by its digest."""
        if not Backbone.objects.filter(name=BACKBONE).exists():
            Backbone.objects.get_or_create(name=BACKBONE, defaults={"onnx": row_for(ref)})

    return Outcome({"made": True}, apply)
