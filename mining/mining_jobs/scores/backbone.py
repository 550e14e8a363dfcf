"""The network that embeds images where no model is named: EfficientNet-Lite0, trained on ImageNet."""

import tempfile
from pathlib import Path

from blobs.services import row_for, store
from jobs.context import ShardContext
from jobs.run_program import run_program
from mining_jobs.models import Backbone

BACKBONE = "efficientnet_lite0"
"""The architecture of the backbone."""


def backbone() -> Backbone | None:
    """Return the backbone; None if no job has made it yet."""
    return Backbone.objects.select_related("onnx").filter(name=BACKBONE).first()


def made_backbone(context: ShardContext) -> Backbone:
    """Return the backbone, which is exported now if no job has made it yet. If two jobs make it at once, the first
    one's stays: scores are stored by the digest of its file."""
    found = backbone()
    if found is not None:
        return found
    with tempfile.TemporaryDirectory(prefix="motherlode-backbone-") as name:
        out = Path(name) / "out"
        config = {"architecture": BACKBONE, "out": str(out)}
        run_program("export.backbone", config, folder=Path(name), context=context, tracked=False)
        with out.open("rb") as file:
            ref = store().put_file(file)
    return Backbone.objects.get_or_create(name=BACKBONE, defaults={"onnx": row_for(ref)})[0]
