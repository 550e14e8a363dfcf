"""Serializers of plans. Those of a question are built from `planning.GROUPS`, which declares its numbers."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.drainage import set_override
from rest_framework import serializers

from planning import EXAMPLES, GROUPS, SETUP, Quantity
from planning.quantities import CURRENCY_LENGTH, MOST_SETUPS, NAME_LENGTH, TARGET_DAYS


class QuantityField(serializers.FloatField):
    """A number within the bounds of its quantity, which gives the error message for any other value."""

    def __init__(self, quantity: Quantity) -> None:
        self.quantity = quantity
        unit = f"{quantity.unit}, " if quantity.unit else ""
        words = f"{unit}{quantity.words}; {quantity.fix}"
        super().__init__(required=False, allow_null=True, help_text=words)
        kind = "integer" if quantity.whole else "number"
        set_override(self, "field", {"type": kind, "minimum": quantity.least, "maximum": quantity.most})

    def to_internal_value(self, data: Any) -> float:
        """Return the number. Raises ValidationError."""
        if (fault := self.quantity.fault(data)) is not None:
            raise serializers.ValidationError(fault)
        return float(data)


def _shape(name: str, quantities: Mapping[str, Quantity], **others: Any) -> type[serializers.Serializer[None]]:
    fields = {field: QuantityField(quantity) for field, quantity in quantities.items()}
    return type(name, (serializers.Serializer,), fields | others)


def _text(words: str, most: int = NAME_LENGTH) -> serializers.CharField:
    return serializers.CharField(required=False, allow_blank=True, max_length=most, help_text=words)


PlanSetupSerializer = _shape(
    "PlanSetupSerializer", SETUP, architecture=_text("what is trained"), machine=_text("on which machine")
)
QuestionSerializer = _shape(
    "QuestionSerializer",
    {"target_days": TARGET_DAYS},
    example=serializers.ChoiceField(
        choices=list(EXAMPLES),
        required=False,
        allow_null=True,
        help_text="start from this one; what is given beside takes the place of its values",
    ),
    training=PlanSetupSerializer(
        many=True,
        required=False,
        allow_null=True,
        help_text=f"at most {MOST_SETUPS}; none: the architectures measured here",
    ),
    currency=_text("of the prices: a word or a sign", CURRENCY_LENGTH),
    **{
        group: _shape(f"Plan{group.capitalize()}Serializer", quantities)(required=False, allow_null=True)
        for group, quantities in GROUPS.items()
    },
)
"""The request body of `POST /plans`."""


class FigureSourceSerializer(serializers.Serializer[None]):
    kind = serializers.ChoiceField(choices=["given", "example", "measured", "documented", "computed"])
    words = serializers.CharField()
    n = serializers.IntegerField(allow_null=True, help_text="rows that were measured")
    since = serializers.DateField(allow_null=True)
    until = serializers.DateField(allow_null=True)


class PlanInputSerializer(serializers.Serializer[None]):
    name = serializers.CharField(help_text="as in the question: fleet.days")
    value = serializers.FloatField()
    unit = serializers.CharField()
    source = FigureSourceSerializer()  # type: ignore[assignment]  # DRF pops declared fields


class AsPrintedSerializer(serializers.Serializer[None]):
    value = serializers.FloatField(help_text="what the example's page prints")
    unit = serializers.CharField()
    off = serializers.FloatField(help_text="by how much more was computed, as a share of it")


class PlanFigureSerializer(serializers.Serializer[None]):
    group = serializers.CharField(help_text="storage, samples, scoring, labeling, network or money")
    name = serializers.CharField()
    title = serializers.CharField()
    value = serializers.FloatField()
    unit = serializers.CharField()
    formula = serializers.CharField()
    printed = AsPrintedSerializer(allow_null=True)


class TrainingTimeSerializer(serializers.Serializer[None]):
    architecture = serializers.CharField()
    machine = serializers.CharField()
    machines = serializers.IntegerField()
    pace = serializers.FloatField(help_text="of one machine, in `pace_unit`")
    pace_unit = serializers.CharField()
    epochs = serializers.FloatField(allow_null=True)
    days = serializers.FloatField(help_text="with all its machines")
    machines_for_target = serializers.IntegerField(allow_null=True, help_text="that end within `target_days`")
    machine_hours = serializers.FloatField()
    bytes_per_second = serializers.FloatField(allow_null=True, help_text="that all its machines read; null: not known")
    cost = serializers.FloatField(allow_null=True, help_text="null: no price of an hour was given")
    formula = serializers.CharField()
    source = FigureSourceSerializer(help_text="of the pace")  # type: ignore[assignment]  # DRF pops declared fields
    printed = AsPrintedSerializer(allow_null=True)


class PlanMissingSerializer(serializers.Serializer[None]):
    what = serializers.CharField()
    needs = serializers.ListField(child=serializers.CharField(), help_text="fields that would tell")


class PlanSerializer(serializers.Serializer[None]):
    inputs = PlanInputSerializer(many=True)
    figures = PlanFigureSerializer(many=True)
    trainings = TrainingTimeSerializer(many=True)
    missing = PlanMissingSerializer(many=True)
    notes = serializers.ListField(child=serializers.CharField())
    currency = serializers.CharField(allow_blank=True)
    example = serializers.CharField(allow_null=True)


class PlanExampleSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    title = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # DRF pops declared fields
    question = QuestionSerializer()
    notes = serializers.ListField(child=serializers.CharField())


class PlanExampleListSerializer(serializers.Serializer[None]):
    results = PlanExampleSerializer(many=True)
