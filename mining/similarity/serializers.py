"""The shapes of embeddings and similar samples in the API."""

from rest_framework import serializers

from catalog.serializers.samples import SampleSerializer
from jobs.api import JobSerializer
from registry.models import VERSION_REFERENCE

MODEL_HELP = 'whose embeddings, like "signs@production"; without one those of EfficientNet-Lite0, trained on ImageNet'


WORDS_HELP = "compared with the names of ImageNet's 1,000 classes"


class NewEmbeddingsSerializer(serializers.Serializer[None]):
    model = serializers.CharField(
        validators=[VERSION_REFERENCE],
        default=None,
        allow_null=True,
        help_text=MODEL_HELP.replace("without one", "null:"),
    )


class WordsSerializer(serializers.Serializer[None]):
    ready = serializers.BooleanField(
        help_text="whether what reads them is made; the job that computes embeddings makes it"
    )
    by = serializers.CharField(help_text="to be shown")
    about = serializers.CharField(help_text="what they are compared with, and what that can't find")


class EmbeddingsSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    model = serializers.CharField(allow_null=True, help_text="null: the backbone")
    by = serializers.CharField(help_text="what embeds, to be shown")
    samples = serializers.IntegerField(help_text="of the version")
    embedded = serializers.IntegerField(help_text="have an embedding")
    unreadable = serializers.IntegerField(help_text="are images that the model can't read")
    missing = serializers.IntegerField(help_text="have none yet")
    words = WordsSerializer(allow_null=True, help_text="what words are compared with; null: a model reads none")
    job = JobSerializer(allow_null=True, help_text="what computes the missing ones now")


class SimilarToSerializer(serializers.Serializer[None]):
    file = serializers.FileField(allow_empty_file=True, help_text="an image of at most 32 MiB")


class SimilarSampleSerializer(SampleSerializer):
    similarity = serializers.FloatField(help_text="cosine of the embeddings, -1 to 1, to six digits")


class WordsReadSerializer(serializers.Serializer[None]):
    text = serializers.CharField()
    tokens = serializers.IntegerField(help_text="of the text, as the encoder takes it apart")
    read = serializers.IntegerField(help_text="so many of them fitted in; the others were cut off")
    about = serializers.CharField(help_text="what these words are compared with, and what that can't find")


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
    words = WordsReadSerializer(allow_null=True, help_text="what was read of `text`; null in a search by an image")
