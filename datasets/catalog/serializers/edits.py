"""Serializers of edits to existing samples, and of their previews."""

from typing import Any

from rest_framework import serializers

from catalog.models import Split
from catalog.serializers.commits import STRICT, CommitTermsSerializer
from catalog.serializers.filters import FilterField
from catalog.serializers.labels import LabelField


class ClassNames(serializers.ListField):
    """A list of class names, empty if it is left out."""

    child = serializers.CharField(max_length=200)

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, max_length=1000, **more)


class EditToPreviewSerializer(serializers.Serializer[None]):
    filter = FilterField(help_text="filter that chooses samples of the head")
    label = LabelField(required=False)  # type: ignore[assignment]  # DRF pops declared fields
    clear = serializers.BooleanField(default=False, help_text="take the labels of the samples away")
    add_classes = ClassNames(help_text="classes to add to the labels, where a label is a list of classes")
    remove_classes = ClassNames(help_text="classes to remove from the labels")
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    remove = serializers.BooleanField(default=False, help_text="take the samples out of the dataset")


class EditSerializer(EditToPreviewSerializer, CommitTermsSerializer):
    strict = serializers.BooleanField(default=False, help_text=STRICT)


class MoveSerializer(serializers.Serializer[None]):
    to = serializers.CharField()
    samples = serializers.IntegerField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which can't be declared as an attribute because it is a Python keyword."""
        return {"from": serializers.CharField()} | super().get_fields()


class RefusedSerializer(serializers.Serializer[None]):
    code = serializers.CharField()
    detail = serializers.CharField()
    samples = serializers.IntegerField()
    keys = serializers.ListField(child=serializers.CharField(), help_text="the first of them")


class EditPreviewSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField(help_text="the head it was worked out for; send it as `parent`")
    samples = serializers.IntegerField(help_text="samples that pass the filter")
    changed = serializers.IntegerField(help_text="samples that would be changed or removed")
    unchanged = serializers.IntegerField(help_text="samples that are already as the edit would make them")
    by_split = serializers.DictField(
        child=serializers.IntegerField(), help_text="samples that change, by their present split"
    )
    by_class = serializers.DictField(
        child=serializers.IntegerField(), help_text="samples that change, by their present class"
    )
    unlabelled = serializers.IntegerField(help_text="samples that change and have no label now")
    moves = MoveSerializer(many=True, help_text="between splits; a label takes a sample out of the pool")
    refused = RefusedSerializer(many=True, help_text="samples that can't be changed this way, by reason")
    held_out = serializers.IntegerField(
        help_text="samples that stay in pool, because they show nearly what a test image shows"
    )
    leaks = serializers.IntegerField(help_text="samples of train and val that show nearly what new test images show")
