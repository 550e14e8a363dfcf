"""The shapes of labelling: what a body may hold, and what the OpenAPI schema says of the answers."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.models import Queue, Task
from labeling.services import MOST_TASKS

DAY = 24 * 3600
CORNERS: dict[str, Any] = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
BOX = {
    "type": "object",
    "properties": {"class": {"type": "string"}, "box": CORNERS},
    "required": ["class", "box"],
}
LABEL = {
    "oneOf": [
        {"type": "object", "properties": {"class": {"type": "string"}}, "required": ["class"]},
        {"type": "object", "properties": {"boxes": {"type": "array", "items": BOX}}, "required": ["boxes"]},
    ]
}
SUGGESTION = {
    "type": ["object", "null"],
    "properties": {
        "class": {"type": "string"},
        "probability": {"type": "number"},
        "probabilities": {"type": "object", "additionalProperties": {"type": "number"}},
        "model": {"type": "string"},
    },
}
NEIGHBOUR = {
    "type": "object",
    "properties": {"key": {"type": "string"}, "thumb": {"type": "string"}, "label": {}},
}
WHY = {
    "type": ["object", "null"],
    "properties": {
        "strategy": {"type": "string"},
        "score": {"type": ["number", "null"]},
        "rank": {"type": ["integer", "null"]},
        "of": {"type": ["integer", "null"]},
        "reason": {"type": "string"},
        "control": {"type": "boolean"},
        "neighbours": {"type": "array", "items": NEIGHBOUR},
    },
}


@extend_schema_field(LABEL)
class LabelField(serializers.JSONField):
    """A class, or boxes; the dataset's own rules are checked where its classes are known."""


@extend_schema_field({"oneOf": [*LABEL["oneOf"], {"type": "null"}]})
class VerdictField(serializers.JSONField):
    """A label, or null for a skip."""


@extend_schema_field(SUGGESTION)
class SuggestionField(serializers.JSONField):
    """What the model says, as it was stored."""


@extend_schema_field(WHY)
class WhyField(serializers.JSONField):
    """Why the sample was picked, as it was stored."""


class NextSerializer(serializers.Serializer[None]):
    count = serializers.IntegerField(min_value=1, max_value=MOST_TASKS, default=1)


class AnswerSerializer(serializers.Serializer[None]):
    value = LabelField()
    seconds = serializers.FloatField(min_value=0, max_value=DAY)
    shown_suggestion = serializers.BooleanField(default=False)
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class SkipSerializer(serializers.Serializer[None]):
    reason = serializers.CharField(max_length=200, allow_blank=True, default="")
    seconds = serializers.FloatField(min_value=0, max_value=DAY, default=0.0)
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class RenewSerializer(serializers.Serializer[None]):
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class QueueCommitSerializer(serializers.Serializer[None]):
    message = serializers.CharField(max_length=500, allow_blank=True, default="")
    partial = serializers.BooleanField(default=False)  # type: ignore[assignment]  # DRF pops declared fields


class QueueCountsSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField()
    todo = serializers.IntegerField()
    leased = serializers.IntegerField()
    done = serializers.IntegerField()
    skipped = serializers.IntegerField()


class QueueSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    dataset = serializers.CharField()
    dataset_id = serializers.IntegerField()
    task = serializers.CharField()
    classes = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=Queue.State.choices)
    counts = QueueCountsSerializer()
    rate_per_hour = serializers.IntegerField(help_text="The asking user's own answers in the last ten minutes, × 6.")
    answers_per_task = serializers.IntegerField()
    created = serializers.DateTimeField()
    committed_version = serializers.IntegerField(allow_null=True)


class QueueListSerializer(serializers.Serializer[None]):
    results = QueueSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class LeaseSerializer(serializers.Serializer[None]):
    lease_until = serializers.DateTimeField()
    lease_token = serializers.IntegerField()


class TaskSampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    digest = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    thumb = serializers.CharField()
    meta = serializers.DictField()


class LabelingTaskSerializer(LeaseSerializer):
    id = serializers.IntegerField()
    sample = TaskSampleSerializer()
    url = serializers.CharField()
    suggestion = SuggestionField()
    why = WhyField()


class LeasedTasksSerializer(serializers.Serializer[None]):
    tasks = LabelingTaskSerializer(many=True)


class KeptAnswerSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    value = VerdictField()
    opinion = serializers.BooleanField()


class QueueProgressSerializer(serializers.Serializer[None]):
    counts = QueueCountsSerializer()
    state = serializers.ChoiceField(choices=Queue.State.choices)


class ReceiptSerializer(serializers.Serializer[None]):
    task = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Task.State.choices)
    answer = KeptAnswerSerializer()
    queue = QueueProgressSerializer()
