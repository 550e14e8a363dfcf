"""Which bytes exist, where they lie, and what they are."""

from typing import Any

from django.db import models

from blobs.refs import BlobRef


class Blob(models.Model):
    """Bytes in the object store, written once, shared by all that refer to them."""

    md5 = models.CharField(max_length=32, unique=True)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    key = models.CharField(max_length=120)
    offset = models.PositiveBigIntegerField(default=0)
    media_type = models.CharField(max_length=40, default="application/octet-stream")
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.md5

    @property
    def ref(self) -> BlobRef:
        """Where the bytes lie."""
        return BlobRef(md5=self.md5, sha256=self.sha256, size=self.size, key=self.key, offset=self.offset)

    @classmethod
    def row(cls, ref: BlobRef, **facts: Any) -> "Blob":
        """An unsaved row for bytes that lie in the store."""
        return cls(md5=ref.md5, sha256=ref.sha256, size=ref.size, key=ref.key, offset=ref.offset, **facts)
