"""Serializers of embedding maps."""

from rest_framework import serializers

from core.forms import ReferenceField
from jobs.api import JobSerializer
from maps.leak_checks import THRESHOLD
from maps.models import EmbeddingMap
from registry.models import VERSION_REFERENCE


class NewMapSerializer(serializers.Serializer[None]):
    version = ReferenceField(default="head")
    model = serializers.CharField(
        validators=[VERSION_REFERENCE],
        default=None,
        allow_null=True,
        help_text='model version whose embeddings to lay out, like "signs@production"; null: `features`',
    )
    features = serializers.ChoiceField(
        choices=EmbeddingMap.Features.choices,
        default=None,
        allow_null=True,
        help_text="without a model: the embeddings of efficientnet_lite0 trained on ImageNet (`backbone`, the default) "
        "or 16 x 16 gray pixels of each image (`pixels`), for a first look within seconds",
    )
    method = serializers.ChoiceField(choices=EmbeddingMap.Method.choices, default=EmbeddingMap.Method.NEIGHBOURS)
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)


class MapFactsSerializer(serializers.Serializer[None]):
    components = serializers.IntegerField(help_text="principal components in which neighbours were searched")
    variance = serializers.FloatField(help_text="share of all variance that these components explain, 0 to 1")
    landmarks = serializers.IntegerField(allow_null=True, help_text="samples laid out by t-SNE; null for pca")
    compared = serializers.IntegerField(
        allow_null=True, help_text="samples that each sample was compared with for its uniqueness; null: not measured"
    )
    width = serializers.IntegerField(help_text="numbers in an embedding")
    left_out = serializers.IntegerField(help_text="samples left out because they can't be read or show nothing")
    seconds = serializers.FloatField(help_text="seconds that the layout took")


class FeaturesSerializer(serializers.Serializer[None]):
    by = serializers.CharField(help_text="model, network or pixels that samples were compared by, for display")
    about = serializers.CharField(help_text="what these features see, and why they were used")


class MapSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    model = serializers.CharField(allow_null=True)
    features = FeaturesSerializer()
    method = serializers.ChoiceField(choices=EmbeddingMap.Method.choices)
    seed = serializers.IntegerField()
    count = serializers.IntegerField(allow_null=True, help_text="number of points; null until the map is made")
    points = serializers.CharField(
        allow_null=True, help_text="address of the points, which changes when they do; null until the map is made"
    )
    facts = MapFactsSerializer(allow_null=True)
    created = serializers.DateTimeField()
    job = JobSerializer()


class MapListSerializer(serializers.Serializer[None]):
    results = MapSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class LeakCheckSerializer(serializers.Serializer[None]):
    model = serializers.CharField(
        validators=[VERSION_REFERENCE], help_text='model version whose embeddings are compared, like "signs@production"'
    )
    version = ReferenceField(default="head")
    threshold = serializers.FloatField(
        default=THRESHOLD,
        min_value=0.5,
        max_value=1,
        help_text="lowest cosine of two embeddings that counts as a near-duplicate",
    )
