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


class OpenWriteSerializer(serializers.Serializer[None]):
    by = serializers.CharField()
    message = serializers.CharField()
    started = serializers.DateTimeField()
    job = serializers.IntegerField(allow_null=True, help_text="the job that writes it; null: a request does")
    done = serializers.IntegerField(help_text="samples written so far")
    total = serializers.IntegerField()
    undoing = serializers.BooleanField(help_text="it was given up, and what it wrote is being taken back")


class ProblemSerializer(serializers.Serializer[None]):
    """What was refused and why (RFC 9457). The fields after `errors` appear only with some codes."""

    type = serializers.CharField(help_text="URN of the `code`")
    title = serializers.CharField(help_text="status in words")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="the field, the reason and the fix, for people")
    code = serializers.CharField(help_text="code of the error, stable for programs")
    instance = serializers.CharField(  # type: ignore[assignment]  # as `errors`
        required=False,
        help_text="URN of the request's id, as in its log records; only for faults of the platform (5xx)",
    )
    errors = serializers.DictField(  # type: ignore[assignment]  # DRF pops declared fields
        child=serializers.ListField(child=serializers.CharField()), required=False, help_text="messages by field"
    )
    answer = KeptAnswerSerializer(required=False, help_text="answer that was kept although its lease was lost")
    base = PlaceSerializer(required=False, help_text="version that both sides of a merge come from")
    busy = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()), required=False, help_text="work under way, by kind"
    )
    changed = CommitSinceSerializer(many=True, required=False, help_text="commits made since a stale `parent`")
    conflicts = serializers.IntegerField(required=False, help_text="samples that both sides of a merge changed")
    counts = QueueCountsSerializer(required=False, help_text="task counts of a queue that is not complete")
    decided_by = serializers.CharField(required=False)
    decision = LabelField(allow_null=True, required=False, help_text="decision of a review that is already decided")
    gates = GateResultSerializer(
        many=True, required=False, help_text="results of all gates, where a promotion is refused"
    )
    held = serializers.IntegerField(
        required=False, help_text="bytes that the project stores, where its storage quota is exceeded"
    )
    head = serializers.IntegerField(required=False, help_text="number of the current head, where `parent` is stale")
    incomplete = IncompleteSerializer(
        many=True, required=False, help_text="objects of an upload that no label can hold"
    )
    job = JobSerializer(required=False, help_text="the job that failed")
    limit = serializers.IntegerField(
        required=False, help_text="bytes that the project may store, where its storage quota is exceeded"
    )
    missing = serializers.JSONField(required=False, help_text="md5s of images, or numbers of parts, to send first")
    needs = DependentSerializer(many=True, required=False, help_text="objects that still need what is to be deleted")
    position = serializers.IntegerField(required=False, help_text="position of the first wrong character in a filter")
    rejected = RejectionSerializer(many=True, required=False, help_text="items of an upload that can't be taken")
    reviews_open = serializers.IntegerField(
        required=False, help_text="undecided reviews of a queue that is not complete"
    )
    used_by = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="models and pipelines that name the slice"
    )
    wait = serializers.IntegerField(
        required=False,
        help_text="seconds until the next request, after too many requests or wrong secrets, or beside another write",
    )
    write = OpenWriteSerializer(required=False, help_text="the large commit that keeps others from the dataset")
