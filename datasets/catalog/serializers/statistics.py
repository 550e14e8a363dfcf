"""Serializers of the statistics of a version."""

from typing import Any

from rest_framework import serializers


class BarSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    count = serializers.IntegerField()
    filter = serializers.CharField(help_text="leads to the samples behind the count")


class AttributeValueSerializer(serializers.Serializer[None]):
    value = serializers.JSONField(help_text="a text, number, true or false")
    count = serializers.IntegerField()
    filter = serializers.CharField(allow_null=True)


class AttributeFiguresSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    objects = serializers.IntegerField(help_text="objects that have the attribute")
    values = AttributeValueSerializer(many=True, help_text="the most frequent ones")
    others = serializers.IntegerField(help_text="objects with other values")
    min = serializers.FloatField(allow_null=True, help_text="smallest of its numbers")
    max = serializers.FloatField(allow_null=True)


class TogetherSerializer(serializers.Serializer[None]):
    classes = serializers.ListField(child=serializers.CharField())
    images = serializers.IntegerField()
    filter = serializers.CharField()


class ObjectFiguresSerializer(serializers.Serializer[None]):
    boxes = serializers.IntegerField()
    polygons = serializers.IntegerField()
    ignored = serializers.IntegerField(help_text="ignore regions")
    images_without = serializers.IntegerField(help_text="labelled images without an object")
    per_image = BarSerializer(many=True, help_text="labelled images by how many objects they have")
    sizes = BarSerializer(many=True, help_text="objects, as COCO has it: small under 32², large from 96² square pixels")
    sides = BarSerializer(many=True, help_text="objects by the square root of their area, in pixels")
    aspects = BarSerializer(many=True, help_text="objects by width divided by height")
    together = TogetherSerializer(many=True, help_text="classes that come in one image, the most frequent pairs")
    attributes = AttributeFiguresSerializer(many=True)


class ClassFiguresSerializer(serializers.Serializer[None]):
    # "class" is a Python keyword
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            "class": serializers.CharField(),
            "images": serializers.IntegerField(),
            "objects": serializers.IntegerField(allow_null=True),
            "by_split": serializers.DictField(child=serializers.IntegerField(), help_text="images"),
            "filter": serializers.CharField(),
        }


class StatisticsSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    filter = serializers.CharField(allow_null=True, help_text="filter of the samples, as text; null: all samples")
    images = serializers.IntegerField()
    labelled = serializers.IntegerField()
    by_split = serializers.DictField(child=serializers.IntegerField())
    classes = ClassFiguresSerializer(many=True)
    objects = ObjectFiguresSerializer(allow_null=True, help_text="null where labels hold no objects")
