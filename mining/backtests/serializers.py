"""Serializers of back-tests."""

import re
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.models import OWN_NAME
from core.forms import ReferenceField
from jobs.api import JobSerializer
from mining_jobs.serializers import ChosenStrategySerializer, StrategyField
from registry.models import VERSION_REFERENCE
from registry.recommending import RECOMMENDED

OURS = re.compile(r"backtest-\d+")


class LearnerSerializer(serializers.Serializer[None]):
    kind = serializers.ChoiceField(choices=["probe", "train"])
    model = serializers.CharField(
        validators=[VERSION_REFERENCE],
        required=False,
        help_text="model version whose embeddings a probe learns from, as `name@3`; with `probe` only",
    )
    architecture = serializers.CharField(required=False, help_text=f"{RECOMMENDED}; with `train` only")
    config = serializers.DictField(required=False, help_text="`params` and `recipe` of the training; with `train` only")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Check that a learner has the fields of its kind, and no others."""
        allowed = {"probe": {"model"}, "train": {"architecture", "config"}}[attrs["kind"]]
        if attrs["kind"] == "probe" and "model" not in attrs:
            raise serializers.ValidationError({"model": "a learner of kind probe needs it"})
        for name in attrs.keys() - allowed - {"kind"}:
            raise serializers.ValidationError({name: f"a learner of kind {attrs['kind']} has none: leave it out"})
        return attrs


class NewBacktestSerializer(serializers.Serializer[None]):
    name = serializers.CharField(required=False, max_length=100, validators=[OWN_NAME])
    dataset = ReferenceField()
    version = ReferenceField(default="head")
    learner = LearnerSerializer()
    strategies = serializers.ListField(child=StrategyField(), min_length=1, max_length=50)
    seeds = serializers.IntegerField(default=20, min_value=2, max_value=1000)
    rounds = serializers.IntegerField(default=10, min_value=1, max_value=1000)
    count = serializers.IntegerField(default=20, min_value=1, max_value=1_000_000)
    start = serializers.IntegerField(default=20, min_value=1, max_value=1_000_000)
    control = serializers.FloatField(default=0.1, min_value=0, max_value=0.99)
    target = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=1)

    def validate_name(self, value: str) -> str:
        """Refuse names of the form that the platform gives, which would clash."""
        if OURS.fullmatch(value):
            raise serializers.ValidationError("names like backtest-7 are given by number: choose another one")
        return value


class BacktestPointSerializer(serializers.Serializer[None]):
    labels = serializers.IntegerField()
    objects = serializers.FloatField(
        allow_null=True,
        help_text="objects drawn in those labels, mean over the seeds; null where labels are one answer",
    )
    mean = serializers.FloatField(help_text="mean of the metric over the seeds")
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class ArmSerializer(serializers.Serializer[None]):
    strategy = serializers.CharField()
    params = serializers.DictField()


class BacktestCurveSerializer(ArmSerializer):
    mean_accuracy = serializers.FloatField(
        allow_null=True, help_text="mean of the metric over all budgets: the area under the curve divided by its width"
    )
    points = BacktestPointSerializer(many=True)


class LabelsToTargetSerializer(ArmSerializer):
    median = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    reached = serializers.IntegerField()
    seeds = serializers.IntegerField()
    saved = serializers.FloatField(allow_null=True)
    saved_at_least = serializers.BooleanField()
    objects = serializers.FloatField(allow_null=True, help_text="objects drawn up to the target, median over the seeds")
    objects_saved = serializers.FloatField(
        allow_null=True, help_text="saved share of the objects that random drew; null for random itself"
    )


class PairedTestSerializer(ArmSerializer):
    against = serializers.CharField()
    difference = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    p = serializers.FloatField()
    p_adjusted = serializers.FloatField()
    wins = serializers.IntegerField()
    seeds = serializers.IntegerField()


class EndSerializer(ArmSerializer):
    labels = serializers.IntegerField()
    accuracy = serializers.FloatField(help_text="value of the metric")


class BestSerializer(ArmSerializer):
    mean_accuracy = serializers.FloatField(
        help_text="mean of the metric over all budgets, the highest of all strategies"
    )
    difference = serializers.FloatField(allow_null=True, help_text="difference to random; null for random itself")
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    clear = serializers.BooleanField(help_text="whether the strategy is clearly best; false: it is only highest")
    end = EndSerializer(help_text="strategy that is highest at the last budget")
    headline = serializers.CharField()
    reason = serializers.CharField()


@extend_schema_field(LearnerSerializer)
class ShownLearnerField(serializers.DictField):
    """A learner as the request gave it."""


class BacktestRowSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    task = serializers.CharField()
    metric = serializers.CharField(help_text="metric that the curves show: the headline of the task type, 0 to 1")
    figure = serializers.CharField(help_text="name of the metric in sentences, such as accuracy or mAP")
    learner = ShownLearnerField()
    strategies = ChosenStrategySerializer(many=True)
    seeds = serializers.IntegerField()
    rounds = serializers.IntegerField()
    count = serializers.IntegerField()
    start = serializers.IntegerField()
    control = serializers.FloatField()
    target = serializers.FloatField(allow_null=True)
    archived = serializers.DateTimeField(
        allow_null=True, help_text="when it was archived, which makes it read-only; null: not archived"
    )
    created = serializers.DateTimeField()
    best = BestSerializer(allow_null=True)
    job = JobSerializer()


class BacktestSerializer(BacktestRowSerializer):
    left_out = serializers.IntegerField(
        allow_null=True,
        help_text="labelled samples that no replay sees, as near-duplicates of test samples; null until counted",
    )
    copies = serializers.IntegerField(
        allow_null=True, help_text="labelled samples that no replay asks for, as another one has their bytes"
    )
    curves = BacktestCurveSerializer(many=True)
    labels_to_target = LabelsToTargetSerializer(many=True)
    tests = PairedTestSerializer(many=True)


class BacktestChangeSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])


class BacktestListSerializer(serializers.Serializer[None]):
    results = BacktestRowSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class BacktestLinkSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    job = JobSerializer()
