"""Serializers of a version's facts about how its labels came about, as a queue's commit stored them."""

from rest_framework import serializers

REVIEW_STATES = ("unreviewed", "agreed", "decided")


class LabelFactsSerializer(serializers.Serializer[None]):
    review_state = serializers.ChoiceField(
        choices=REVIEW_STATES, help_text="decided: by a reviewer; agreed: several people said so; unreviewed: one did"
    )
    answers = serializers.IntegerField()
    agreement = serializers.FloatField(allow_null=True, help_text="the share of the answers that say this label")
    confidence = serializers.FloatField(
        allow_null=True, help_text="confidence of the consensus; null for a sole answer"
    )


class LabellerSerializer(serializers.Serializer[None]):
    username = serializers.CharField()
    answers = serializers.IntegerField()
    accuracy = serializers.FloatField(allow_null=True)
    interval = serializers.ListField(child=serializers.FloatField(), help_text="Wilson's 95 % interval")
    median_seconds = serializers.FloatField(allow_null=True)


class LabelledGoldSerializer(serializers.Serializer[None]):
    tasks = serializers.IntegerField()
    answers = serializers.IntegerField()
    correct = serializers.IntegerField()


class VersionLabellingSerializer(serializers.Serializer[None]):
    queue = serializers.CharField()
    people = LabellerSerializer(many=True)
    method = serializers.CharField(help_text="how the consensus was found: dawid_skene or majority")
    agreement = serializers.FloatField(
        allow_null=True,
        help_text="Fleiss' kappa, or the mean IoU of boxes; null where no two people answered a task",
    )
    reviewed = serializers.IntegerField(help_text="labels that a reviewer decided")
    overruled = serializers.IntegerField(help_text="decided labels that differ from the consensus of the answers")
    gold = LabelledGoldSerializer()
