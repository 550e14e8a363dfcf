"""Serializers of tags and aliases, differences, forks and merges."""

from typing import Any

from rest_framework import serializers

from catalog.models import OWN_NAME, Revision, VersionName
from catalog.serializers.commits import MAX_MESSAGE
from catalog.serializers.samples import SampleSerializer, sample_document
from catalog.versions.diffs import KINDS, Difference
from catalog.versions.three_way import PREFER
from core.forms import ReferenceField


class NameSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=VersionName.Kind.choices)
    version = serializers.IntegerField()
    protected = serializers.BooleanField()
    by = serializers.CharField()
    created = serializers.DateTimeField()
    moved = serializers.DateTimeField()


class NameListSerializer(serializers.Serializer[None]):
    results = NameSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewTagSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100)
    version = ReferenceField(max_length=100, help_text="a number, `v3`, `head` or another name")


class SetAliasSerializer(serializers.Serializer[None]):
    alias = serializers.CharField(max_length=100)
    version = ReferenceField(max_length=100, help_text="a number, `v3`, `head` or another name")
    protected = serializers.BooleanField(required=False, allow_null=True, default=None, help_text="only owners move it")


class ForkSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    version = ReferenceField(max_length=100, default="head")
    description = serializers.CharField(required=False, allow_blank=True, default="", max_length=10_000)


class MergeSerializer(serializers.Serializer[None]):
    version = ReferenceField(max_length=100, default="head")
    prefer = serializers.ChoiceField(choices=PREFER, required=False, allow_null=True, default=None)
    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, which can't be declared as an attribute because it is a Python keyword."""
        return {"from": ReferenceField(max_length=100, help_text="a dataset, by id or name")} | super().get_fields()


class RevertSerializer(serializers.Serializer[None]):
    version = ReferenceField(
        max_length=100, help_text="version whose changes are undone: a number, `v3`, `head` or a name"
    )
    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)


class DiffSerializer(serializers.Serializer[None]):
    to = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    by_class = serializers.DictField(child=serializers.IntegerField())
    by_split = serializers.DictField(child=serializers.IntegerField())

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Add `from`, and for each kind of difference the URL of its first page."""
        pages = {kind: serializers.CharField() for kind in KINDS}
        return {"from": serializers.IntegerField()} | super().get_fields() | pages


class DifferenceSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    kinds = serializers.ListField(child=serializers.ChoiceField(choices=KINDS))
    before = SampleSerializer(allow_null=True)
    after = SampleSerializer(allow_null=True)


class DifferenceListSerializer(serializers.Serializer[None]):
    results = DifferenceSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def name_document(named: VersionName) -> dict[str, Any]:
    """A tag or an alias as the API shows it; `version` and `by` must be loaded."""
    fields = ("name", "kind", "protected", "created", "moved")
    told = {name: getattr(named, name) for name in fields}
    return told | {"version": named.version.number, "by": named.by.username}


def difference_document(found: Difference, rows: dict[int, Revision]) -> dict[str, Any]:
    """A sample that differs as the API shows it: before and after."""
    before, after = (rows[state.revision] if state else None for state in (found.before, found.after))
    shown = after or before
    return {
        "key": shown.sample.key if shown else "",
        "kinds": list(found.kinds),
        "before": sample_document(before) if before else None,
        "after": sample_document(after) if after else None,
    }
