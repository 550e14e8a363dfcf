"""The shape of a check for leaks in the API."""

from rest_framework import serializers

from rounds.leaks import THRESHOLD


class LeakCheckSerializer(serializers.Serializer[None]):
    model = serializers.CharField(help_text='like "signs@production"')
    version = serializers.CharField(default="head")
    threshold = serializers.FloatField(
        default=THRESHOLD, min_value=0.5, max_value=1, help_text="the least cosine of two embeddings that counts"
    )
