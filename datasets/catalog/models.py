"""What we know: datasets, immutable versions, samples and their labels.

A version is not a list. Each sample's state is a Revision that holds from version `since` up to, not including,
`until`; a commit writes only the revisions it changes, and any version is read by one range condition.
"""

from typing import Any, Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from blobs.models import Blob

NAME_PATTERN = r"^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$"
NAME = RegexValidator(
    NAME_PATTERN, "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit"
)


class Task(models.TextChoices):
    CLASSIFICATION = "classification"
    DETECTION = "detection"


class Split(models.TextChoices):
    POOL = "pool"
    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class Dataset(models.Model):
    """A growing pile of samples with a fixed list of classes."""

    name = models.CharField(max_length=100, unique=True, validators=[NAME])
    task = models.CharField(max_length=20, choices=Task)
    classes = models.JSONField()
    description = models.TextField(blank=True)
    head = models.ForeignKey("Version", on_delete=models.PROTECT, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


def no_counts() -> dict[str, Any]:
    """The counts of an empty version."""
    return {"samples": 0, "labelled": 0, "by_split": {}, "by_class": {}}


class Version(models.Model):
    """An immutable commit on a parent. `counts` are those of the whole version, kept by adding up changes."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    message = models.CharField(max_length=500, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)
    added = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    labelled = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=no_counts)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="version_number_once")]

    def __str__(self) -> str:
        return f"{self.dataset.name} v{self.number}"

    @property
    def revisions(self) -> "RevisionQuerySet":
        """The samples of this version, as they are in it."""
        return Revision.objects.at(self)


class Sample(models.Model):
    """The stable identity of one frame in a dataset."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="samples")
    key = models.CharField(max_length=500)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "key"], name="sample_key_once")]

    def __str__(self) -> str:
        return self.key


class Label(models.Model):
    """What somebody said about a sample. Append-only."""

    class Source(models.TextChoices):
        HUMAN = "human"
        MODEL = "model"
        IMPORT = "import"

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="labels")
    value = models.JSONField()
    source = models.CharField(max_length=10, choices=Source)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)
    seconds = models.FloatField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"label of sample {self.sample_id}"


class RevisionQuerySet(models.QuerySet["Revision"]):
    def at(self, version: Version) -> Self:
        """The revisions that make up a version."""
        held = Q(until=None) | Q(until__gt=version.number)
        return self.filter(held, dataset_id=version.dataset_id, since__lte=version.number)

    def current(self, dataset_id: int) -> Self:
        """The revisions that make up the head."""
        return self.filter(dataset_id=dataset_id, until=None)


class Revision(models.Model):
    """The state of a sample from version number `since` up to, not including, `until` (None: still so)."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="revisions")
    since = models.PositiveIntegerField()
    until = models.PositiveIntegerField(null=True)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    split = models.CharField(max_length=5, choices=Split)
    label = models.ForeignKey(Label, on_delete=models.PROTECT, null=True, related_name="+")
    class_name = models.CharField(max_length=200, blank=True)
    meta = models.JSONField(default=dict)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "since"], name="revision_once")]
        indexes = [
            models.Index(fields=["dataset", "sample"], condition=Q(until=None), name="revision_head"),
            models.Index(fields=["dataset", "split", "sample"], name="revision_split"),
            models.Index(fields=["dataset", "class_name", "sample"], name="revision_class"),
        ]

    def __str__(self) -> str:
        return f"sample {self.sample_id} since v{self.since}"
