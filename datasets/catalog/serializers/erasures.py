"""Serializers of erasures."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from catalog.models import Erasure

MAX_REASON = 500


class SpanSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    first = serializers.IntegerField()
    last = serializers.IntegerField()
    split = serializers.CharField(required=False)
    labelled = serializers.BooleanField(required=False)


class StepSerializer(serializers.Serializer[None]):
    model = serializers.CharField(allow_null=True, help_text="null: in a project that you may not see")
    version = serializers.IntegerField(allow_null=True)
    how = serializers.CharField(help_text="started from, member or derived")


class ContainingModelSerializer(serializers.Serializer[None]):
    """A model version. In records from before a release that looked at splits, only the first five fields are there."""

    model = serializers.CharField()
    version = serializers.IntegerField()
    digest = serializers.CharField()
    dataset = serializers.CharField(
        allow_null=True, help_text="dataset in which it read the sample itself; null: it learned only `through` others"
    )
    dataset_version = serializers.IntegerField(allow_null=True)
    id = serializers.IntegerField(required=False)
    relation = serializers.ChoiceField(
        choices=["learned", "judged", "proved"],
        required=False,
        help_text="learned: its weights were made from the sample; judged: evaluated or calibrated on it; proved: the "
        "file of a version without a run was checked on it",
    )
    split = serializers.CharField(allow_null=True, required=False)
    run = serializers.IntegerField(allow_null=True, required=False)
    through = StepSerializer(many=True, required=False, help_text="its parents that learned from the sample")
    aliases = serializers.ListField(child=serializers.CharField(), required=False)
    former_aliases = serializers.ListField(child=serializers.CharField(), required=False)
    deleted = serializers.BooleanField(required=False, help_text="its files are deleted")
    since = serializers.BooleanField(required=False, help_text="made since the erasure")
    clean = serializers.IntegerField(
        allow_null=True,
        required=False,
        help_text="newest version of the model that did not learn from the sample, if there is one",
    )
    action = serializers.ChoiceField(
        choices=["replace", "retire", "none"],
        required=False,
        help_text="replace: an alias points to it, so train again without the sample, or move the alias to `clean`; "
        "retire: no alias does, so start nothing from it; none: it did not learn from the sample, or is deleted",
    )


class ContainingRunSerializer(serializers.Serializer[None]):
    """A run without a version."""

    id = serializers.IntegerField()
    model = serializers.CharField()
    state = serializers.CharField()
    dataset = serializers.CharField()
    dataset_version = serializers.IntegerField()
    relation = serializers.ChoiceField(choices=["learned", "judged"], required=False)
    split = serializers.CharField(allow_null=True, required=False)
    began = serializers.BooleanField(required=False, help_text="false: it has read nothing yet")
    through = StepSerializer(many=True, required=False)


class PickedBySerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    dataset = serializers.CharField()
    dataset_version = serializers.IntegerField()
    picked = serializers.BooleanField()
    rank = serializers.IntegerField(required=False)
    control = serializers.BooleanField(required=False)
    strategy = serializers.CharField(required=False)
    model = serializers.CharField(allow_null=True, required=False)


class ScoredInSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    job = serializers.IntegerField()
    kind = serializers.CharField()
    model_digest = serializers.CharField()
    model = serializers.CharField(allow_null=True, required=False)
    rows = serializers.IntegerField()
    unread = serializers.BooleanField(required=False, help_text="the file can't be read now: it may hold scores of it")


class AskedInSerializer(serializers.Serializer[None]):
    queue = serializers.CharField()
    state = serializers.CharField(help_text="state of the task")
    dataset = serializers.CharField()


class AskedByRoundSerializer(serializers.Serializer[None]):
    pipeline = serializers.CharField()
    round = serializers.IntegerField()
    queue = serializers.CharField()


class ContainedInSerializer(serializers.Serializer[None]):
    versions = SpanSerializer(many=True)
    models = ContainingModelSerializer(many=True)
    runs = ContainingRunSerializer(many=True)
    mining_jobs = PickedBySerializer(many=True, help_text="mining jobs that picked it")
    score_files = ScoredInSerializer(many=True, help_text="files that hold scores of its bytes")
    queues = AskedInSerializer(many=True, help_text="queues that ask, or asked, for its label")
    rounds = AskedByRoundSerializer(many=True, help_text="rounds of pipelines whose queue asked for its label")
    exports = serializers.ListField(child=serializers.DictField())
    hidden = serializers.DictField(
        child=serializers.IntegerField(), help_text="by list, the number of rows in projects that you may not see"
    )


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


def erasure_document(erasure: Erasure, report: Mapping[str, Any]) -> dict[str, Any]:
    """An erasure as the API shows it, with its report as it is now; `by` and `job` must be loaded."""
    return {name: getattr(erasure, name) for name in ("id", "key_digest", "reason", "created")} | {
        "report": report,
        "by": erasure.by.username,
        "job": erasure.job_id,
        "state": erasure.job.state,
    }  # fmt: skip
