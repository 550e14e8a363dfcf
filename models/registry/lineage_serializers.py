"""Serializers of what a model version learned from, and what descends from it."""

from typing import get_args

from rest_framework import serializers

from registry.ancestry import How


class RelativeSerializer(serializers.Serializer[None]):
    model = serializers.CharField()
    version = serializers.IntegerField()
    how = serializers.ChoiceField(choices=get_args(How))
    of = serializers.CharField(help_text="version that it is one step from, like signs@3")
    aliases = serializers.ListField(child=serializers.CharField())


class LearnedFromSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    dataset_version = serializers.IntegerField()
    samples = serializers.IntegerField(allow_null=True, help_text="labelled samples in train that were read, if known")
    erased = serializers.IntegerField(help_text="samples that the dataset version has lost to erasures")
    by = serializers.CharField(help_text="version whose run read it: this one, or one that it descends from")
    run = serializers.IntegerField()


class JudgedBySerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    dataset_version = serializers.IntegerField()
    split = serializers.CharField(help_text="test and val: evaluated and calibrated on; train: the file was proved on")
    samples = serializers.IntegerField(allow_null=True)


class DescendingRunSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    model = serializers.CharField()
    state = serializers.CharField()
    of = serializers.CharField()


class HiddenRelativesSerializer(serializers.Serializer[None]):
    parents = serializers.IntegerField()
    descendants = serializers.IntegerField()


class VersionLineageSerializer(serializers.Serializer[None]):
    model = serializers.CharField()
    version = serializers.IntegerField()
    aliases = serializers.ListField(child=serializers.CharField())
    former_aliases = serializers.ListField(child=serializers.CharField())
    learned_from = LearnedFromSerializer(many=True)
    judged_by = JudgedBySerializer(many=True)
    parents = RelativeSerializer(many=True, help_text="each step to a version whose weights it carries")
    descendants = RelativeSerializer(many=True, help_text="each step to a version that carries its weights")
    runs = DescendingRunSerializer(many=True, help_text="runs without a version that start from it or a descendant")
    hidden = HiddenRelativesSerializer(help_text="those in projects that you may not see")
