"""The blobs that exist, where they are stored, and what they are."""

from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from blobs.refs import BlobRef
from core.bulk import build


class Blob(models.Model):
    """Bytes in the object store, written once, shared by all rows that refer to them.

    For images it stores the upright size in pixels and, if they show anything, the likeness (see `blobs.likeness`).
    """

    md5 = models.CharField(max_length=32, unique=True)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    key = models.CharField(max_length=120)
    offset = models.PositiveBigIntegerField(default=0)
    media_type = models.CharField(max_length=40, default="application/octet-stream")
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)
    phash = models.BigIntegerField(null=True)
    sketch = models.BinaryField(max_length=256, null=True)
    created = models.DateTimeField(auto_now_add=True)
    # When somebody last found it instead of sending its bytes: it is not collected for a while.
    seen = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["key"], name="blob_object")]

    def __str__(self) -> str:
        return self.md5

    @property
    def ref(self) -> BlobRef:
        """The ref of the blob's bytes."""
        return BlobRef(md5=self.md5, sha256=self.sha256, size=self.size, key=self.key, offset=self.offset)

    @classmethod
    def row(cls, ref: BlobRef, **facts: Any) -> "Blob":
        """Return an unsaved row for bytes that are in the store."""
        return build(cls, md5=ref.md5, sha256=ref.sha256, size=ref.size, key=ref.key, offset=ref.offset, **facts)


class StoredObjectQuerySet(models.QuerySet["StoredObject"]):
    def present(self) -> Self:
        """Objects that may be written to and relied on."""
        return self.filter(state=StoredObject.State.PRESENT)

    def closed(self) -> Self:
        """Objects that are being removed."""
        return self.filter(state=StoredObject.State.CLOSED)


class StoredObject(models.Model):
    """One object of the bucket, entered before it is written and kept for a while after it is gone."""

    class State(models.TextChoices):
        PRESENT = "present"
        CLOSED = "closed"  # not to be written or relied on any more; removed once nothing needs it
        GONE = "gone"  # removed; its key is not used again until the row is forgotten

    key = models.CharField(max_length=120, unique=True)
    size = models.PositiveBigIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.PRESENT)
    written = models.DateTimeField(default=timezone.now)
    closed = models.DateTimeField(null=True)
    # Its members are in another pack now; a reader with their old places may still come here.
    moved = models.BooleanField(default=False)
    # Parts to overwrite with zeros before anything else is done to it: [[offset, size], ..].
    blanks = models.JSONField(default=list)

    objects = StoredObjectQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["id"], condition=Q(state="closed"), name="object_closed")]

    def __str__(self) -> str:
        return self.key


class Remnant(models.Model):
    """Bytes of a blob that are still in a pack, though no blob's row points there: its row was deleted or moved
    elsewhere. They are removed with the pack; bytes that must be removed at once are found by this."""

    object = models.ForeignKey(StoredObject, on_delete=models.CASCADE, related_name="remnants")
    md5 = models.CharField(max_length=32, db_index=True)
    offset = models.PositiveBigIntegerField()
    size = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["object", "offset", "md5"], name="remnant_once")]

    def __str__(self) -> str:
        return self.md5


class Conversion(models.Model):
    """Records that the image `made` was made from the bytes of `original`: it need not be made, nor sent, again."""

    original = models.OneToOneField(Blob, on_delete=models.CASCADE, related_name="conversion")
    made = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.original_id} became {self.made_id}"


class PlainObject(models.Model):
    """A blob of a pack that is stored under its own key as well, for DVC clients that read the store themselves."""

    blob = models.OneToOneField(Blob, on_delete=models.CASCADE, related_name="plain")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"plain {self.blob_id}"
