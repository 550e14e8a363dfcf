"""Serializers of comments."""

from typing import Any

from rest_framework import serializers

from labeling.models import MOST_TEXT
from labeling.serializers.queues import TaskSampleSerializer
from labeling.serializers.reviews import AuthorSerializer


class NewCommentSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=MOST_TEXT, help_text="`@name` mentions somebody who reads it")
    x = serializers.FloatField(
        min_value=0, max_value=1, allow_null=True, default=None, help_text="share of the upright image's width"
    )
    y = serializers.FloatField(
        min_value=0, max_value=1, allow_null=True, default=None, help_text="share of the upright image's height"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for missing, given in (("x", "y"), ("y", "x")):
            if attrs[missing] is None and attrs[given] is not None:
                raise serializers.ValidationError({missing: f"a place has both: send {missing}, or leave out {given}"})
        return attrs


class CommentChangeSerializer(serializers.Serializer[None]):
    resolved = serializers.BooleanField()


class CommentSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    task = serializers.IntegerField()
    author = AuthorSerializer()
    text = serializers.CharField()
    x = serializers.FloatField(allow_null=True, help_text="share of the upright image's width; null: no place")
    y = serializers.FloatField(allow_null=True)
    mentions = serializers.ListField(child=serializers.CharField(), help_text="names")
    created = serializers.DateTimeField()
    resolved_by = serializers.CharField(allow_null=True, help_text="null: it is open")
    resolved_at = serializers.DateTimeField(allow_null=True)
    deletable = serializers.BooleanField(help_text="whether you may delete the comment")


class TaskCommentsSerializer(serializers.Serializer[None]):
    results = CommentSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    people = serializers.ListField(child=serializers.CharField(), help_text="names of those who can be mentioned")
    hidden = serializers.IntegerField(help_text="comments by others, shown once you have answered or skipped the task")


class ListedCommentSerializer(CommentSerializer):
    queue = serializers.CharField()
    queue_id = serializers.IntegerField()
    dataset = serializers.CharField()
    sample = TaskSampleSerializer()
    url = serializers.CharField(help_text="address of the image")
    review = serializers.IntegerField(allow_null=True, help_text="an open review of the task that the user may decide")


class CommentListSerializer(serializers.Serializer[None]):
    results = ListedCommentSerializer(many=True)
    next = serializers.CharField(allow_null=True)
