"""Everything that can refer to a blob is found: foreign keys by themselves, JSON because it is listed here."""

import re

import pytest
from django.apps import apps
from django.db.models import JSONField
from tests.collecting import collected

from blobs.models import Blob, StoredObject
from blobs.references import referring, register, registered
from blobs.services import keep_bytes
from blobs.store import BlobStore
from jobs.models import Job
from jobs.services import ShardSpec, create_job

pytestmark = pytest.mark.both

NONE = "holds no digest of a blob"
IN_KEYS = "tables of links"  # named by Blob.key
SHOWN = "names a blob for people to look at; it need not be kept for that"
# Every JSON field of every model: which registered reference keeps the blobs it names, or why there is none to keep.
# A new field belongs in here; one that names blobs that must stay is registered with `blobs.references`.
JSON_FIELDS: dict[str, str | tuple[str, ...]] = {
    "accounts.AuditEvent.after": NONE,
    "accounts.AuditEvent.before": NONE,
    "accounts.Preferences.document": NONE,
    "accounts.WrongSecrets.tags": NONE,
    "blobs.StoredObject.blanks": NONE,
    "catalog.Dataset.classes": NONE,
    "catalog.Dataset.ancestry": NONE,
    "catalog.Dataset.split_rule": NONE,
    "catalog.Erasure.report": NONE,
    "catalog.Export.filter": NONE,
    "catalog.LabelObject.attributes": NONE,
    "catalog.Slice.filter": NONE,
    "catalog.Label.facts": NONE,
    "catalog.Label.value": NONE,
    "catalog.SchemaVersion.classes": NONE,
    "catalog.Revision.meta": NONE,
    "catalog.Version.counts": NONE,
    "catalog.Version.labelling": NONE,
    "core.IdempotencyRecord.needs": NONE,
    "jobs.Beat.has": NONE,
    "jobs.Beat.machine": NONE,
    "jobs.Beat.processes": NONE,
    "jobs.Beat.queues": NONE,
    "jobs.Job.params": ("uploaded encoders of open jobs", "uploaded models of open jobs"),
    "jobs.Job.result": SHOWN,
    "jobs.Job.error": NONE,
    "jobs.JobEvent.data": NONE,
    "jobs.Shard.gpus": NONE,
    "jobs.Shard.params": ("files that open jobs read", "encoders of unfinished trainings"),
    "jobs.Shard.result": ("files of unfinished training jobs", "checkpoints of trials"),
    "labeling.Answer.value": NONE,
    "labeling.Answer.verification": NONE,
    "labeling.Gold.value": NONE,
    "labeling.Queue.skip_reasons": NONE,
    "labeling.Queue.assignees": NONE,
    "labeling.Review.decision": NONE,
    "labeling.Review.history": NONE,
    "labeling.Task.suggestion": NONE,
    "labeling.Task.why": SHOWN,
    "lifecycle.LifecycleEvent.detail": NONE,
    "publishing.Publication.artifacts": NONE,
    "publishing.Publication.meta": NONE,
    "publishing.Publication.store": NONE,
    "publishing.Publication.texts": NONE,
    "registry.Model.classes": NONE,
    "registry.Model.gates": NONE,
    "registry.ModelVersion.lock": NONE,
    "registry.ModelVersion.metrics": NONE,
    "registry.ModelVersion.report": NONE,
    "registry.Promotion.gates": NONE,
    "registry.Run.config": NONE,
    "registry.Run.inputs": NONE,
    "registry.Run.inputs_changed": NONE,
    "registry.Snapshot.metrics": NONE,
    "backtests.Backtest.learner": NONE,
    "backtests.Backtest.report": NONE,
    "backtests.Backtest.strategies": NONE,
    "lakes.LakePart.columns": NONE,
    "lakes.LakeScan.params": NONE,
    "lakes.LakeScan.stats": SHOWN,
    "lakes.LakeScan.where": NONE,
    "maps.EmbeddingMap.facts": NONE,
    "mining_jobs.MiningJob.committee": NONE,
    "mining_jobs.MiningJob.compose": NONE,
    "mining_jobs.MiningJob.filter": NONE,
    "mining_jobs.MiningJob.like": NONE,
    "mining_jobs.MiningJob.params": NONE,
    "mining_jobs.MiningJob.slices": NONE,
    "mining_jobs.MiningJob.stats": SHOWN,
    "mining_jobs.MiningJob.unlike": NONE,
    "mining_jobs.Pick.explanation": NONE,
    "mining_jobs.Pick.neighbours": SHOWN,
    "mining_jobs.Pick.prediction": NONE,
    "mining_jobs.Pick.terms": NONE,
    "similarity.Encoder.parameters": NONE,
    "similarity.Encoder.uploaded": SHOWN,
    "sweeps.Sweep.config": NONE,
    "sweeps.Sweep.importance": NONE,
    "sweeps.Sweep.space": NONE,
    "sweeps.Trial.curve": NONE,
    "sweeps.Trial.memory": NONE,
    "sweeps.Trial.params": NONE,
    "pipelines.DatasetBudget.limits": NONE,
    "pipelines.Pipeline.budget": NONE,
    "pipelines.Pipeline.committee": NONE,
    "pipelines.Pipeline.compose": NONE,
    "pipelines.Pipeline.config": NONE,
    "pipelines.Pipeline.filter": NONE,
    "pipelines.Pipeline.gates": NONE,
    "pipelines.Pipeline.last_trigger": NONE,
    "pipelines.Pipeline.needs": NONE,
    "pipelines.Pipeline.params": NONE,
    "pipelines.Pipeline.stop": NONE,
    "pipelines.Pipeline.stopped": NONE,
    "pipelines.Pipeline.trigger": NONE,
    "pipelines.Round.choice": NONE,
    "pipelines.Round.promotion": NONE,
    "pipelines.Round.stopped": NONE,
    "pipelines.Round.timings": NONE,
    "pipelines.Round.trigger": NONE,
    "pipelines.Round.waiting": NONE,
}
# Columns that hold a digest and are no foreign key: of what is not a blob, or of one that something else keeps.
DIGESTS = {
    "accounts.Token.digest": "of a secret",
    "blobs.Blob.md5": "the blob itself",
    "blobs.Blob.sha256": "the blob itself",
    "blobs.Remnant.md5": "bytes that no longer matter",
    "catalog.ArchiveUpload.fingerprint": "of the listing that says what an upload is",
    "catalog.Erasure.key_digest": "of a key, salted",
    "core.IdempotencyRecord.fingerprint": "of a request",
    "publishing.Document.md5": "of the document put together; what it is made of is referred to",
    "publishing.Publication.listing_md5": "of the listing put together; what it is made of is referred to",
    "registry.ModelVersion.digest": "of model.onnx, which is an artifact of this version",
    "maps.MapPoints.digest": "of the points beside it, which the row itself holds",
    "pipelines.Pipeline.webhook_digest": "of a secret",
    "mining_jobs.ScoreFile.model_digest": "of an ONNX file; scores of a model that is gone are of no use",
    "lakes.GroupScores.model_digest": "likewise",
}
OURS = [model for model in apps.get_models() if model.__module__.split(".")[0] not in {"django", "django_celery_beat"}]
DIGEST_NAME = re.compile(r"md5|sha1|sha256|digest|fingerprint|checksum|blob")


def test_every_json_field_is_accounted_for():
    fields = {f"{model._meta.label}.{field.name}" for model in OURS for field in model._meta.get_fields()
              if isinstance(field, JSONField)}  # fmt: skip
    assert fields == set(JSON_FIELDS), "list new fields above; register what names blobs that must stay"
    named = {name for names in JSON_FIELDS.values() for name in ([names] if isinstance(names, str) else names)}
    assert named - {NONE, SHOWN} | {IN_KEYS} == set(registered())


def test_every_column_with_a_digest_is_a_foreign_key_or_accounted_for():
    columns = {f"{model._meta.label}.{field.name}" for model in OURS for field in model._meta.concrete_fields
               if DIGEST_NAME.search(field.name) and not field.is_relation}  # fmt: skip
    assert columns == set(DIGESTS)


def test_every_foreign_key_to_a_blob_is_found():
    found = {field.model._meta.label for field in referring(Blob)}
    assert found >= {"catalog.Revision", "registry.Artifact", "mining_jobs.ScoreFile", "lakes.LakeGroup"}
    assert {field.model._meta.label for field in referring(StoredObject)} == {"blobs.Remnant", "lakes.LakePack"}


def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="already"):
        register("files that open jobs read", list)


@pytest.mark.parametrize("state", Job.State.values)
def test_the_archive_of_an_ingest_job_is_kept_while_the_job_is_open(bucket: BlobStore, db: None, state: str) -> None:
    archive = keep_bytes(b"an archive", media_type="application/octet-stream")
    notes = keep_bytes(b"annotations", media_type="application/octet-stream")
    params = {"archive": archive.md5, "annotations": {"path": "labels.json", "md5": notes.md5}}
    job = create_job("ingest", "reads an archive", shards=[ShardSpec(params)])
    Job.objects.filter(pk=job.pk).update(state=state)
    assert collected()["objects"] == (0 if state in Job.OPEN else 2)


@pytest.mark.parametrize("state", Job.State.values)
def test_the_checkpoint_of_a_training_is_kept_until_its_proof_which_may_be_resumed(
    bucket: BlobStore, db: None, state: str
) -> None:
    kept = keep_bytes(b"weights", media_type="application/octet-stream").ref
    job = create_job("train", "trains", shards=[ShardSpec(), ShardSpec(phase=1)])
    files = {"files": {"checkpoint.safetensors": {"md5": kept.md5, "key": kept.key}}}
    job.shards.filter(phase=0).update(state="done", result=files)
    Job.objects.filter(pk=job.pk).update(state=state)
    assert collected()["objects"] == (1 if state == Job.State.SUCCEEDED else 0)
