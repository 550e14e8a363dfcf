"""Serializers of samples in a version and of their history."""

from typing import Any

from rest_framework import serializers

from blobs.models import Blob
from catalog.models import Label, Revision, Split
from catalog.serializers.erasures import ContainedInSerializer
from catalog.serializers.labelling import LabelFactsSerializer
from catalog.serializers.labels import LabelField


class OriginalSerializer(serializers.Serializer[None]):
    digest = serializers.CharField()
    url = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()


class SampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    digest = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = LabelField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    label_source = serializers.ChoiceField(choices=Label.Source.choices, allow_null=True)
    label_facts = LabelFactsSerializer(allow_null=True)
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    media_type = serializers.CharField()
    original = OriginalSerializer(
        allow_null=True, help_text="the file that was sent, if the image was converted from it"
    )
    meta = serializers.DictField()
    url = serializers.CharField()
    thumb = serializers.CharField()


class ManifestSampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    md5 = serializers.CharField()
    size = serializers.IntegerField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = LabelField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    meta = serializers.DictField()
    original = serializers.CharField(allow_null=True, help_text="the md5 of what the image was made of")


class ManifestEndSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField(help_text="number of lines before this one")


class SampleListSerializer(serializers.Serializer[None]):
    results = SampleSerializer(many=True)
    total = serializers.IntegerField()
    offset = serializers.IntegerField(allow_null=True)
    next = serializers.CharField(allow_null=True)


class SampleKeySerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()


class SampleKeyListSerializer(serializers.Serializer[None]):
    results = SampleKeySerializer(many=True)
    total = serializers.IntegerField()
    offset = serializers.IntegerField()
    version = serializers.IntegerField()


class FacetsSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField()
    split = serializers.DictField(child=serializers.IntegerField())
    label = serializers.DictField(child=serializers.IntegerField())  # type: ignore[assignment]  # DRF pops declared fields
    labelled = serializers.DictField(child=serializers.IntegerField())
    scored = serializers.IntegerField(
        allow_null=True, help_text="samples that the model `predicted_by` has scored, if one is named"
    )
    predicted = serializers.DictField(child=serializers.IntegerField(), allow_null=True)
    correct = serializers.DictField(
        child=serializers.IntegerField(), allow_null=True, help_text="null: not to be told of this task type"
    )


class SampleDetailSerializer(SampleSerializer):
    dataset = serializers.CharField()
    version = serializers.IntegerField()


class RevisionSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField(help_text="dataset of the version; a fork's history begins in its origin")
    since = serializers.IntegerField()
    until = serializers.IntegerField(allow_null=True, help_text="the first version in which this no longer holds")
    digest = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = LabelField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    message = serializers.CharField()
    author = serializers.CharField()
    created = serializers.DateTimeField()


class LabelSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    value = LabelField()
    source = serializers.ChoiceField(choices=Label.Source.choices)  # type: ignore[assignment]  # DRF pops declared fields
    author = serializers.CharField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    facts = LabelFactsSerializer(allow_null=True)
    created = serializers.DateTimeField()


class LineageSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    dataset = serializers.CharField()
    revisions = RevisionSerializer(many=True)
    labels = LabelSerializer(many=True)
    contained_in = ContainedInSerializer()


def sample_document(revision: Revision) -> dict[str, Any]:
    """A sample in one version as the API shows it; `sample`, `blob`, `original` and `label` must be loaded."""
    blob, label = revision.blob, revision.label
    return {
        "id": revision.sample_id,
        "key": revision.sample.key,
        "digest": blob.md5,
        "split": revision.split,
        "label": label.value if label else None,
        "label_source": label.source if label else None,
        "label_facts": label.facts if label else None,
        "width": blob.width,
        "height": blob.height,
        "media_type": blob.media_type,
        "original": _original(revision.original),
        "meta": revision.meta,
        "url": f"/blobs/{blob.md5}",
        "thumb": f"/thumbs/{blob.md5}",
    }


def _original(blob: Blob | None) -> dict[str, Any] | None:
    if blob is None:
        return None
    return {"digest": blob.md5, "url": f"/blobs/{blob.md5}", "media_type": blob.media_type, "bytes": blob.size}
