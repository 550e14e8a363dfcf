"""Copies of labelled samples, as the API shows them."""

from typing import Any

from rest_framework import serializers

from catalog.models import Split
from catalog.serializers.commits import CommitSerializer


class CopySerializer(serializers.Serializer[None]):
    key = serializers.CharField(help_text="an unlabelled sample of the pool")
    of = serializers.CharField(help_text="a labelled sample with the same bytes")
    split = serializers.ChoiceField(choices=Split.choices, help_text="split of the labelled sample")
    label = serializers.JSONField()  # type: ignore[assignment]  # DRF pops declared fields
    reason = serializers.ChoiceField(
        choices=["conflicting", "in_test", "in_val"],
        allow_null=True,
        help_text="why the label can't be taken over: labelled copies carry different labels, or are in test or val",
    )
    thumb = serializers.CharField()


class CopiesLeftOutSerializer(serializers.Serializer[None]):
    conflicting = serializers.IntegerField(help_text="their labelled copies carry different labels")
    in_test = serializers.IntegerField(help_text="their labelled copy is in test")
    in_val = serializers.IntegerField(help_text="their labelled copy is in val")


class CopyListSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField(allow_null=True)
    samples = serializers.IntegerField(help_text="unlabelled samples of the pool with the bytes of labelled ones")
    ready = serializers.IntegerField(help_text="of these, samples whose label can be taken over")
    left_out = CopiesLeftOutSerializer()
    results = CopySerializer(many=True, help_text="the first 100")


class TakeOverSerializer(serializers.Serializer[None]):
    keys = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False, max_length=2000),
        required=False,
        allow_empty=False,
        max_length=100_000,
        help_text="keys of unlabelled copies",
    )
    all = serializers.BooleanField(default=False, help_text="instead of keys: every copy whose label can be taken over")
    parent = serializers.IntegerField(  # type: ignore[assignment]  # as above
        required=False, allow_null=True, default=None, min_value=0, help_text="refuse unless this version is the head"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["all"] == ("keys" in attrs):
            raise serializers.ValidationError({"keys": "send `keys`, or `all`: true for every copy"})
        return attrs


class TakenOverSerializer(CommitSerializer):
    left_out = CopiesLeftOutSerializer()
