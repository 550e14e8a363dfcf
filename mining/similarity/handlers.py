"""How embeddings are computed: make the files of the backbone and of its word reader where they are missing, then embed
a range of samples at a time. Existing embeddings are not computed again. And how the files of a new encoder are
checked."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from accounts import audit
from accounts.models import User
from blobs.refs import BlobRef
from blobs.services import row_for, store
from catalog.models import Version
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.scores.shards import score_alone
from registry.files import fetch_file
from similarity.embeddings import BACKBONE, PREPARE, Embedder, embedder_in
from similarity.models import Backbone, Encoder, Lexicon
from similarity.removal import audited


class EmbedHandler:
    """Phase PREPARE exports the backbone and its lexicon, phase SCORE embeds a range of samples."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Run a shard of either phase; it may be killed and run again."""
        if context.claim.shard.phase == PREPARE:
            return _prepare(context)
        given, span = context.job.params, context.params
        version = Version.objects.select_related("dataset").get(pk=given["version"])
        file = _embedder(given).file
        assert file is not None  # noqa: S101 - the phase before this one made it
        rows = version.revisions.filter(sample_id__gte=span["first"], sample_id__lte=span["last"])
        return score_alone(rows, file, context)


class EncoderHandler:
    """Checks the three files of a new encoder, and registers it."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Run the shard; it may be killed and run again."""
        with tempfile.TemporaryDirectory(prefix="motherlode-encoder-") as name:
            return _adopt(Path(name), context)


def _adopt(folder: Path, context: ShardContext) -> Outcome:
    told, author = context.job.params, context.job.created_by
    assert isinstance(author, User)  # noqa: S101 - whoever uploaded it
    files = {part: str(fetch_file(BlobRef(**ref), folder / part)) for part, ref in told["files"].items()}
    outs = {"image_out": str(folder / "image.onnx"), "text_out": str(folder / "text.onnx")}
    config = files | outs | {"spec": told["spec"]}
    found = run_program("export.words.encoders", config, folder=folder, context=context, tracked=False)
    image, text = (_put(folder / name) for name in ("image.onnx", "text.onnx"))

    def apply() -> None:
        made, created = Encoder.objects.get_or_create(
            name=told["name"],
            defaults={
                "project_id": context.job.project_id,
                "image": row_for(image),
                "text": row_for(text),
                "width": found["width"],
                "parameters": told["spec"] | {name: found[name] for name in ("input_size", "text_length", "fill")},
                "uploaded": {part: {name: ref[name] for name in ("sha256", "size")}
                             for part, ref in told["files"].items()},
                "notes": told["notes"],
                "created_by": author,
            },
        )  # fmt: skip
        if not created:
            raise ShardFailed(f"there is an encoder {made.name!r} by now: choose another name", code="name_taken")
        audit.note("added", "encoder", made.name, project=made.project_id, after=audited(made), by=author)

    return Outcome({"encoder": told["name"], "width": found["width"]}, apply)


def _embedder(params: Mapping[str, int | None]) -> Embedder:
    try:
        return embedder_in(params)
    except Encoder.DoesNotExist as fault:
        raise ShardFailed("the encoder was removed: search by another one", code="encoder_unknown") from fault


def _prepare(context: ShardContext) -> Outcome:
    """Make the missing files. If two jobs make a file at once, the first one's stays: scores are stored by its
    digest."""
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
"""For each program: the files it writes, by the names in its config, and a check whether they exist."""
