"""The shapes of embeddings and similar samples in the API."""

from rest_framework import serializers

from catalog.serializers.samples import SampleSerializer
from jobs.api import JobSerializer
from registry.models import VERSION_REFERENCE

MODEL_HELP = 'whose embeddings, like "signs@production"; without one those of EfficientNet-Lite0, trained on ImageNet'


class NewEmbeddingsSerializer(serializers.Serializer[None]):
    model = serializers.CharField(
        validators=[VERSION_REFERENCE],
        default=None,
        allow_null=True,
        help_text=MODEL_HELP.replace("without one", "null:"),
    )


class EmbeddingsSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    model = serializers.CharField(allow_null=True, help_text="null: the backbone")
    by = serializers.CharField(help_text="what embeds, to be shown")
    samples = serializers.IntegerField(help_text="of the version")
    embedded = serializers.IntegerField(help_text="have an embedding")
    unreadable = serializers.IntegerField(help_text="are images that the model can't read")
    missing = serializers.IntegerField(help_text="have none yet")
    job = JobSerializer(allow_null=True, help_text="what computes the missing ones now")


class SimilarToSerializer(serializers.Serializer[None]):
    file = serializers.FileField(allow_empty_file=True, help_text="an image of at most 32 MiB")


class SimilarSampleSerializer(SampleSerializer):
    similarity = serializers.FloatField(help_text="cosine of the embeddings, -1 to 1, to six digits")


class SimilarListSerializer(serializers.Serializer[None]):
    results = SimilarSampleSerializer(many=True)
    total = serializers.IntegerField(help_text="how many can be listed: of all that were compared the first 10,000")
    offset = serializers.IntegerField()
    compared = serializers.IntegerField(help_text="samples that pass the filters and have an embedding")
    missing = serializers.IntegerField(help_text="samples of the version that have no embedding yet")
    unreadable = serializers.IntegerField(help_text="samples of the version that can't have one")
    version = serializers.IntegerField()
    model = serializers.CharField(allow_null=True, help_text="null: the backbone")
    by = serializers.CharField(help_text="whose embeddings, to be shown")
