"""Serializers of the open work in queues."""

from rest_framework import serializers

from labeling.models import Queue


class WaitingPaceSerializer(serializers.Serializer[None]):
    answers = serializers.IntegerField(help_text="and skips, on those days")
    days = serializers.IntegerField(help_text="the last ones with answers: at most 7, of the last 30, by UTC")
    per_hour = serializers.FloatField(
        allow_null=True, help_text="answers per hour of the clock on those days; null while they are too few to tell"
    )
    answers_left = serializers.IntegerField(help_text="answers that the open tasks still need")
    hours_left = serializers.FloatField(
        allow_null=True, help_text="hours by the clock until the queue is done, at the pace of the last days"
    )
    in_time = serializers.BooleanField(
        allow_null=True,
        help_text="whether that reaches `due`; null: none is set, nothing is open, or there is no pace yet",
    )


class WaitingQueueSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    dataset = serializers.CharField()
    project = serializers.CharField()
    state = serializers.ChoiceField(choices=Queue.State.choices)
    priority = serializers.ChoiceField(choices=sorted(Queue.Priority.values))
    due = serializers.DateTimeField(allow_null=True)
    assignees = serializers.ListField(child=serializers.CharField(), help_text="names; none: everybody who may label")
    total = serializers.IntegerField(help_text="tasks")
    todo = serializers.IntegerField(help_text="open tasks that nobody holds")
    leased = serializers.IntegerField(help_text="open tasks that somebody has before them now")
    skipped = serializers.IntegerField()
    reviews = serializers.IntegerField(help_text="open reviews that can be decided now")
    disputed = serializers.IntegerField(help_text="open reviews because people disagree")
    flagged = serializers.IntegerField(help_text="open reviews because somebody flagged the task")
    comments = serializers.IntegerField(help_text="unresolved comments")
    labels = serializers.IntegerField(help_text="labels that a commit would write now")
    since = serializers.DateTimeField(
        allow_null=True,
        help_text="time of the oldest open task, review or comment; tasks count from the queue's creation",
    )
    pace = WaitingPaceSerializer()


class WaitingQueuesSerializer(serializers.Serializer[None]):
    results = WaitingQueueSerializer(many=True)
    next = serializers.CharField(allow_null=True)
