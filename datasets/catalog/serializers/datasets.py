"""Serializers of datasets and their versions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.people_serializers import WHICH_PROJECT
from catalog.models import OWN_NAME, Dataset, Version, no_counts
from catalog.serializers.labelling import VersionLabellingSerializer
from catalog.versions.datasets import several
from core.forms import ChangeSerializer, NamesField, ReferenceField
from tasktypes import names

SPLIT_RULE = "rule that assigns new samples to splits; null: none, samples get a split only where one is given"


class TaskField(serializers.ChoiceField):
    """A task type, by name."""

    def __init__(self, **told: Any) -> None:
        super().__init__(choices=names(), **told)
        self.error_messages["invalid_choice"] = f"must be one of {', '.join(names())}, not {{input}}"


class CountsSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField()
    labelled = serializers.IntegerField()
    by_split = serializers.DictField(child=serializers.IntegerField())
    by_class = serializers.DictField(child=serializers.IntegerField())


class PlaceSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    version = serializers.IntegerField()


class SplitRuleSerializer(serializers.Serializer[None]):
    group = serializers.CharField(help_text="meta.NAME, folder, key or regex:PATTERN")
    fractions = serializers.DictField(child=serializers.FloatField(), help_text="share of all groups, by split")
    seed = serializers.CharField(required=False, allow_blank=True)


@extend_schema_field(SplitRuleSerializer)
class SplitRuleField(serializers.JSONField):
    """A split rule. `SplitRule.of` parses and checks it."""


class DatasetSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    project = serializers.CharField()
    task = serializers.CharField(help_text="name of the task type")
    classes = serializers.ListField(child=serializers.CharField())
    multi_label = serializers.BooleanField(help_text="a sample may have several classes, or none of them")
    label_kind = serializers.CharField(help_text="kind of label that formats hold (`tasks` of `/formats`)")
    trainable = serializers.BooleanField(help_text="models can be trained on it")
    schema_version = serializers.IntegerField(help_text="version of the label schema: see `/datasets/{id}/schema`")
    description = serializers.CharField()
    split_rule = SplitRuleField(allow_null=True, help_text=SPLIT_RULE)
    head = serializers.IntegerField(allow_null=True)
    origin = PlaceSerializer(allow_null=True, help_text="version that this dataset was forked from")
    counts = CountsSerializer()
    archived = serializers.DateTimeField(allow_null=True, help_text="since when it can only be read")
    created = serializers.DateTimeField()


class DatasetListSerializer(serializers.Serializer[None]):
    results = DatasetSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewDatasetSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    task = TaskField()
    classes = NamesField(child=serializers.CharField(max_length=200), min_length=1, max_length=10_000)
    multi_label = serializers.BooleanField(required=False, help_text="with `classification` it means `multilabel`")
    description = serializers.CharField(required=False, allow_blank=True, default="", max_length=10_000)
    split_rule = SplitRuleField(required=False, allow_null=True, help_text=SPLIT_RULE)
    project = ReferenceField(max_length=100, required=False, help_text=WHICH_PROJECT)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.pop("multi_label", False):
            attrs["task"] = several(attrs["task"])
        return attrs


class DatasetChangeSerializer(ChangeSerializer):
    """A change of a dataset; fields that are left out stay as they are."""

    name = serializers.CharField(max_length=100, validators=[OWN_NAME], required=False)
    description = serializers.CharField(allow_blank=True, required=False)
    split_rule = SplitRuleField(allow_null=True, required=False, help_text=SPLIT_RULE)


class VersionSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    message = serializers.CharField()
    author = serializers.CharField()
    created = serializers.DateTimeField()
    added = serializers.IntegerField()
    updated = serializers.IntegerField()
    removed = serializers.IntegerField()
    labelled = serializers.IntegerField()
    erased = serializers.IntegerField(help_text="samples it held that were erased for privacy")
    schema_version = serializers.IntegerField(help_text="the label schema it was labelled with")
    counts = CountsSerializer()
    names = serializers.ListField(child=serializers.CharField(), help_text="tags and aliases")
    merged = PlaceSerializer(allow_null=True, help_text="the version of another dataset that this one took in")
    labelling = VersionLabellingSerializer(allow_null=True)


class VersionListSerializer(serializers.Serializer[None]):
    results = VersionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def dataset_document(dataset: Dataset) -> dict[str, Any]:
    """A dataset as the API shows it; `project`, `head` and `origin` (with its dataset) must be loaded."""
    columns = ("id", "name", "task", "classes", "schema_version", "description", "split_rule", "archived", "created")
    fields = (*columns, "multi_label", "trainable")
    return {name: getattr(dataset, name) for name in fields} | {
        "project": dataset.project.name,
        "label_kind": dataset.task,
        "head": dataset.head.number if dataset.head else None,
        "origin": _place(dataset.origin),
        "counts": dataset.head.counts if dataset.head else no_counts(),
    }


def version_document(version: Version) -> dict[str, Any]:
    """A version as the API shows it; `parent`, `author`, `names` and `merged` (with its dataset) must be loaded."""
    counted = ("added", "updated", "removed", "labelled", "erased", "counts", "labelling")
    fields = ("message", "created", "schema_version", *counted)
    return {"version": version.number} | {name: getattr(version, name) for name in fields} | {
        "parent": version.parent.number if version.parent else None,
        "author": version.author.username,
        "names": sorted(named.name for named in version.names.all()),
        "merged": _place(version.merged),
    }  # fmt: skip


def _place(version: Version | None) -> dict[str, Any] | None:
    return {"dataset": version.dataset.name, "version": version.number} if version else None
