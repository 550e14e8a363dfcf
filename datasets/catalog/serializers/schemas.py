"""Serializers of label schemas."""

from rest_framework import serializers

from catalog.schemas.palette import DASHES, KEYS
from catalog.serializers.commits import MAX_MESSAGE

MAX_GUIDELINE = 4000
MAX_WHOLE = 20_000
KEY = "1 to 9, 0, or shift+ and one of them; null for none"


class ExampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    digest = serializers.CharField()
    thumb = serializers.CharField()
    note = serializers.CharField(allow_blank=True)


class LabelClassSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    key = serializers.CharField(allow_null=True, help_text=KEY)
    colour = serializers.CharField(help_text="#rrggbb")
    dash = serializers.IntegerField(help_text=f"0 to {DASHES - 1}: which dash pattern; 0 is none")
    guideline = serializers.CharField(allow_blank=True)
    examples = ExampleSerializer(many=True)
    archived = serializers.BooleanField(help_text="no longer offered to annotators; old labels may say it")


class LabelSchemaSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    classes = LabelClassSerializer(many=True)
    guideline = serializers.CharField(allow_blank=True)
    multi_label = serializers.BooleanField()


class SchemaChangeRowSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    created = serializers.DateTimeField()
    author = serializers.CharField()
    message = serializers.CharField(allow_blank=True)


class DatasetSchemaSerializer(LabelSchemaSerializer):
    history = SchemaChangeRowSerializer(many=True, help_text="the newest first")


class NewExampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField(trim_whitespace=False, max_length=2000)
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)


class NewLabelClassSerializer(serializers.Serializer[None]):
    """A class of the new schema. Fields that are left out stay as they are; a new class takes the next free key and
    look."""

    name = serializers.CharField(trim_whitespace=False)
    key = serializers.ChoiceField(choices=KEYS, required=False, allow_null=True, help_text=KEY)
    colour = serializers.RegexField(r"^#[0-9a-fA-F]{6}\Z", required=False)
    dash = serializers.IntegerField(required=False, min_value=0, max_value=DASHES - 1)
    guideline = serializers.CharField(required=False, allow_blank=True, max_length=MAX_GUIDELINE)
    examples = NewExampleSerializer(many=True, required=False)
    archived = serializers.BooleanField(required=False)


class NewSchemaSerializer(serializers.Serializer[None]):
    classes = NewLabelClassSerializer(many=True)
    guideline = serializers.CharField(required=False, allow_blank=True, max_length=MAX_WHOLE)
    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(min_value=1, help_text="the version this is a change of")  # type: ignore[assignment]  # DRF pops declared fields
