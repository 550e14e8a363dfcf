"""What was published: the rows from which a repository is made anew, commit for commit, wherever it is wanted."""

from django.conf import settings
from django.db import models

from blobs.models import Blob


class Repository(models.Model):
    """The published history of one dataset or model. `key_number` counts the read keys it has had."""

    class Kind(models.TextChoices):
        DATASETS = "datasets"
        MODELS = "models"

    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=100)
    key_number = models.PositiveIntegerField(default=1)
    asked = models.DateTimeField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name"], name="repository_once")]

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}.git"


class Publication(models.Model):
    """One version as a commit. Nothing but these fields (and the platform's secret) decides the commit's id."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="publications")
    number = models.PositiveIntegerField()
    listing = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    size = models.PositiveBigIntegerField()
    nfiles = models.PositiveIntegerField()
    message = models.TextField()
    author = models.CharField(max_length=200)
    time = models.DateTimeField()
    meta = models.JSONField(default=dict)
    artifacts = models.JSONField(default=dict)
    address = models.CharField(max_length=300)
    store = models.JSONField(default=dict)
    key_number = models.PositiveIntegerField()
    commit = models.CharField(max_length=40, db_index=True)
    materialised = models.DateTimeField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "number"], name="publication_once")]

    def __str__(self) -> str:
        return f"v{self.number} of {self.repository_id}"


class Access(models.Model):
    """Somebody fetched a published directory. Append-only."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="accesses")
    listing = models.CharField(max_length=32)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    key_number = models.PositiveIntegerField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"access to {self.listing}"


class Upload(models.Model):
    """Bytes that `dvc push` sent and no version holds (yet). `kept`: a push that was committed needs them all the same,
    so that what was pushed can be pulled."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="uploads")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    listing = models.BooleanField(default=False)
    kept = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "blob", "listing"], name="upload_once")]

    def __str__(self) -> str:
        return f"upload {self.blob_id}"
