"""The shapes of mining jobs and their picks in the API."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from jobs.api import JobSerializer


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "object"}]})
class StrategyField(serializers.Field[dict[str, object], object, dict[str, object], None]):
    """`"margin"` or `{"name": "k_center", "params": {..}}`."""

    def to_internal_value(self, data: object) -> dict[str, object]:
        if isinstance(data, str):
            return {"name": data, "params": {}}
        if isinstance(data, dict) and isinstance(data.get("name"), str) and isinstance(data.get("params", {}), dict):
            return {"name": data["name"], "params": data.get("params", {})}
        raise serializers.ValidationError('must be a name like "margin", or {"name": .., "params": {..}}')

    def to_representation(self, value: dict[str, object]) -> dict[str, object]:
        return value


class StrategySerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    summary = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField())
    params_schema = serializers.DictField()


class StrategyListSerializer(serializers.Serializer[None]):
    results = StrategySerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ChosenStrategySerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    params = serializers.DictField()


class NewMiningJobSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    version = serializers.CharField(default="head")
    model = serializers.CharField()
    strategy = StrategyField()
    count = serializers.IntegerField(min_value=1, max_value=1_000_000)
    control = serializers.FloatField(default=0.1, min_value=0, max_value=1)
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    filter = serializers.JSONField(
        required=False, allow_null=True, default=None, help_text='{"slice": NAME}, or the conditions of one'
    )


class MiningJobSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    model = serializers.CharField()
    strategy = ChosenStrategySerializer()
    count = serializers.IntegerField()
    control = serializers.FloatField()
    seed = serializers.IntegerField()
    filter = serializers.DictField(allow_null=True)
    stats = serializers.DictField()
    queue = serializers.CharField(allow_null=True)
    created = serializers.DateTimeField()
    job = JobSerializer()


class MiningJobListSerializer(serializers.Serializer[None]):
    results = MiningJobSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NeighbourSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    thumb = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF pops declared fields
    distance = serializers.FloatField()


class PickedSampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    thumb = serializers.CharField()
    url = serializers.CharField()


class PickSerializer(serializers.Serializer[None]):
    rank = serializers.IntegerField()
    sample = PickedSampleSerializer()
    score = serializers.FloatField(allow_null=True)
    terms = serializers.DictField(child=serializers.FloatField())
    reason = serializers.CharField()
    control = serializers.BooleanField()
    probability = serializers.FloatField(allow_null=True)
    prediction = serializers.DictField(allow_null=True)
    neighbours = NeighbourSerializer(many=True)


class PickListSerializer(serializers.Serializer[None]):
    results = PickSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class HistogramSerializer(serializers.Serializer[None]):
    edges = serializers.ListField(child=serializers.FloatField())
    counts = serializers.ListField(child=serializers.IntegerField())
    cut = serializers.FloatField(allow_null=True)


class QueuePicksSerializer(serializers.Serializer[None]):
    queue = serializers.CharField(required=False, max_length=100)
    answers_per_task = serializers.IntegerField(default=1, min_value=1, max_value=9)


class QueueLinkSerializer(serializers.Serializer[None]):
    queue = serializers.CharField()
    url = serializers.CharField()
