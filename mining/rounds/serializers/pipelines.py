"""The shapes of pipelines and rounds in the API."""

from rest_framework import serializers

from catalog.models import NAME
from core.errors import Invalid
from jobs.api import JobSerializer
from labeling.serializers import QueueCountsSerializer
from rounds.models import Round
from rounds.serializers.mining import ChosenStrategySerializer, StrategyField

PIPELINE_STATES = ["idle", "running", "waiting_for_labels", "paused", "failed"]


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
