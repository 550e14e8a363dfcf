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
        # "days driven in all" needs no unit beside it.
        unit = "" if quantity.unit in quantity.words else f", in {quantity.unit}"
        words = f"{quantity.words}{unit}; {quantity.fix}"
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
        help_text="example to start from; other fields override its values",
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
    n = serializers.IntegerField(allow_null=True, help_text="number of measured rows")
    since = serializers.DateField(allow_null=True)
    until = serializers.DateField(allow_null=True)


class PlanInputSerializer(serializers.Serializer[None]):
    name = serializers.CharField(help_text="field of the question, such as fleet.days")
    value = serializers.FloatField()
    unit = serializers.CharField()
    source = FigureSourceSerializer()  # type: ignore[assignment]  # DRF pops declared fields


class AsPrintedSerializer(serializers.Serializer[None]):
    value = serializers.FloatField(help_text="value that the example's page prints")
    unit = serializers.CharField()
    off = serializers.FloatField(help_text="relative difference of the computed value: 0.1 if it is 10 % higher")


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
    pace = serializers.FloatField(help_text="pace of one machine, in `pace_unit`")
    pace_unit = serializers.CharField()
    epochs = serializers.FloatField(allow_null=True)
    days = serializers.FloatField(help_text="days of training with all its machines")
    machines_for_target = serializers.IntegerField(
        allow_null=True, help_text="machines needed to end within `target_days`; null: no target"
    )
    machine_hours = serializers.FloatField()
    bytes_per_second = serializers.FloatField(
        allow_null=True, help_text="bytes that all its machines read per second; null: not known"
    )
    cost = serializers.FloatField(allow_null=True, help_text="cost of the training; null: no price per hour was given")
    formula = serializers.CharField()
    source = FigureSourceSerializer(help_text="source of the pace")  # type: ignore[assignment]  # DRF pops declared fields
    printed = AsPrintedSerializer(allow_null=True)


class PlanMissingSerializer(serializers.Serializer[None]):
    what = serializers.CharField()
    needs = serializers.ListField(
        child=serializers.CharField(), help_text="fields of the question to give, so that it can be computed"
    )


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
