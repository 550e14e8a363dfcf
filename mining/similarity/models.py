"""What embeds images where nobody names a model of theirs, what reads words beside them, and pairs of encoders that
people bring."""

from django.conf import settings
from django.db import models

from accounts.models import Project
from blobs.models import Blob
from catalog.models import OWN_NAME


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


class Encoder(models.Model):
    """A pair of networks that somebody brought, which describe images and texts by vectors of one space (CLIP and its
    kind), as the files that the platform runs (`export.words.encoders`). Embeddings of images lie in score files, like
    any model's, by the digest of the image encoder."""

    name = models.CharField(max_length=100, unique=True, validators=[OWN_NAME])
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="encoders")
    image = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    text = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")  # with its tokenizer
    width = models.PositiveIntegerField()  # numbers of an embedding
    parameters = models.JSONField(default=dict)
    """How images and texts are read: `input_size`, `text_length` and `fill` as found, else as told (`EncoderSpec`)."""
    uploaded = models.JSONField(default=dict)  # sha256 and size of each file as it came
    notes = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def digest(self) -> str:
        """What names its scores: the SHA-256 of the image encoder."""
        return self.image.sha256

    @property
    def onnx(self) -> Blob:
        """The file that embeds images."""
        return self.image
