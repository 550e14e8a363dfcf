"""The database rows of a lake: its parts and groups, the packs that hold its frames, scans, and the scores of scans."""

from django.conf import settings
from django.db import models

from blobs.models import Blob, StoredObject
from catalog.models import Dataset
from jobs.models import Job
from mining_jobs.models import MiningJob
from registry.models import ModelVersion


class LakePart(models.Model):
    """Frames that were added to a dataset's lake together, immutable. No other part of the dataset has keys between
    `first` and `last`, compared as UTF-8."""

    class Source(models.TextChoices):
        ARCHIVE = "archive"  # the platform packed the images and wrote the manifest
        MANIFEST = "manifest"  # a user sent the manifest

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="lake_parts")
    source = models.CharField(max_length=8, choices=Source)
    first = models.BinaryField()
    last = models.BinaryField()
    rows = models.PositiveBigIntegerField()
    bytes = models.PositiveBigIntegerField()  # total size of its frames
    columns = models.JSONField(default=dict)  # of metadata: name -> word for its type (`lake.groups.META_TYPES`)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="lake_part")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["dataset", "first"], name="lake_part_keys")]

    def __str__(self) -> str:
        return f"part {self.pk} of the lake of {self.dataset.name}"


class LakeGroup(models.Model):
    """At most `lake.GROUP_ROWS` frames of a part: a Parquet file that the platform wrote."""

    part = models.ForeignKey(LakePart, on_delete=models.CASCADE, related_name="groups")
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    first = models.BinaryField()
    last = models.BinaryField()
    rows = models.PositiveIntegerField()
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["dataset", "last"], name="lake_group_keys")]

    def __str__(self) -> str:
        return f"{self.rows} frames of part {self.part_id}"


class LakePack(models.Model):
    """Records that an object of the store holds frames of a part: it stays, unchanged, while the part does."""

    part = models.ForeignKey(LakePart, on_delete=models.CASCADE, related_name="packs")
    object = models.ForeignKey(StoredObject, on_delete=models.PROTECT, related_name="lake_packs")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["part", "object"], name="lake_pack_once")]

    def __str__(self) -> str:
        return f"pack {self.object_id} of part {self.part_id}"


class GroupScores(models.Model):
    """A model's scores of the frames of a group (`lakes.scores`), so that no scan scores them again. Not a `ScoreFile`:
    mining a pool reads all of those."""

    group = models.ForeignKey(LakeGroup, on_delete=models.CASCADE, related_name="scores")
    model_digest = models.CharField(max_length=64)
    scorer = models.CharField(max_length=60)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group", "model_digest", "scorer"], name="group_scores_once")]

    def __str__(self) -> str:
        return f"scores of group {self.group_id} by {self.model_digest[:8]}"


class LakeScan(models.Model):
    """A job that scores the frames of a lake and brings the most informative ones into the dataset's pool, in one
    commit.

    The picks with their reasons are a mining job of the version that this commit made; None where nothing was picked.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="lake_scans")
    model_version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="+")
    strategy = models.CharField(max_length=60)
    params = models.JSONField(default=dict)
    count = models.PositiveIntegerField()
    control = models.FloatField(default=0.1)
    seed = models.PositiveIntegerField(default=0)
    prefix = models.CharField(max_length=500, blank=True)
    where = models.JSONField(default=list)  # conditions, as `lake.conditions` reads them
    queue = models.CharField(max_length=100, blank=True)  # name of the queue that the picks go to
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="lake_scan")
    mining = models.OneToOneField(MiningJob, on_delete=models.SET_NULL, null=True, related_name="lake_scan")
    stats = models.JSONField(default=dict)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"scan {self.pk} of the lake of {self.dataset.name}"


class ScanKept(models.Model):
    """What a scan has kept of a group (`lake.picking.Kept`) until the final choice."""

    scan = models.ForeignKey(LakeScan, on_delete=models.CASCADE, related_name="kept")
    group = models.ForeignKey(LakeGroup, on_delete=models.CASCADE, related_name="+")
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scan", "group"], name="scan_kept_once")]

    def __str__(self) -> str:
        return f"kept of group {self.group_id}"
