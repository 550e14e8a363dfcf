"""The shapes of labelling in the API."""

from rest_framework import serializers

from labeling.models import Queue, Task
from labeling.services import MAX_SECONDS, MAX_TASKS


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
    rate_per_hour = serializers.FloatField(allow_null=True)
    answers_per_task = serializers.IntegerField()
    committed_version = serializers.IntegerField(allow_null=True)
    created = serializers.DateTimeField()


class QueueListSerializer(serializers.Serializer[None]):
    results = QueueSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class TaskSampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    digest = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    thumb = serializers.CharField()
    meta = serializers.DictField()


class TaskSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    sample = TaskSampleSerializer()
    url = serializers.CharField()
    suggestion = serializers.DictField(allow_null=True)
    why = serializers.DictField(allow_null=True)
    lease_until = serializers.DateTimeField()
    lease_token = serializers.IntegerField()


class TaskListSerializer(serializers.Serializer[None]):
    tasks = TaskSerializer(many=True)


class NextSerializer(serializers.Serializer[None]):
    count = serializers.IntegerField(default=1, min_value=1, max_value=MAX_TASKS)


class NewAnswerSerializer(serializers.Serializer[None]):
    value = serializers.DictField()
    seconds = serializers.FloatField(min_value=0, max_value=MAX_SECONDS)
    shown_suggestion = serializers.BooleanField(default=False)
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class NewSkipSerializer(serializers.Serializer[None]):
    reason = serializers.CharField(default="", allow_blank=True, max_length=200)
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class AnswerSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    value = serializers.DictField()
    opinion = serializers.BooleanField()


class QueueCountsOnlySerializer(serializers.Serializer[None]):
    counts = QueueCountsSerializer()


class AnswerOutcomeSerializer(serializers.Serializer[None]):
    task = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Task.State.choices)
    answer = AnswerSerializer(allow_null=True)
    queue = QueueCountsOnlySerializer()


class LeaseSerializer(serializers.Serializer[None]):
    lease_until = serializers.DateTimeField()
    lease_token = serializers.IntegerField()


class CommitQueueSerializer(serializers.Serializer[None]):
    message = serializers.CharField(default="", allow_blank=True, max_length=500)
    partial = serializers.BooleanField(default=False)
