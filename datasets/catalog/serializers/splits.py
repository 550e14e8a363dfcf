"""Serializers of near-duplicates and slices."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from catalog.curation.near_duplicates import Decided
from catalog.filtering.documents import read_document
from catalog.filtering.faults import Faults
from catalog.filtering.printing import write_text
from catalog.intake.ingest import NEAR_DUPLICATES
from catalog.models import NAME, NearDuplicate, Revision, Slice, Split
from catalog.serializers.commits import RejectionSerializer
from catalog.serializers.filters import FilterDocumentField, FilterField
from core.forms import ChangeSerializer


class NearDuplicateSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    of = serializers.CharField(help_text="the test sample that shows nearly the same")
    split = serializers.ChoiceField(
        choices=Split.choices, allow_null=True, help_text="split in the head; null: the sample is not in the head"
    )
    distance = serializers.FloatField(help_text="bits of 64 for `pixels`, 1 - cosine for a model's embeddings")
    found_by = serializers.CharField(help_text="`pixels`, or the model version whose embeddings were compared")
    allowed = serializers.BooleanField(help_text="may be trained on all the same")
    confirmed = serializers.BooleanField(
        help_text="whether a look at the pixels confirmed it; false: an older release found it by hashes alone"
    )
    labelled = serializers.BooleanField()
    thumb = serializers.CharField(allow_null=True)
    of_thumb = serializers.CharField(allow_null=True)
    since = serializers.IntegerField(help_text="the version in which it was found")


class NearDuplicateCountsSerializer(serializers.Serializer[None]):
    kept_out = serializers.IntegerField(help_text="samples of the pool that are not trained on")
    kept_out_labelled = serializers.IntegerField()
    in_train = serializers.IntegerField(
        help_text="samples in train that are neither kept out nor allowed: decide on them"
    )
    allowed = serializers.IntegerField()
    unchecked = serializers.IntegerField(help_text="found by hashes alone: POST .../near-duplicates/check")


class NearDuplicateListSerializer(serializers.Serializer[None]):
    results = NearDuplicateSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    counts = NearDuplicateCountsSerializer()


class NearDuplicateDecisionSerializer(serializers.Serializer[None]):
    decision = serializers.ChoiceField(choices=NEAR_DUPLICATES)
    keys = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False, max_length=2000),
        required=False,
        allow_empty=False,
        max_length=100_000,
        help_text="keys of samples with a near-duplicate in test",
    )
    all = serializers.BooleanField(default=False, help_text="instead of keys")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["all"] == ("keys" in attrs):
            raise serializers.ValidationError({"keys": "send `keys`, or `all`: true for every near-duplicate"})
        return attrs


class NearDuplicateDecidedSerializer(serializers.Serializer[None]):
    near_duplicates = serializers.IntegerField(help_text="number of near-duplicates that were decided on")
    moved = serializers.IntegerField(help_text="samples that went to train, or out of it")
    version = serializers.IntegerField(allow_null=True, help_text="the commit that moved them")
    rejected = RejectionSerializer(many=True)


class NewSliceSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[NAME])
    filter = FilterField()


class SliceChangeSerializer(ChangeSerializer):
    name = serializers.CharField(max_length=100, validators=[NAME], required=False, help_text="another name for it")
    filter = FilterField(required=False, help_text="new filter of the slice")


class SliceSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    filter = FilterDocumentField()
    text = serializers.CharField(help_text="the same filter as text")
    created_by = serializers.CharField()
    created = serializers.DateTimeField()
    changed = serializers.DateTimeField()


class SliceListSerializer(serializers.Serializer[None]):
    results = SliceSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class SliceDetailSerializer(SliceSerializer):
    version = serializers.IntegerField(allow_null=True)
    count = serializers.IntegerField(help_text="number of samples of the version in the slice")


def slice_document(row: Slice) -> dict[str, Any]:
    """A slice as the API shows it; `created_by` must be loaded."""
    names = ("name", "filter", "created", "changed")
    return {name: getattr(row, name) for name in names} | {
        "created_by": row.created_by.username,
        "text": write_text(read_document(row.filter, Faults())),
    }


def near_duplicate_document(row: NearDuplicate, held: Mapping[int, Revision]) -> dict[str, Any]:
    """A near-duplicate as the API shows it; `sample` and `of` must be loaded, `held` are the head's revisions."""
    names = ("distance", "found_by", "allowed", "confirmed", "since")
    sample, of = held.get(row.sample_id), held.get(row.of_id)
    return {
        "key": row.sample.key,
        "of": row.of.key,
        "split": sample.split if sample else None,
        "labelled": sample is not None and sample.label_id is not None,
        "thumb": f"/thumbs/{sample.blob.md5}" if sample else None,
        "of_thumb": f"/thumbs/{of.blob.md5}" if of else None,
    } | {name: getattr(row, name) for name in names}


def decided_document(decided: Decided) -> dict[str, Any]:
    """The result of a decision as the API shows it."""
    commit = decided.commit
    return {
        "near_duplicates": decided.near_duplicates,
        "moved": decided.moved,
        "version": commit.version.number if commit and commit.version else None,
        "rejected": [item.document() for item in commit.rejected] if commit else [],
    }
