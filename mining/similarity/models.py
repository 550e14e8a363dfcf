"""What embeds images where nobody names a model of theirs."""

from django.db import models

from blobs.models import Blob


class Backbone(models.Model):
    """A pretrained trunk as an ONNX file, made once by a worker. Its embeddings lie in score files, like any model's,
    by the digest of the file."""

    name = models.CharField(max_length=60, unique=True)  # of its architecture
    onnx = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def digest(self) -> str:
        """What names its scores: the SHA-256 of the file."""
        return self.onnx.sha256
