"""The lexicon, which reads words for the backbone, and pairs of encoders that users add."""

from django.conf import settings
from django.db import models

from accounts.models import Project
from blobs.models import Blob
from catalog.models import OWN_NAME

UNCHECKED = "it was added before models could be trained on encoders: remove it and add it again"


class Lexicon(models.Model):
    """Files that map words and a backbone's features to comparable vectors, made once by a worker
    (`export.words.lexicon`)."""

    backbone = models.CharField(max_length=60, unique=True)  # the name of the backbone whose features it reads
    text = models.ForeignKey(
        Blob, on_delete=models.PROTECT, related_name="+"
    )  # the encoder of texts, with its tokenizer
    posterior = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")  # maps features to vectors of words
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.backbone


class Encoder(models.Model):
    """A pair of networks that a user added, which embed images and texts in one space (CLIP and its kind), as the files
    that the platform runs (`export.words.encoders`). Embeddings of images are in score files, like any model's, by the
    digest of the image encoder."""

    name = models.CharField(max_length=100, unique=True, validators=[OWN_NAME])
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="encoders")
    image = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    text = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")  # with its tokenizer
    width = models.PositiveIntegerField()  # numbers of an embedding
    parameters = models.JSONField(default=dict)
    """How images and texts are read: `input_size`, `text_length` and `fill` as the check found them, the rest as
    uploaded (`EncoderSpec`)."""
    uploaded = models.JSONField(default=dict)  # sha256 and size of each file as it came
    trunk_fault = models.TextField(default=UNCHECKED, db_default=UNCHECKED)
    """Why no model can be trained on the image encoder (`export.trunk`); empty: one can."""
    notes = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def digest(self) -> str:
        """The SHA-256 of the image encoder, which names its scores."""
        return self.image.sha256

    @property
    def onnx(self) -> Blob:
        """The file that embeds images."""
        return self.image
