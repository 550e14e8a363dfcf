"""How embeddings are computed: the backbone and what reads words beside it are made into files where they are missing,
then a range of samples at a time is embedded. What has embeddings already is not computed again."""

import tempfile
from pathlib import Path

from blobs.refs import BlobRef
from blobs.services import row_for, store
from catalog.models import Version
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.scores.shards import score_alone
from registry.models import ModelVersion
from similarity.embeddings import BACKBONE, PREPARE, Embedder
from similarity.models import Backbone, Lexicon


class EmbedHandler:
    """Phase PREPARE exports the backbone and its lexicon, phase SCORE embeds a range of samples."""

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
    """Of two jobs that make a file at once, that of the first stays: scores are kept by its digest."""
    made: dict[str, BlobRef] = {}
    with tempfile.TemporaryDirectory(prefix="motherlode-backbone-") as name:
        folder = Path(name)
        for program, files, there in _MAKING:
            if not there():
                paths = {file: str(folder / file) for file in files}
                config = {"architecture": BACKBONE} | paths
                run_program(program, config, folder=folder, context=context, tracked=False)
                made |= {file: _put(folder / file) for file in files}

    def apply() -> None:
        if "out" in made and not _has_backbone():
            Backbone.objects.get_or_create(name=BACKBONE, defaults={"onnx": row_for(made["out"])})
        if "text" in made and not _has_lexicon():
            parts = {name: row_for(made[name]) for name in ("text", "posterior")}
            Lexicon.objects.get_or_create(backbone=BACKBONE, defaults=parts)

    return Outcome({"made": sorted(made)}, apply)


def _put(path: Path) -> BlobRef:
    with path.open("rb") as file:
        return store().put_file(file)


def _has_backbone() -> bool:
    return Backbone.objects.filter(name=BACKBONE).exists()


def _has_lexicon() -> bool:
    return Lexicon.objects.filter(backbone=BACKBONE).exists()


_MAKING = (
    ("export.backbone", ("out",), _has_backbone),
    ("export.words.lexicon", ("text", "posterior"), _has_lexicon),
)
"""The programs, the files that each writes, by the names of its config, and whether they are there."""
