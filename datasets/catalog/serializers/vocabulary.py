"""Serializers of the vocabulary of filters, of a checked filter, and of a change of tags."""

from rest_framework import serializers

from catalog.filtering.expressions import KINDS
from catalog.serializers.commits import CommitTermsSerializer
from catalog.serializers.filters import FilterDocumentField, FilterField
from core.forms import ReferenceField


class FilterNameSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    words = serializers.CharField()


class FilterFieldSerializer(FilterNameSerializer):
    kind = serializers.ChoiceField(choices=KINDS)
    operators = serializers.ListField(child=serializers.CharField())
    values = serializers.ListField(child=serializers.CharField(), help_text="some that are there, or all there can be")


class VocabularySerializer(serializers.Serializer[None]):
    fields = FilterFieldSerializer(many=True)  # type: ignore[assignment]  # what DRF calls so is a property of forms
    objects = FilterNameSerializer(many=True)
    object_fields = FilterFieldSerializer(many=True)


class FilterToCheckSerializer(serializers.Serializer[None]):
    filter = FilterField()
    version = ReferenceField(default="head", help_text="a number, `v3`, `head`, a tag or an alias")


class CheckedFilterSerializer(serializers.Serializer[None]):
    text = serializers.CharField(help_text="the text form, as it is always written")
    filter = FilterDocumentField(help_text="the JSON form, with slices written out")
    version = serializers.IntegerField()
    count = serializers.IntegerField(help_text="samples of the version that pass")


class TagChangeSerializer(CommitTermsSerializer):
    filter = FilterField(help_text="filter that chooses samples of the head")
    add = serializers.ListField(child=serializers.CharField(), default=list, max_length=50)
    remove = serializers.ListField(child=serializers.CharField(), default=list, max_length=50)
