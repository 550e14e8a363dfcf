"""The shapes of sweeps in the API."""

import re

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.models import OWN_NAME
from core.forms import ReferenceField
from jobs.models import Job
from sweeps.models import Sweep, Trial
from sweeps.services import MOST_PARALLEL, MOST_TRIALS, MOST_VERSIONS

OURS = re.compile(r"sweep-\d+")


class SearchedSettingSerializer(serializers.Serializer[None]):
    """Choices, or a range: `low` and `high` are both in it."""

    choices = serializers.ListField(
        child=serializers.JSONField(allow_null=True), required=False, help_text="texts, numbers, true, false, null"
    )
    low = serializers.FloatField(required=False)
    high = serializers.FloatField(required=False)
    step = serializers.FloatField(required=False, allow_null=True)
    log = serializers.BooleanField(required=False, help_text="drawn evenly by its logarithm")


class ShownSettingSerializer(SearchedSettingSerializer):
    whole = serializers.BooleanField(required=False, help_text="of a range: whole numbers only")


@extend_schema_field(SearchedSettingSerializer)
class SearchedSettingField(serializers.DictField):
    """A searched setting as it was sent: a whole number stays one. `space.check_space` reads it."""


@extend_schema_field(ShownSettingSerializer)
class ShownSettingField(serializers.DictField):
    """A setting as it is searched."""


class NewSweepSerializer(serializers.Serializer[None]):
    name = serializers.CharField(required=False, max_length=100, validators=[OWN_NAME])
    model = ReferenceField()
    dataset = ReferenceField()
    version = ReferenceField(default="head")
    architecture = serializers.CharField()
    config = serializers.DictField(default=dict, help_text="of every trial, where the space says nothing else")
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    space = serializers.DictField(
        child=SearchedSettingField(),
        help_text="by setting: architecture, seed, recipe.<field> or params.<field>, as in the config of a run",
    )
    metric = serializers.CharField(
        required=False, help_text="the headline of the task type (highest is best), or loss (lowest); of split val"
    )
    trials = serializers.IntegerField(
        required=False, min_value=1, max_value=MOST_TRIALS, help_text="20, of a grid all its points"
    )
    parallel = serializers.IntegerField(default=2, min_value=1, max_value=MOST_PARALLEL)
    sampler = serializers.ChoiceField(choices=Sweep.Sampler.choices, default=Sweep.Sampler.TPE)
    pruner = serializers.ChoiceField(choices=Sweep.Pruner.choices, default=Sweep.Pruner.MEDIAN)
    startup = serializers.IntegerField(
        default=5, min_value=0, max_value=MOST_TRIALS, help_text="complete trials before the median prunes any"
    )
    warmup = serializers.IntegerField(
        default=1, min_value=0, max_value=1000, help_text="evaluations of each trial before it may be pruned"
    )

    def validate_name(self, value: str) -> str:
        """Refuse names like those that the platform gives by number."""
        if OURS.fullmatch(value):
            raise serializers.ValidationError("names like sweep-7 are given by number: choose another one")
        return value


class TrialSerializer(serializers.Serializer[None]):
    number = serializers.IntegerField()
    params = serializers.DictField(help_text="a value for each searched setting")
    state = serializers.ChoiceField(choices=Trial.State.choices)
    value = serializers.FloatField(allow_null=True, help_text="the metric of the weights that were kept")
    curve = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="[[step, metric], ..], every evaluation"
    )
    reason = serializers.CharField(help_text="why it was pruned, failed or was cancelled")
    run = serializers.IntegerField(allow_null=True, help_text="null: its settings can't be trained with together")
    job_state = serializers.ChoiceField(choices=Job.State.choices, allow_null=True, help_text="of its run")
    model_version = serializers.IntegerField(allow_null=True)
    created = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)


class TrialListSerializer(serializers.Serializer[None]):
    results = TrialSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class TrialCountsSerializer(serializers.Serializer[None]):
    running = serializers.IntegerField()
    complete = serializers.IntegerField()
    pruned = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()


class SweepRowSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    model = serializers.CharField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    architecture = serializers.CharField()
    config = serializers.DictField()
    seed = serializers.IntegerField()
    space = serializers.DictField(child=ShownSettingField())
    metric = serializers.CharField()
    direction = serializers.ChoiceField(choices=Sweep.Direction.choices)
    trials = serializers.IntegerField(help_text="how many there will be")
    parallel = serializers.IntegerField()
    sampler = serializers.ChoiceField(choices=Sweep.Sampler.choices)
    pruner = serializers.ChoiceField(choices=Sweep.Pruner.choices)
    startup = serializers.IntegerField()
    warmup = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Sweep.State.choices)
    error = serializers.CharField(help_text="why it failed")
    counts = TrialCountsSerializer(help_text="trials that there are, by state")
    best = TrialSerializer(allow_null=True)
    archived = serializers.DateTimeField(allow_null=True, help_text="since when it can only be read")
    created = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)


class SettingImportanceSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    share = serializers.FloatField(help_text="of the variance of the metric over the complete trials (fANOVA)")


class SweepSerializer(SweepRowSerializer):
    importance = SettingImportanceSerializer(
        many=True, help_text="the most important first; none of fewer than 5 trials"
    )


class SweepListSerializer(serializers.Serializer[None]):
    results = SweepRowSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class SweepChangeSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])


class BestTrialsSerializer(serializers.Serializer[None]):
    best = serializers.IntegerField(
        default=1, min_value=1, max_value=MOST_VERSIONS, help_text="how many of the complete trials, the best first"
    )


class ProvedTrialsSerializer(serializers.Serializer[None]):
    trials = TrialSerializer(many=True, help_text="the best first")
    started = serializers.ListField(
        child=serializers.IntegerField(), help_text="runs that a version is made of; the others are one or on the way"
    )
