"""The shapes of sweeps in the API."""

import re

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.models import OWN_NAME
from core.forms import ReferenceField
from jobs.models import Job
from registry.recommending import RECOMMENDED
from sweeps.models import Sweep, Trial
from sweeps.services import MOST_PARALLEL, MOST_TRIALS, MOST_VERSIONS

OURS = re.compile(r"sweep-\d+")


class SearchedSettingSerializer(serializers.Serializer[None]):
    """Choices, or a range: `low` and `high` are both in it."""

    choices = serializers.ListField(
        child=serializers.JSONField(allow_null=True),
        required=False,
        help_text="values to try: texts, numbers, true, false or null",
    )
    low = serializers.FloatField(required=False)
    high = serializers.FloatField(required=False)
    step = serializers.FloatField(required=False, allow_null=True)
    log = serializers.BooleanField(required=False, help_text="whether values are drawn evenly on a logarithmic scale")


class ShownSettingSerializer(SearchedSettingSerializer):
    whole = serializers.BooleanField(required=False, help_text="whether a range has whole numbers only")


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
    architecture = serializers.CharField(required=False, help_text=RECOMMENDED)
    config = serializers.DictField(default=dict, help_text="config of every trial, for settings that are not searched")
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    space = serializers.DictField(
        child=SearchedSettingField(),
        help_text="settings to search: architecture, seed, recipe.<field> or params.<field>, as in the config of a run",
    )
    metric = serializers.CharField(
        required=False,
        help_text="metric on split val: the task type's headline metric (highest is best) or loss (lowest is best)",
    )
    trials = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_TRIALS,
        help_text="number of trials; by default 20, or all points of a grid",
    )
    parallel = serializers.IntegerField(default=2, min_value=1, max_value=MOST_PARALLEL)
    sampler = serializers.ChoiceField(choices=Sweep.Sampler.choices, default=Sweep.Sampler.TPE)
    pruner = serializers.ChoiceField(choices=Sweep.Pruner.choices, default=Sweep.Pruner.MEDIAN)
    startup = serializers.IntegerField(
        default=5, min_value=0, max_value=MOST_TRIALS, help_text="complete trials before the median pruner stops any"
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
    value = serializers.FloatField(allow_null=True, help_text="metric of the weights that were kept")
    curve = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="metric at every evaluation: [[step, metric], ..]",
    )
    reason = serializers.CharField(help_text="reason why it was pruned, failed or was cancelled")
    run = serializers.IntegerField(allow_null=True, help_text="id of its run; null if its settings can't be combined")
    job_state = serializers.ChoiceField(
        choices=Job.State.choices, allow_null=True, help_text="state of its run's job; null without a run"
    )
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
    trials = serializers.IntegerField(help_text="number of trials planned")
    parallel = serializers.IntegerField()
    sampler = serializers.ChoiceField(choices=Sweep.Sampler.choices)
    pruner = serializers.ChoiceField(choices=Sweep.Pruner.choices)
    startup = serializers.IntegerField()
    warmup = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Sweep.State.choices)
    error = serializers.CharField(help_text="reason why the sweep failed")
    counts = TrialCountsSerializer(help_text="number of trials so far, by state")
    best = TrialSerializer(allow_null=True)
    archived = serializers.DateTimeField(
        allow_null=True, help_text="time since which it is read-only; null if it is not archived"
    )
    created = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)


class SettingImportanceSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    share = serializers.FloatField(help_text="share of the metric's variance over the complete trials (fANOVA)")


class SweepSerializer(SweepRowSerializer):
    importance = SettingImportanceSerializer(
        many=True, help_text="settings, most important first; empty with fewer than 5 complete trials"
    )


class SweepListSerializer(serializers.Serializer[None]):
    results = SweepRowSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class SweepChangeSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])


class BestTrialsSerializer(serializers.Serializer[None]):
    best = serializers.IntegerField(
        default=1,
        min_value=1,
        max_value=MOST_VERSIONS,
        help_text="number of complete trials to make versions of, best first",
    )


class ProvedTrialsSerializer(serializers.Serializer[None]):
    trials = TrialSerializer(many=True, help_text="chosen trials, best first")
    started = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="ids of runs that now become versions; the others already are, or are on the way",
    )
