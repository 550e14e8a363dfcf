"""Shapes of near-duplicates and slices, in and out."""

from typing import Any

from rest_framework import serializers

from catalog.models import NearDuplicate, Slice, Split

FILTER = (
    'Conditions that must all hold: {"split", "class", "labelled", "q", "meta": {"speed": {">": 30}}, '
    '"prediction": {"model": "signs@production", "class": "cyclist", "confidence": {"<": 0.4}}}'
)


class NearDuplicateSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    of = serializers.CharField(help_text="the test sample that shows nearly the same")
    split = serializers.ChoiceField(choices=Split.choices, allow_null=True, help_text="in the head; null: not in it")
    distance = serializers.FloatField(help_text="bits of 64 for `pixels`, 1 - cosine for a model's embeddings")
    found_by = serializers.CharField(help_text="`pixels`, or the model version whose embeddings were compared")
    allowed = serializers.BooleanField(help_text="may be trained on all the same")
    since = serializers.IntegerField(help_text="the version in which it was found")


class NearDuplicateListSerializer(serializers.Serializer[None]):
    results = NearDuplicateSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewSliceSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100)
    filter = serializers.JSONField(help_text=FILTER)


class SliceChangeSerializer(serializers.Serializer[None]):
    filter = serializers.JSONField(help_text=FILTER)


class SliceSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    filter = serializers.DictField()
    created_by = serializers.CharField()
    created = serializers.DateTimeField()
    changed = serializers.DateTimeField()


class SliceListSerializer(serializers.Serializer[None]):
    results = SliceSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class SliceDetailSerializer(SliceSerializer):
    version = serializers.IntegerField(allow_null=True)
    count = serializers.IntegerField(help_text="how many samples of the version are in it")


def slice_document(row: Slice) -> dict[str, Any]:
    """A slice as the API shows it; `created_by` must be loaded."""
    names = ("name", "filter", "created", "changed")
    return {name: getattr(row, name) for name in names} | {"created_by": row.created_by.username}


def near_duplicate_document(row: NearDuplicate, split: str | None) -> dict[str, Any]:
    """A near-duplicate as the API shows it; `sample` and `of` must be loaded."""
    names = ("distance", "found_by", "allowed", "since")
    return {"key": row.sample.key, "of": row.of.key, "split": split} | {name: getattr(row, name) for name in names}
