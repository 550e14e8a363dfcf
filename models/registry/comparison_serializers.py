"""Serializers of comparisons in the API: two versions on the same samples, runs side by side, the table of runs."""

from rest_framework import serializers

from jobs.models import Job
from registry.serializers import IntervalField, RunSerializer


class ComparedSideSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    architecture = serializers.CharField()
    dataset = serializers.CharField(allow_null=True)
    dataset_version = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    samples = serializers.IntegerField(allow_null=True, help_text="number of samples that it was evaluated on")
    created = serializers.DateTimeField()


class ComparedMetricSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    a = serializers.FloatField(allow_null=True)
    b = serializers.FloatField(allow_null=True)
    a_interval = IntervalField(allow_null=True)
    b_interval = IntervalField(allow_null=True)
    delta = serializers.FloatField(allow_null=True, help_text="b - a")
    interval = IntervalField(allow_null=True, help_text="95 % interval of the delta")
    better = serializers.ChoiceField(
        choices=["a", "b"], allow_null=True, help_text="better version; null if chance explains the delta"
    )


class ComparedClassSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    support = serializers.IntegerField(allow_null=True)
    metrics = ComparedMetricSerializer(many=True)


class ComparedSliceSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    samples = serializers.IntegerField(allow_null=True)
    not_computed = serializers.CharField(allow_null=True, help_text="reason why there are no metrics")
    metrics = ComparedMetricSerializer(many=True)


class ComparedConfusionSerializer(serializers.Serializer[None]):
    classes = serializers.ListField(child=serializers.CharField())
    a = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    b = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    delta = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


class ComparedCostSerializer(serializers.Serializer[None]):
    artifact = serializers.CharField()
    name = serializers.CharField(help_text="size_bytes, latency_p50_ms, latency_p95_ms, images_per_second")
    a = serializers.FloatField(allow_null=True)
    b = serializers.FloatField(allow_null=True)
    delta = serializers.FloatField(allow_null=True)


class ChangedSamplesSerializer(serializers.Serializer[None]):
    better = serializers.IntegerField(help_text="number of samples that only b predicted right in every part")
    worse = serializers.IntegerField(help_text="number of samples that only a predicted right in every part")


class ComparedVersionsSerializer(serializers.Serializer[None]):
    a = ComparedSideSerializer()
    b = ComparedSideSerializer()
    common = serializers.IntegerField(
        allow_null=True, help_text="test samples that both were evaluated on; null if not known"
    )
    note = serializers.CharField(allow_null=True, help_text="limitation of the comparison; null if there is none")
    metrics = ComparedMetricSerializer(many=True)
    per_class = ComparedClassSerializer(many=True)
    slices = ComparedSliceSerializer(many=True)
    confusion = ComparedConfusionSerializer(allow_null=True)
    changed = ChangedSamplesSerializer(
        allow_null=True, help_text="samples that only one predicted right; null if predictions are not kept"
    )
    costs = ComparedCostSerializer(many=True)


class ComparedSettingSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    values = serializers.ListField(child=serializers.JSONField(), help_text="values of the setting, one per run")
    same = serializers.BooleanField()


class ComparedSeriesSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    curves = serializers.ListField(
        child=serializers.ListField(child=serializers.ListField(child=serializers.FloatField())),
        help_text="one curve per run: [[step, value], ..], at most 500 points",
    )


class ComparedResultSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    values = serializers.ListField(
        child=serializers.FloatField(allow_null=True), help_text="values of the metric, one per run"
    )


class RunRowSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    model = serializers.CharField()
    model_version = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=Job.State.choices)
    seconds = serializers.FloatField(allow_null=True, help_text="seconds from its start to its end; null until it ends")
    notes = serializers.CharField()
    created = serializers.DateTimeField()


class RunTableSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField(help_text="number of runs, including those beyond `limit`")
    runs = RunRowSerializer(many=True, help_text="runs, newest first")
    config = ComparedSettingSerializer(many=True)
    metrics = ComparedResultSerializer(many=True, help_text="metrics of the resulting versions")


class ComparedRunsSerializer(serializers.Serializer[None]):
    runs = RunSerializer(many=True)
    config = ComparedSettingSerializer(many=True)
    series = ComparedSeriesSerializer(many=True)
    metrics = ComparedResultSerializer(many=True, help_text="metrics of the resulting versions")
