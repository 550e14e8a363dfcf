"""One thing of every kind in one project, as rows: what others must not see."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from accounts.models import Project, User
from backtests.models import Backtest
from blobs.services import keep_bytes
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.curation.slices import create_slice
from catalog.models import ArchiveUpload, Dataset, Export, VersionName
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from jobs.models import Job
from jobs.services import ShardSpec, create_job
from labeling.models import Comment, Queue, Review, Task
from labeling.services import QueueItem, create_queue
from lakes.models import LakePart, LakeScan
from maps.models import EmbeddingMap
from mining_jobs.models import MiningJob, Pick
from pipelines.models import Pipeline, Round
from registry.models import Artifact, Model, ModelVersion, Run, Snapshot
from registry.services import create_model
from similarity.models import Encoder
from sweeps.models import Sweep, Trial

CLASSES = ["cat", "dog"]


@dataclass(frozen=True, slots=True)
class World:
    """What there is. `secret` is in the dataset's name, and in nothing that others are told."""

    project: Project
    dataset: Dataset
    model: Model
    queue: Queue
    pipeline: Pipeline
    backtest: Backtest
    ids: dict[str, int | str]
    """By the beginning of an address: what its first parameter is."""


def world(project: Project, author: User, secret: str, *, png: bytes) -> World:
    """Make it."""
    told: dict[str, Any] = {"classes": CLASSES, "task": "classification", "description": "", "author": author}
    dataset = create_dataset(f"{secret}-pets", project=project, **told)
    blob = keep_bytes(png, media_type="image/png")
    changes = ChangeSet([SampleChange(f"{secret}.png", blob=blob, split="pool")])
    version = commit(dataset, changes, author=author).version
    assert version is not None
    dataset.refresh_from_db()
    VersionName.objects.create(dataset=dataset, version=version, name="gold", kind=VersionName.Kind.TAG, by=author)
    create_slice(dataset, "gold", {"split": ["pool"]}, author=author)
    model = create_model(f"{secret}-cnn", project=project, **told)

    def job(kind: str) -> Job:
        return create_job(kind, f"{kind} {secret}", shards=[ShardSpec()], created_by=author, project=project.pk)

    run = Run.objects.create(
        model=model, dataset=dataset, version=version, architecture="small_cnn", job=job("train"), created_by=author
    )
    Snapshot.objects.create(run=run, kind=Snapshot.Kind.BEST, step=1, blob=blob)
    made = ModelVersion.objects.create(
        model=model, number=1, run=run, architecture="small_cnn", digest="0" * 64, created_by=author
    )
    Artifact.objects.create(version=made, path="model.onnx", blob=blob)
    (sample,) = dataset.samples.all()
    queue = create_queue(dataset, f"{secret}-queue", items=[QueueItem(sample.pk)], created_by=author)
    task = Task.objects.get(queue=queue)
    review = Review.objects.create(queue=queue, task=task, reason=Review.Reason.FLAG)
    comment = Comment.objects.create(task=task, author=author, text=f"Look at this {secret}.")
    at = {"dataset": dataset, "version": version, "created_by": author}
    mining = MiningJob.objects.create(model_version=made, strategy="margin", count=1, job=job("mine"), **at)
    Pick.objects.create(mining_job=mining, rank=1, sample=sample, reason=secret)
    pipeline = Pipeline.objects.create(
        name=f"{secret}-loop", dataset=dataset, model=model, architecture="small_cnn", strategy="margin", count=1,
        created_by=author,
    )  # fmt: skip
    Round.objects.create(
        pipeline=pipeline, number=1, trigger={"what": "manual", "detail": secret, "at": timezone.now().isoformat()}
    )
    learner = {"kind": "probe", "model": f"{model.name}@1"}
    size = {"seeds": 2, "rounds": 1, "count": 1, "start": 1, "control": 0.0}
    arms = [{"name": "random", "params": {}}]
    backtest = Backtest.objects.create(
        name=f"{secret}-test", learner=learner, strategies=arms, job=job("backtest"), **size, **at
    )
    searched = {"architecture": "small_cnn", "space": {"seed": {"choices": [1]}}, "metric": "accuracy"}
    how = {"direction": "maximize", "trials_wanted": 1, "parallel": 1, "sampler": "grid", "pruner": "none"}
    sweep = Sweep.objects.create(
        name=f"{secret}-sweep", model=model, state="succeeded", startup=0, warmup=0, **searched, **how, **at
    )
    Trial.objects.create(sweep=sweep, number=0, run=run, params={"seed": 1}, state="complete", reason=secret)
    map_ = EmbeddingMap.objects.create(method="pca", job=job("map"), **at)
    key = f"{secret}.png".encode()
    part = LakePart.objects.create(
        dataset=dataset, source="archive", first=key, last=key, rows=1, bytes=1, job=job("lake_fill"), created_by=author
    )
    scan = LakeScan.objects.create(
        dataset=dataset, model_version=made, strategy="margin", count=1, prefix=secret, job=job("lake_scan"),
        created_by=author,
    )  # fmt: skip
    export = Export.objects.create(format="coco", job=job("export"), blob=blob, **at)
    ArchiveUpload.objects.create(id="a" * 32, dataset=dataset, author=author, name=secret, size=1, fingerprint="f")
    encoder = Encoder.objects.create(
        name=f"{secret}-clip", project=project, image=blob, text=blob, width=1, created_by=author
    )
    ids: dict[str, int | str] = {
        "/datasets": dataset.name,
        "/models": model.name,
        "/encoders": encoder.name,
        "/labeling/queues": queue.name,
        "/pipelines": pipeline.name,
        "/backtests": backtest.name or "",
        "/sweeps": sweep.name or "",
        "/labeling/comments": comment.pk,
        "/labeling/reviews": review.pk,
        "/labeling/tasks": task.pk,
        "/jobs": run.job_id,
        "/runs": run.pk,
        "/mining/jobs": mining.pk,
        "/projects": project.name,
        "/blobs": blob.md5,
        "/thumbs": blob.md5,
        "exports": export.pk,
        "maps": map_.pk,
        "parts": part.pk,
        "scans": scan.pk,
        "key": f"{secret}.png",
    }
    return World(project, dataset, model, queue, pipeline, backtest, ids)
