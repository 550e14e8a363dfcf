"""Serializers of erasures."""

from typing import Any

from rest_framework import serializers

from catalog.models import Erasure

MAX_REASON = 500


class SpanSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    first = serializers.IntegerField()
    last = serializers.IntegerField()


class ContainedInSerializer(serializers.Serializer[None]):
    versions = SpanSerializer(many=True)
    models = serializers.ListField(child=serializers.DictField(), required=False)
    runs = serializers.ListField(child=serializers.DictField(), required=False)
    mining_jobs = serializers.ListField(child=serializers.DictField(), required=False)
    score_files = serializers.ListField(child=serializers.DictField(), required=False)
    exports = serializers.ListField(child=serializers.DictField(), required=False)


class NewErasureSerializer(serializers.Serializer[None]):
    key = serializers.CharField(required=False, trim_whitespace=False)
    keys = serializers.ListField(child=serializers.CharField(trim_whitespace=False), required=False)
    reason = serializers.CharField(max_length=MAX_REASON)
    confirm = serializers.CharField(help_text="the dataset's name")
    everywhere = serializers.BooleanField(default=False, help_text="also other samples with the same bytes")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Join `key` and `keys` into one list of keys."""
        keys = [*attrs.pop("keys", []), *([attrs.pop("key")] if "key" in attrs else [])]
        return attrs | {"keys": keys}


class ErasureSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key_digest = serializers.CharField()
    reason = serializers.CharField()
    by = serializers.CharField()
    created = serializers.DateTimeField()
    job = serializers.IntegerField()
    state = serializers.CharField()
    report = serializers.DictField()


class ErasureListSerializer(serializers.Serializer[None]):
    results = ErasureSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def erasure_document(erasure: Erasure) -> dict[str, Any]:
    """An erasure as the API shows it; `by` and `job` must be loaded."""
    return {name: getattr(erasure, name) for name in ("id", "key_digest", "reason", "created", "report")} | {
        "by": erasure.by.username,
        "job": erasure.job_id,
        "state": erasure.job.state,
    }  # fmt: skip
