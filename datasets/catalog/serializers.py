"""The catalog's documents, in and out: validation of requests, shapes of answers, the OpenAPI schema."""

from typing import Any

from rest_framework import serializers

from catalog.models import Dataset, Label, Revision, Split, Task, Version, no_counts
from formats import format_names

MAX_MESSAGE = 500


class CountsSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField()
    labelled = serializers.IntegerField()
    by_split = serializers.DictField(child=serializers.IntegerField())
    by_class = serializers.DictField(child=serializers.IntegerField())


class DatasetSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    task = serializers.ChoiceField(choices=Task.choices)
    classes = serializers.ListField(child=serializers.CharField())
    description = serializers.CharField()
    head = serializers.IntegerField(allow_null=True)
    counts = CountsSerializer()
    created = serializers.DateTimeField()


class DatasetListSerializer(serializers.Serializer[None]):
    results = DatasetSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewDatasetSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100)
    task = serializers.ChoiceField(choices=Task.choices)
    classes = serializers.ListField(child=serializers.CharField(), max_length=10_000)
    description = serializers.CharField(required=False, allow_blank=True, default="", max_length=10_000)


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
    counts = CountsSerializer()


class VersionListSerializer(serializers.Serializer[None]):
    results = VersionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RejectionSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class RecognisedSerializer(serializers.Serializer[None]):
    format = serializers.CharField()
    why = serializers.CharField()


class CommitSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField(allow_null=True)
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    added = serializers.IntegerField()
    updated = serializers.IntegerField()
    removed = serializers.IntegerField()
    labelled = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    rejected = RejectionSerializer(many=True)
    recognised = RecognisedSerializer(allow_null=True, required=False)


class NewSampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField(trim_whitespace=False, max_length=2000)
    data = serializers.CharField(required=False, help_text="base64; leave it out to change a sample that is there")  # type: ignore[assignment]  # DRF pops declared fields
    url = serializers.CharField(required=False)
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    label = serializers.JSONField(required=False, allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    meta = serializers.DictField(required=False)

    def validate_url(self, _: str) -> str:
        raise serializers.ValidationError("images are not fetched from addresses yet: send `data` (base64) or files")


class NewLabelSerializer(serializers.Serializer[None]):
    key = serializers.CharField(trim_whitespace=False, max_length=2000)
    label = serializers.JSONField()  # type: ignore[assignment]  # DRF pops declared fields


class CommitDocumentSerializer(serializers.Serializer[None]):
    samples = NewSampleSerializer(many=True, required=False)
    labels = NewLabelSerializer(many=True, required=False)
    remove = serializers.ListField(child=serializers.CharField(trim_whitespace=False), required=False)
    message = serializers.CharField(required=False, allow_blank=True, max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(required=False, allow_null=True, min_value=0)  # type: ignore[assignment]  # DRF pops declared fields


class CommitUploadSerializer(serializers.Serializer[None]):
    files = serializers.ListField(child=serializers.FileField(allow_empty_file=True), required=False)
    archive = serializers.FileField(required=False, allow_empty_file=True, help_text="zip, tar or tar.gz")
    annotations = serializers.FileField(required=False, allow_empty_file=True)
    format = serializers.ChoiceField(choices=["auto", *format_names()], default="auto")
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)  # type: ignore[assignment]  # DRF pops declared fields


class SampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    digest = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = serializers.DictField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    label_source = serializers.ChoiceField(choices=Label.Source.choices, allow_null=True)
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    media_type = serializers.CharField()
    meta = serializers.DictField()
    url = serializers.CharField()
    thumb = serializers.CharField()


class SampleListSerializer(serializers.Serializer[None]):
    results = SampleSerializer(many=True)
    total = serializers.IntegerField()
    offset = serializers.IntegerField(allow_null=True)
    next = serializers.CharField(allow_null=True)


class FacetsSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField()
    split = serializers.DictField(child=serializers.IntegerField())
    label = serializers.DictField(child=serializers.IntegerField())  # type: ignore[assignment]  # DRF pops declared fields
    labelled = serializers.DictField(child=serializers.IntegerField())


class SampleDetailSerializer(SampleSerializer):
    dataset = serializers.CharField()
    version = serializers.IntegerField()


class RevisionSerializer(serializers.Serializer[None]):
    since = serializers.IntegerField()
    until = serializers.IntegerField(allow_null=True, help_text="the first version in which this no longer holds")
    digest = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = serializers.DictField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    message = serializers.CharField()
    author = serializers.CharField()
    created = serializers.DateTimeField()


class LabelSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    value = serializers.DictField()
    source = serializers.ChoiceField(choices=Label.Source.choices)  # type: ignore[assignment]  # DRF pops declared fields
    author = serializers.CharField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    created = serializers.DateTimeField()


class LineageSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    dataset = serializers.CharField()
    revisions = RevisionSerializer(many=True)
    labels = LabelSerializer(many=True)


def dataset_document(dataset: Dataset) -> dict[str, Any]:
    """A dataset as the API shows it; `head` must be loaded."""
    fields = ("id", "name", "task", "classes", "description", "created")
    return {name: getattr(dataset, name) for name in fields} | {
        "head": dataset.head.number if dataset.head else None,
        "counts": dataset.head.counts if dataset.head else no_counts(),
    }


def version_document(version: Version) -> dict[str, Any]:
    """A version as the API shows it; `parent` and `author` must be loaded."""
    fields = ("message", "created", "added", "updated", "removed", "labelled", "counts")
    return {"version": version.number} | {name: getattr(version, name) for name in fields} | {
        "parent": version.parent.number if version.parent else None,
        "author": version.author.username,
    }  # fmt: skip


def sample_document(revision: Revision) -> dict[str, Any]:
    """A sample in one version; `sample`, `blob` and `label` must be loaded."""
    blob, label = revision.blob, revision.label
    return {
        "id": revision.sample_id,
        "key": revision.sample.key,
        "digest": blob.md5,
        "split": revision.split,
        "label": label.value if label else None,
        "label_source": label.source if label else None,
        "width": blob.width,
        "height": blob.height,
        "media_type": blob.media_type,
        "meta": revision.meta,
        "url": f"/blobs/{blob.md5}",
        "thumb": f"/thumbs/{blob.md5}",
    }
