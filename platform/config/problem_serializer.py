"""The document of every refusal, `application/problem+json`."""

from rest_framework import serializers

from catalog.serializers.commits import IncompleteSerializer, RejectionSerializer
from catalog.serializers.datasets import PlaceSerializer
from catalog.serializers.labels import LabelField
from jobs.api import JobSerializer
from jobs.lifecycle.serializers import DependentSerializer
from labeling.serializers.queues import KeptAnswerSerializer, QueueCountsSerializer
from registry.serializers import GateResultSerializer


class CommitSinceSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    message = serializers.CharField()
    by = serializers.CharField()
    added = serializers.IntegerField()
    updated = serializers.IntegerField()
    removed = serializers.IntegerField()
    labelled = serializers.IntegerField()


class ProblemSerializer(serializers.Serializer[None]):
    """What was refused and why (RFC 9457). The fields after `errors` appear only with some codes."""

    type = serializers.CharField(help_text="a URN of the code")
    title = serializers.CharField(help_text="the status in words")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="the field, the reason and the fix, for people")
    code = serializers.CharField(help_text="stable, for programs")
    instance = serializers.CharField(  # type: ignore[assignment]  # as `errors`
        required=False, help_text="of our own faults (5xx): a URN of the request's id, which its log records carry"
    )
    errors = serializers.DictField(  # type: ignore[assignment]  # DRF pops declared fields
        child=serializers.ListField(child=serializers.CharField()), required=False, help_text="by field"
    )
    answer = KeptAnswerSerializer(required=False, help_text="of a lost lease: what was kept")
    base = PlaceSerializer(required=False, help_text="of a merge: what both sides come from")
    busy = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()), required=False, help_text="work under way, by kind"
    )
    changed = CommitSinceSerializer(many=True, required=False, help_text="of a stale parent: the commits since")
    conflicts = serializers.IntegerField(required=False, help_text="samples that both sides of a merge changed")
    counts = QueueCountsSerializer(required=False, help_text="of a queue that is not complete")
    decided_by = serializers.CharField(required=False)
    decision = LabelField(allow_null=True, required=False, help_text="of a review that is decided")
    gates = GateResultSerializer(many=True, required=False, help_text="of a promotion: what each gate said")
    held = serializers.IntegerField(required=False, help_text="of a storage quota: bytes that the project holds")
    head = serializers.IntegerField(required=False, help_text="of a stale parent: what the head is now")
    incomplete = IncompleteSerializer(many=True, required=False, help_text="of an upload: objects no label can hold")
    job = JobSerializer(required=False, help_text="the job that failed")
    limit = serializers.IntegerField(required=False, help_text="of a storage quota: bytes that the project may hold")
    missing = serializers.JSONField(required=False, help_text="what to send first: md5s, or numbers of parts")
    needs = DependentSerializer(many=True, required=False, help_text="of a deletion: what still needs it")
    position = serializers.IntegerField(required=False, help_text="of a filter: the first character that is wrong")
    rejected = RejectionSerializer(many=True, required=False, help_text="of an upload: what can't be taken")
    reviews_open = serializers.IntegerField(required=False, help_text="of a queue that is not complete")
    used_by = serializers.ListField(child=serializers.CharField(), required=False, help_text="of a slice: who names it")
    wait = serializers.IntegerField(
        required=False, help_text="of too many requests or wrong secrets: seconds until the next"
    )
