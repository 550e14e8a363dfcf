"""Published versions: the rows from which any machine can rebuild a repository, commit for commit."""

from django.conf import settings
from django.db import models

from blobs.models import Blob


class Repository(models.Model):
    """The published history of one dataset or model. `key_number` is the number of its present read key, counted from
    1."""

    class Kind(models.TextChoices):
        DATASETS = "datasets"
        MODELS = "models"

    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=130)
    first_name = models.CharField(max_length=100, blank=True)  # if renamed: read keys are derived from it
    key_number = models.PositiveIntegerField(default=1)
    asked = models.DateTimeField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "name"], name="repository_once")]

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}.git"


class Publication(models.Model):
    """One version as a commit. Only these fields (and the platform's secret) determine the commit's id.

    `listing` is the stored listing; with a `listing_patch`, it is what the patch changes (`publishing.texts`).

    `texts` are the entries of the version's documents in the commit's root, `{name: [mode, git id]}`; `pack` is a git
    pack of the objects that they need and no earlier version has. Versions published before documents existed have
    neither, so their commits stay unchanged.
    """

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="publications")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=100, blank=True)  # the repository's name when published; empty: its present name
    listing = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    listing_patch = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    listing_md5 = models.CharField(max_length=32, blank=True, db_default="", db_index=True)  # empty: of `listing`
    listing_length = models.PositiveBigIntegerField(null=True)  # bytes; None: those of `listing`
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
    texts = models.JSONField(default=dict)
    pack = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    commit = models.CharField(max_length=40, db_index=True)
    materialised = models.DateTimeField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "number"], name="publication_once")]

    def __str__(self) -> str:
        return f"v{self.number} of {self.repository_id}"


class Document(models.Model):
    """A file of a published directory that is not a sample but describes samples, such as `labels.jsonl`. With a
    `patch`, `blob` is what the patch changes (`publishing.texts`)."""

    publication = models.ForeignKey(Publication, on_delete=models.CASCADE, related_name="documents")
    path = models.CharField(max_length=100)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    patch = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    md5 = models.CharField(max_length=32, blank=True, db_default="", db_index=True)  # empty: of `blob`
    length = models.PositiveBigIntegerField(null=True)  # bytes; None: those of `blob`

    class Meta:
        constraints = [models.UniqueConstraint(fields=["publication", "path"], name="document_once")]

    def __str__(self) -> str:
        return f"{self.path} of {self.publication_id}"


class Access(models.Model):
    """A record that somebody fetched a published directory. Append-only."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="accesses")
    listing = models.CharField(max_length=32)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    key_number = models.PositiveIntegerField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"access to {self.listing}"


class KeyHolder(models.Model):
    """A user who fetched the repository while it had this read key, and so knows the key."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="key_holders")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key_number = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "repository", "key_number"], name="key_holder_once")]

    def __str__(self) -> str:
        return f"read key {self.key_number} of {self.repository_id}"


class Upload(models.Model):
    """Bytes that `dvc push` sent and that are in no version (yet). `kept`: a committed push needs them anyway, so that
    it can be pulled again."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="uploads")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    listing = models.BooleanField(default=False)
    kept = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["repository", "blob", "listing"], name="upload_once")]

    def __str__(self) -> str:
        return f"upload {self.blob_id}"
