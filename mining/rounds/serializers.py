"""The shapes of mining jobs, pipelines and rounds in the API."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.models import NAME
from core.errors import Invalid
from jobs.api import JobSerializer
from labeling.serializers import QueueCountsSerializer
from rounds.leaks import THRESHOLD
from rounds.models import Round

PIPELINE_STATES = ["idle", "running", "waiting_for_labels", "paused", "failed"]


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


class LeakCheckSerializer(serializers.Serializer[None]):
    model = serializers.CharField(help_text='like "signs@production"')
    version = serializers.CharField(default="head")
    threshold = serializers.FloatField(
        default=THRESHOLD, min_value=0.5, max_value=1, help_text="the least cosine of two embeddings that counts"
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


class NewPipelineSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[NAME])
    dataset = serializers.CharField()
    model = serializers.CharField()
    architecture = serializers.CharField()
    config = serializers.DictField(default=dict)
    strategy = StrategyField()
    count = serializers.IntegerField(min_value=1, max_value=1_000_000)
    control = serializers.FloatField(default=0.1, min_value=0, max_value=1)
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**20)
    gates = serializers.ListField(child=serializers.DictField(), required=False)

    def validate_control(self, value: float) -> float:
        if value == 1:
            raise Invalid.field("control", "must be less than 1: some picks must be the strategy's own")
        return value


class PipelineSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    dataset = serializers.CharField()
    model = serializers.CharField()
    architecture = serializers.CharField()
    config = serializers.DictField()
    strategy = ChosenStrategySerializer()
    count = serializers.IntegerField()
    control = serializers.FloatField()
    seed = serializers.IntegerField()
    gates = serializers.ListField(child=serializers.DictField())
    paused = serializers.BooleanField()
    state = serializers.ChoiceField(choices=PIPELINE_STATES)
    current_round = serializers.IntegerField(allow_null=True)
    created = serializers.DateTimeField()


class PipelineListSerializer(serializers.Serializer[None]):
    results = PipelineSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class PromotionOutcomeSerializer(serializers.Serializer[None]):
    promoted = serializers.BooleanField()
    reason = serializers.CharField()
    gates = serializers.ListField(child=serializers.DictField())


class RoundSerializer(serializers.Serializer[None]):
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Round.State.choices)
    step_started = serializers.DateTimeField()
    labels = serializers.IntegerField(allow_null=True)
    dataset_version = serializers.IntegerField(allow_null=True)
    model_version = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    mining_job = serializers.IntegerField(allow_null=True)
    queue = serializers.CharField(allow_null=True)
    queue_id = serializers.IntegerField(allow_null=True)
    queue_counts = QueueCountsSerializer(allow_null=True)
    job = JobSerializer(allow_null=True)
    accuracy = serializers.FloatField(allow_null=True)
    promoted = serializers.BooleanField(allow_null=True)
    promotion = PromotionOutcomeSerializer(allow_null=True)
    lift = serializers.DictField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    timings = serializers.DictField(child=serializers.FloatField())
    images_per_second = serializers.DictField(child=serializers.FloatField())
    created = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)


class RoundListSerializer(serializers.Serializer[None]):
    results = RoundSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RoundLinkSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField()
    url = serializers.CharField()


class CurvePointSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField()
    labels = serializers.IntegerField()
    accuracy = serializers.FloatField()
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    model_version = serializers.IntegerField()


class CurveSerializer(serializers.Serializer[None]):
    pipeline = serializers.CharField()
    strategy = serializers.CharField()
    points = CurvePointSerializer(many=True)
