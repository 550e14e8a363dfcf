"""Checkpoints of a running training: stored as they are written, resumed from after a kill."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from blobs.errors import BlobCorrupt, BlobFault, BlobMissing
from blobs.refs import BlobRef
from blobs.services import row_for
from jobs.context import ShardContext
from jobs.services import while_held
from registry.files import as_document, fetch_files, keep_file
from registry.models import Run, Snapshot


def keep_snapshot(run: Run, event: Mapping[str, Any], *, context: ShardContext, best: int) -> None:
    """Store the file of a checkpoint event and record it; keep the newest recovery, or the `best` best ones.

    Only while we hold the shard. If a newer file has replaced this one, or the store does not answer, a snapshot is
    lost, not the training.
    """
    try:
        ref = BlobRef(**keep_file(Path(event["path"])))
    except FileNotFoundError:
        return
    except BlobFault as fault:
        context.log(f"The {event['kind']} checkpoint of step {event['step']} was not kept: {fault}", level="warning")
        return
    kind, step = Snapshot.Kind(event["kind"]), int(event["step"])

    def note() -> None:
        facts = {"metrics": event["values"], "blob": row_for(ref)}
        Snapshot.objects.update_or_create(run=run, kind=kind, step=step, defaults=facts)
        rows = list(run.snapshots.filter(kind=kind))
        wanted = [step] if kind == Snapshot.Kind.RECOVERY else _best(run, rows)[:best]
        run.snapshots.filter(kind=kind).exclude(step__in=wanted).delete()

    while_held(context.claim, note)


def fetch_recovery(run: Run, folder: Path, *, context: ShardContext) -> Path | None:
    """Fetch the newest recovery file of the run; None when there is none, or its bytes are damaged or gone."""
    row = run.snapshots.filter(kind=Snapshot.Kind.RECOVERY).order_by("created").select_related("blob").last()
    if row is None:
        return None
    name = f"step-{row.step:08d}.safetensors"
    try:
        fetch_files({name: as_document(row.blob.ref)}, folder)
    except (BlobCorrupt, BlobMissing) as fault:
        context.log(f"The recovery file of step {row.step} cannot be used: {fault}", level="warning")
        return None
    return folder / name


def forget_recovery(run: Run) -> None:
    """Delete the recovery files of a finished training. Until then a failed or cancelled run can be resumed."""
    run.snapshots.filter(kind=Snapshot.Kind.RECOVERY).delete()


def _best(run: Run, rows: Iterable[Snapshot]) -> list[int]:
    """The steps of the snapshots, the best first, ranked as in training."""
    value = f"validation_{run.model.task_type.metrics.headline}"
    ranks = [(-row.metrics.get(value, 0.0), row.metrics.get("validation_loss", 0.0), row.step) for row in rows]
    return [step for _, _, step in sorted(ranks)]
