"""Embedding maps: the samples of a version as points in the plane."""

from django.conf import settings
from django.db import models

from catalog.models import Dataset, Version
from jobs.models import Job
from registry.models import ModelVersion


class EmbeddingMap(models.Model):
    """The samples of a version as points, with similar ones near each other, by the embeddings of a model, those of the
    backbone, or the gray sketches of the images."""

    class Method(models.TextChoices):
        PCA = "pca"
        NEIGHBOURS = "umap-like"

    class Features(models.TextChoices):
        BACKBONE = "backbone"
        PIXELS = "pixels"

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="maps")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    model_version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, null=True, related_name="+")
    method = models.CharField(max_length=10, choices=Method)
    features = models.CharField(
        max_length=8, choices=Features, default=Features.PIXELS, db_default=Features.PIXELS
    )  # of a map without a model; before there was a choice, pixels
    seed = models.PositiveIntegerField(default=0)
    facts = models.JSONField(default=dict)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="embedding_map")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"map {self.pk} of {self.dataset.name}"

    @property
    def by_pixels(self) -> bool:
        """Whether it is made of sketches; else of embeddings."""
        return self.model_version_id is None and self.features == self.Features.PIXELS


class MapPoints(models.Model):
    """The points of a finished map: columns in the form that is sent (see `maps.points`). In the database, so that
    erased samples leave them in the transaction that erases."""

    map = models.OneToOneField(EmbeddingMap, on_delete=models.CASCADE, related_name="points")
    count = models.PositiveIntegerField()
    digest = models.CharField(max_length=32)
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.count} points of map {self.map_id}"
