"""Serializers of a pipeline's settings: triggers, budgets, stopping rules."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


class Chosen(serializers.Serializer[None]):
    """A value of null counts as left out."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return {name: value for name, value in super().to_internal_value(data).items() if value is not None}


class MetricDropSerializer(serializers.Serializer[None]):
    points = serializers.FloatField(
        min_value=0, max_value=100, help_text="percentage points below the test split's accuracy that start a round"
    )


class TriggerSerializer(Chosen):
    new_labels = serializers.IntegerField(required=False, min_value=1, allow_null=True)
    new_samples = serializers.IntegerField(required=False, min_value=1, allow_null=True)
    metric_drop = MetricDropSerializer(required=False, allow_null=True)
    webhook = serializers.BooleanField(required=False)


class DatasetBudgetSerializer(Chosen):
    labels_per_day = serializers.IntegerField(
        required=False, min_value=0, allow_null=True, help_text="most labels per day, in UTC"
    )
    money = serializers.FloatField(required=False, min_value=0, allow_null=True)
    cost_per_label = serializers.FloatField(required=False, min_value=0, allow_null=True)
    compute_hours = serializers.FloatField(required=False, min_value=0, allow_null=True)


class BudgetSerializer(DatasetBudgetSerializer):
    labels = serializers.IntegerField(required=False, min_value=0, allow_null=True)


@extend_schema_field({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1})
class ShareField(serializers.FloatField):
    """A number between 0 and 1, both excluded."""

    def to_internal_value(self, data: Any) -> float:
        share = super().to_internal_value(data)
        if not 0 < share < 1:
            raise serializers.ValidationError("must lie between 0 and 1")
        return share


class TargetRuleSerializer(serializers.Serializer[None]):
    metric = serializers.CharField(
        required=False,
        help_text="share of test samples predicted right: `accuracy`, or `exact_match` for several classes",
    )
    value = ShareField()
    confidence = ShareField(default=0.95)


class ValueRuleSerializer(serializers.Serializer[None]):
    per_point = serializers.FloatField(min_value=0, help_text="worth of a percentage point, in the budget's money")


class StableRuleSerializer(serializers.Serializer[None]):
    kappa = serializers.FloatField(default=0.99, min_value=0, max_value=1)
    rounds = serializers.IntegerField(default=3, min_value=1, max_value=100)


class StopSerializer(Chosen):
    target = TargetRuleSerializer(required=False, allow_null=True)
    value = ValueRuleSerializer(required=False, allow_null=True)
    stable = StableRuleSerializer(required=False, allow_null=True)


class SpentSerializer(serializers.Serializer[None]):
    labels = serializers.IntegerField()
    labels_today = serializers.IntegerField()
    money = serializers.FloatField()
    compute_hours = serializers.FloatField()


class StoppedSerializer(serializers.Serializer[None]):
    rule = serializers.CharField(help_text="rule that applied: budget, target, value, stable or pool")
    reason = serializers.CharField()
    numbers = serializers.DictField(child=serializers.FloatField())
    at = serializers.DateTimeField()


class CauseSerializer(serializers.Serializer[None]):
    what = serializers.CharField(
        help_text="what started the round: hand, schedule, webhook, new_labels, new_samples or metric_drop"
    )
    detail = serializers.CharField()
    at = serializers.DateTimeField()


def below_one(value: float) -> None:
    """Raise ValidationError for a control arm that takes the whole batch."""
    if value >= 1:
        raise serializers.ValidationError("must be below 1, which is 100 %: some picks must be the strategy's own")
