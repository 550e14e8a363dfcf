"""The backbone's file, which takes a job some seconds to make: made once for all tests of a process."""

from blobs.services import keep_bytes, store
from mining_jobs.models import Backbone
from mining_jobs.scores.backbone import BACKBONE

_made: list[bytes] = []


def put_backbone() -> None:
    """Store the file, if a job of an earlier test has made it."""
    if _made:
        Backbone.objects.create(name=BACKBONE, onnx=keep_bytes(_made[0], media_type="application/octet-stream"))


def remember_backbone() -> None:
    """Keep what a job has made."""
    if not _made:
        _made.append(store().get(Backbone.objects.get().onnx.ref))
