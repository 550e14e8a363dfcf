"""What embeds images where nobody names a model of theirs, and what reads words beside them."""

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


class Lexicon(models.Model):
    """What leads from words to the features of a backbone, made once by a worker (`export.words.lexicon`)."""

    backbone = models.CharField(max_length=60, unique=True)  # the name of the one whose features it reads
    text = models.ForeignKey(
        Blob, on_delete=models.PROTECT, related_name="+"
    )  # the encoder of texts, with its tokenizer
    posterior = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")  # features to vectors of words
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.backbone
