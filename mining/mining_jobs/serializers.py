"""The shapes of mining jobs and their picks in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from acquisition import DEFAULT
from catalog.models import OWN_NAME
from catalog.serializers.filters import FilterDocumentField, FilterField
from catalog.serializers.labels import SuggestionField
from core.bounds import MAX_NAMES, MAX_TEXT
from core.forms import ReferenceField
from jobs.api import JobSerializer, NeedsSerializer
from labeling.models import Queue
from labeling.serializers.queues import NeighbourSerializer
from registry.models import VERSION_REFERENCE


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "maxLength": MAX_TEXT},
            {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "maxLength": MAX_TEXT},
                    "params": {"type": "object", "additionalProperties": {}, "maxProperties": MAX_NAMES},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        ]
    }
)
class StrategyField(serializers.Field[dict[str, object], object, dict[str, object], None]):
    """`"margin"` or `{"name": "k_center", "params": {..}}`."""

    def to_internal_value(self, data: object) -> dict[str, object]:
        if isinstance(data, str):
            return {"name": data, "params": {}}
        if isinstance(data, dict) and isinstance(data.get("name"), str) and isinstance(data.get("params", {}), dict):
            if unknown := sorted(str(name) for name in data.keys() - {"name", "params"}):
                raise serializers.ValidationError(f"has no field {unknown[0]!r}: give `name`, and `params` if you like")
            return {"name": data["name"], "params": data.get("params", {})}
        raise serializers.ValidationError('must be a name like "margin", or {"name": .., "params": {..}}')

    def to_representation(self, value: dict[str, object]) -> dict[str, object]:
        return value


class PredictedBoxSerializer(serializers.Serializer[None]):
    # "class" is a keyword of Python
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        corners = serializers.ListField(child=serializers.FloatField(), min_length=4, max_length=4)
        return {"class": serializers.CharField(), "box": corners, "score": serializers.FloatField()}


class SamplePredictionSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField(help_text="id of the sample")
    classes = serializers.ListField(child=serializers.CharField(), help_text="classes that the model predicts")
    boxes = PredictedBoxSerializer(
        many=True, allow_null=True, help_text="predicted boxes, in pixels; null for a model that doesn't predict boxes"
    )
    confidence = serializers.FloatField(help_text="probability of the likeliest class, or of the surest box")
    correct = serializers.BooleanField(
        allow_null=True, help_text="whether the label agrees; null: there is no label, or it has no one class"
    )


class PredictionListSerializer(serializers.Serializer[None]):
    results = SamplePredictionSerializer(
        many=True, help_text="predictions for the samples that were scored, by sample id"
    )
    version = serializers.IntegerField()
    model = serializers.CharField(help_text="model with its version number, like `signs@3`")


class StrategySerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    summary = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField())
    asks_model = serializers.BooleanField(help_text="whether it can't mine without a model")
    tasks = serializers.ListField(child=serializers.CharField(), help_text="task types that it can mine for")
    replays = serializers.ListField(
        child=serializers.CharField(),
        help_text="those of its task types on whose known labels a back-test can replay it",
    )
    params_schema = serializers.DictField()


class StrategyListSerializer(serializers.Serializer[None]):
    results = StrategySerializer(many=True)
    faults = serializers.ListField(child=serializers.CharField())
    next = serializers.CharField(allow_null=True)


class ChosenStrategySerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    params = serializers.DictField()


class LikeSerializer(serializers.Serializer[None]):
    keys = serializers.ListField(child=serializers.CharField(max_length=500), default=list, max_length=10_000)
    failures = serializers.ChoiceField(
        choices=["val", "test"],
        default=None,
        allow_null=True,
        help_text="also the samples of this split that the model gets wrong",
    )


class UnlikeSerializer(serializers.Serializer[None]):
    keys = serializers.ListField(child=serializers.CharField(max_length=500), max_length=10_000)


class NewMiningJobSerializer(serializers.Serializer[None]):
    dataset = ReferenceField()
    version = ReferenceField(default="head")
    model = serializers.CharField(
        validators=[VERSION_REFERENCE],
        default=None,
        allow_null=True,
        help_text="model version that scores the pool, like `signs@production`; null: none yet, for strategies "
        "that don't ask for one (`asks_model`), which use the ImageNet features of EfficientNet-Lite0",
    )
    strategy = StrategyField(default={"name": DEFAULT, "params": {}})
    count = serializers.IntegerField(min_value=1, max_value=1_000_000)
    control = serializers.FloatField(default=0.1, min_value=0, max_value=1)
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    filter = FilterField(
        required=False,
        allow_null=True,
        default=None,
        help_text='part of the pool to mine, {"slice": NAME} for a slice; null: all of it',
    )
    compose = serializers.DictField(
        required=False,
        allow_null=True,
        default=None,
        help_text="constraints on the batch: quotas, gap, distance, cost, budget, source, objectives",
    )
    committee = serializers.DictField(
        required=False,
        allow_null=True,
        default=None,
        help_text='committee that scores the pool: {"versions": [3, 4]}, {"flips": true} or {"dropout": {..}}',
    )
    like = LikeSerializer(required=False, allow_null=True, default=None)
    unlike = UnlikeSerializer(required=False, allow_null=True, default=None)
    needs = NeedsSerializer(required=False, allow_null=True, default=None)


class CalibrationSerializer(serializers.Serializer[None]):
    temperature = serializers.FloatField()
    ece_before = serializers.FloatField()
    ece_after = serializers.FloatField()


class ScoringProgressSerializer(serializers.Serializer[None]):
    shards_done = serializers.IntegerField()
    shards = serializers.IntegerField()
    images_per_second = serializers.FloatField(allow_null=True)
    eta_seconds = serializers.FloatField(allow_null=True)
    quarantined = serializers.IntegerField()


class MiningJobSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    model = serializers.CharField(allow_null=True, help_text="null: mined without a model")
    strategy = ChosenStrategySerializer()
    count = serializers.IntegerField()
    control = serializers.FloatField()
    seed = serializers.IntegerField()
    filter = FilterDocumentField(allow_null=True)
    compose = serializers.DictField(allow_null=True)
    committee = serializers.DictField(allow_null=True)
    like = LikeSerializer(allow_null=True)
    unlike = UnlikeSerializer(allow_null=True)
    needs = NeedsSerializer(allow_null=True, help_text="requirements of its shards that score")
    calibration = CalibrationSerializer(allow_null=True)
    progress = ScoringProgressSerializer()
    stats = serializers.DictField()
    queue = serializers.CharField(allow_null=True)
    created = serializers.DateTimeField()
    job = JobSerializer()


class AccuracySerializer(serializers.Serializer[None]):
    value = serializers.FloatField(allow_null=True, help_text="null while answers are needed: the interval alone holds")
    low = serializers.FloatField()
    high = serializers.FloatField()
    confidence = serializers.FloatField()
    answers = serializers.IntegerField()
    certain = serializers.BooleanField(
        help_text="whether the strategy's own picks count too, not the control arm alone"
    )
    drawn = serializers.IntegerField(help_text="answers for samples drawn at random, which stand for the others")
    needed = serializers.IntegerField(help_text="further such answers until `value` is named")


class LiftSerializer(serializers.Serializer[None]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField()
    high = serializers.FloatField(allow_null=True)
    confidence = serializers.FloatField()


class EstimateSerializer(serializers.Serializer[None]):
    accuracy = AccuracySerializer(allow_null=True)
    lift = LiftSerializer(allow_null=True)


class MiningJobDetailSerializer(MiningJobSerializer):
    estimate = EstimateSerializer(allow_null=True)


class MiningJobListSerializer(serializers.Serializer[None]):
    results = MiningJobSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class PickedSampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    thumb = serializers.CharField()
    url = serializers.CharField()
    width = serializers.IntegerField(allow_null=True, help_text="pixels of the upright image")
    height = serializers.IntegerField(allow_null=True)


class TermSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    value = serializers.FloatField()
    strength = serializers.FloatField()
    contribution = serializers.FloatField()
    rank = serializers.IntegerField()
    of = serializers.IntegerField()


class DisplacedSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class ExplanationSerializer(serializers.Serializer[None]):
    """The contributions of the terms multiply to `product`."""

    terms = TermSerializer(many=True)
    product = serializers.FloatField(allow_null=True)
    quota = serializers.DictField(allow_null=True, help_text="quota that admitted the pick: {kind: name, min, place}")
    displaced = DisplacedSerializer(allow_null=True)
    neighbours = NeighbourSerializer(many=True)


class PickSerializer(serializers.Serializer[None]):
    rank = serializers.IntegerField()
    sample = PickedSampleSerializer()
    score = serializers.FloatField(allow_null=True)
    terms = serializers.DictField(child=serializers.FloatField())
    reason = serializers.CharField()
    control = serializers.BooleanField()
    probability = serializers.FloatField(allow_null=True)
    prediction = SuggestionField(allow_null=True)
    neighbours = NeighbourSerializer(many=True)
    explanation = ExplanationSerializer()


class PickListSerializer(serializers.Serializer[None]):
    results = PickSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class HistogramSerializer(serializers.Serializer[None]):
    edges = serializers.ListField(child=serializers.FloatField())
    counts = serializers.ListField(child=serializers.IntegerField())
    cut = serializers.FloatField(allow_null=True)
    score = serializers.CharField(
        help_text="name of the score that is counted: the strategy's, or the product with objectives"
    )
    live = serializers.BooleanField(
        help_text="whether scoring is still going on; true: margins of the samples scored so far"
    )
    picked = serializers.ListField(
        child=serializers.FloatField(), help_text="scores of the picks without the control arm, highest first"
    )


class QuarantinedSerializer(serializers.Serializer[None]):
    md5 = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()
    keys = serializers.ListField(child=serializers.CharField())


class QuarantineListSerializer(serializers.Serializer[None]):
    results = QuarantinedSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class QueuePicksSerializer(serializers.Serializer[None]):
    queue = serializers.CharField(required=False, max_length=100, validators=[OWN_NAME])
    answers_per_task = serializers.IntegerField(default=1, min_value=1, max_value=9)
    mode = serializers.ChoiceField(
        choices=Queue.Mode.choices,
        default=Queue.Mode.LABEL,
        help_text="`verify` asks about the model's objects one by one",
    )
    max_rank = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, help_text="only picks up to this rank; the control arm stays whole"
    )
    min_score = serializers.FloatField(
        default=None, allow_null=True, help_text="only picks with at least this score; the control arm stays whole"
    )


class QueueLinkSerializer(serializers.Serializer[None]):
    queue = serializers.CharField()
    url = serializers.CharField()
