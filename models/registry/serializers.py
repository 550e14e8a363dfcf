"""The shapes of models and runs in the API."""

from rest_framework import serializers

from catalog.models import NAME, Task
from jobs.api import JobSerializer


class NewModelSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[NAME])
    task = serializers.ChoiceField(choices=Task.choices)
    classes = serializers.ListField(child=serializers.CharField(max_length=200), min_length=1, max_length=10_000)
    description = serializers.CharField(default="", allow_blank=True, max_length=5000)


class AliasSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    version = serializers.IntegerField()


class ModelSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    task = serializers.CharField()
    classes = serializers.ListField(child=serializers.CharField())
    description = serializers.CharField()
    created = serializers.DateTimeField()
    latest = serializers.IntegerField(allow_null=True)
    aliases = AliasSerializer(many=True)


class ModelListSerializer(serializers.Serializer[None]):
    results = ModelSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ArtifactSerializer(serializers.Serializer[None]):
    path = serializers.CharField()
    size = serializers.IntegerField()
    md5 = serializers.CharField()
    sha256 = serializers.CharField()
    url = serializers.CharField()


class GateResultSerializer(serializers.Serializer[None]):
    gate = serializers.CharField()
    passed = serializers.BooleanField()
    detail = serializers.CharField()


class PromotionSerializer(serializers.Serializer[None]):
    alias = serializers.CharField()
    version = serializers.IntegerField()
    previous = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    gates = GateResultSerializer(many=True)
    overridden = serializers.BooleanField()
    by = serializers.CharField()
    created = serializers.DateTimeField()


class ModelVersionSerializer(serializers.Serializer[None]):
    model = serializers.CharField()
    version = serializers.IntegerField()
    architecture = serializers.CharField()
    digest = serializers.CharField()
    dataset = serializers.CharField(allow_null=True)
    dataset_version = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    aliases = serializers.ListField(child=serializers.CharField())
    metrics = serializers.DictField()
    created = serializers.DateTimeField()


class ModelVersionDetailSerializer(ModelVersionSerializer):
    report = serializers.DictField()
    lock = serializers.DictField()
    artifacts = ArtifactSerializer(many=True)
    promotions = PromotionSerializer(many=True)


class ModelVersionListSerializer(serializers.Serializer[None]):
    results = ModelVersionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewRunSerializer(serializers.Serializer[None]):
    model = serializers.CharField()
    dataset = serializers.CharField()
    version = serializers.CharField(default="head")
    architecture = serializers.CharField()
    config = serializers.DictField(default=dict)
    parent = serializers.CharField(default=None, allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)


class RunSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    model = serializers.CharField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    architecture = serializers.CharField()
    config = serializers.DictField()
    parent = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    seed = serializers.IntegerField()
    model_version = serializers.IntegerField(allow_null=True)
    created = serializers.DateTimeField()
    job = JobSerializer()


class RunListSerializer(serializers.Serializer[None]):
    results = RunSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RunMetricsSerializer(serializers.Serializer[None]):
    points = serializers.ListField(child=serializers.DictField())
    next = serializers.IntegerField()


class MoveAliasSerializer(serializers.Serializer[None]):
    alias = serializers.CharField(max_length=60, validators=[NAME])
    version = serializers.CharField()
    reason = serializers.CharField(max_length=500)
    override = serializers.BooleanField(default=False)


class RollBackSerializer(serializers.Serializer[None]):
    alias = serializers.CharField(max_length=60)
    reason = serializers.CharField(max_length=500)


class ArchitectureSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    summary = serializers.CharField()
    frozen = serializers.BooleanField()
    input_size = serializers.ListField(child=serializers.IntegerField())
    embedding_dim = serializers.IntegerField(allow_null=True)
    params_schema = serializers.DictField()
    recipe_schema = serializers.DictField()
    recipe = serializers.DictField()


class ArchitectureListSerializer(serializers.Serializer[None]):
    results = ArchitectureSerializer(many=True)
    next = serializers.CharField(allow_null=True)
