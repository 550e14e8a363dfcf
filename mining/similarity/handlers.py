"""How embeddings are computed: make the files of the backbone and of its word reader where they are missing, then embed
a range of samples at a time. Existing embeddings are not computed again. And how the files of a new encoder are
checked."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accounts import audit
from accounts.models import User
from blobs.refs import BlobRef
from blobs.services import row_for, store
from catalog.models import Version
from jobs import lanes
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.run_program import run_program
from mining_jobs.scores.backbone import BACKBONE, made_backbone
from mining_jobs.scores.shards import score_alone
from registry.files import fetch_file
from similarity.embeddings import PREPARE, Embedder, embedder_in
from similarity.encoders import PARTS, Source
from similarity.fetching import fetch_parts
from similarity.models import Encoder, Lexicon
from similarity.removal import audited

Uploaded = dict[str, dict[str, Any]]
"""The `sha256` and `size` of each file of an encoder, and the `url` of one that was fetched."""


class EmbedHandler:
    """Phase PREPARE exports the backbone and its lexicon, phase SCORE embeds a range of samples."""

    lane = lanes.REST

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

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run the shard; it may be killed and run again."""
        with tempfile.TemporaryDirectory(prefix="motherlode-encoder-") as name:
            return _adopt(Path(name), context, self._uploaded(Path(name), context))

    def _uploaded(self, folder: Path, context: ShardContext) -> Uploaded:
        """Write the files into the folder, each under its own name. Returns what an encoder keeps of them."""
        refs = context.job.params["files"]
        for part, ref in refs.items():
            fetch_file(BlobRef(**ref), folder / part)
        return {part: {name: ref[name] for name in ("sha256", "size")} for part, ref in refs.items()}


class FetchEncoderHandler(EncoderHandler):
    """Fetches the three files from their addresses first."""

    def _uploaded(self, folder: Path, context: ShardContext) -> Uploaded:
        sources = {part: Source(**source) for part, source in context.job.params["sources"].items()}
        found = fetch_parts(sources, folder, context)
        return {part: {"sha256": sources[part].sha256, "size": size, "url": sources[part].url}
                for part, size in found.items()}  # fmt: skip


def _adopt(folder: Path, context: ShardContext, uploaded: Uploaded) -> Outcome:
    told, author = context.job.params, context.job.created_by
    assert isinstance(author, User)  # noqa: S101 - whoever brought it
    files = {part: str(folder / part) for part in PARTS}
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
                "uploaded": uploaded,
                "trunk_fault": found["trunk_fault"],
                "notes": told["notes"],
                "created_by": author,
            },
        )
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
    """Make the missing files. If two jobs make the lexicon at once, the first one's stays."""
    made_backbone(context)
    parts = {} if _has_lexicon() else _make_lexicon(context)

    def apply() -> None:
        if parts and not _has_lexicon():
            rows = {name: row_for(ref) for name, ref in parts.items()}
            Lexicon.objects.get_or_create(backbone=BACKBONE, defaults=rows)

    return Outcome({"made": sorted(parts)}, apply)


def _make_lexicon(context: ShardContext) -> dict[str, BlobRef]:
    """Return the files of the lexicon, by the names in the program's config."""
    with tempfile.TemporaryDirectory(prefix="motherlode-lexicon-") as name:
        paths = {part: Path(name) / part for part in ("text", "posterior")}
        config = {"architecture": BACKBONE} | {part: str(path) for part, path in paths.items()}
        run_program("export.words.lexicon", config, folder=Path(name), context=context, tracked=False)
        return {part: _put(path) for part, path in paths.items()}


def _put(path: Path) -> BlobRef:
    with path.open("rb") as file:
        return store().put_file(file)


def _has_lexicon() -> bool:
    return Lexicon.objects.filter(backbone=BACKBONE).exists()
