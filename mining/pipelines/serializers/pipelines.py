"""Serializers of pipelines and rounds."""

from typing import Any

from rest_framework import serializers

from catalog.models import OWN_NAME
from catalog.serializers.filters import FilterDocumentField, FilterField
from core.forms import ChangeSerializer, ReferenceField
from jobs.api import JobSerializer, NeedsSerializer, TrainingNeedsSerializer
from labeling.grace import LONGEST_GRACE
from labeling.serializers.queues import AutoCommitSerializer, QueueCountsSerializer
from mining_jobs.serializers import ChosenStrategySerializer, StrategyField
from pipelines.models import Round
from pipelines.serializers.terms import (
    BudgetSerializer,
    CauseSerializer,
    SpentSerializer,
    StoppedSerializer,
    StopSerializer,
    TriggerSerializer,
    below_one,
)
from plans.serializers import FigureSourceSerializer
from registry.recommending import RECOMMENDED_COUNT, RECOMMENDED_LEARNER

PIPELINE_STATES = ["idle", "running", "waiting_for_labels", "waiting_for_budget", "paused", "stopped", "failed"]


class RoundNeedsSerializer(serializers.Serializer[None]):
    train = TrainingNeedsSerializer(required=False, allow_null=True)
    score = NeedsSerializer(required=False, allow_null=True)


class PipelineTermsSerializer(serializers.Serializer[None]):
    """The settings of a pipeline that can be changed later."""

    architecture = serializers.CharField(required=False)
    config = serializers.DictField(required=False)
    strategy = StrategyField(required=False)
    count = serializers.IntegerField(required=False, min_value=1, max_value=1_000_000, help_text=RECOMMENDED_COUNT)
    control = serializers.FloatField(
        required=False,
        min_value=0,
        max_value=1,
        validators=[below_one],
        help_text="share of each batch that is picked at random; 0.1 by default",
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**20)
    filter = FilterField(required=False, allow_null=True, help_text="part of the pool that it mines")
    compose = serializers.DictField(
        required=False, allow_null=True, help_text="constraints on each batch, as in POST /mining/jobs"
    )
    committee = serializers.DictField(
        required=False, allow_null=True, help_text="committee that scores the pool, as in POST /mining/jobs"
    )
    answers_per_task = serializers.IntegerField(required=False, min_value=1, max_value=9)
    commit_grace = serializers.IntegerField(
        required=False, min_value=0, max_value=LONGEST_GRACE,
        help_text="seconds from the last answer of a round to its commit, in which answers can be taken back",
    )  # fmt: skip
    gates = serializers.ListField(child=serializers.DictField(), required=False)
    warm_start = serializers.BooleanField(required=False)
    needs = RoundNeedsSerializer(required=False, help_text="requirements of the runs and mining jobs of its next steps")
    schedule = serializers.CharField(
        required=False,
        allow_null=True,
        allow_blank=True,
        max_length=100,
        help_text="when rounds start: five fields of cron, in UTC",
    )
    trigger = TriggerSerializer(required=False)
    budget = BudgetSerializer(required=False)
    stop = StopSerializer(required=False)


class NewPipelineSerializer(PipelineTermsSerializer):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    dataset = ReferenceField()
    model = ReferenceField(
        required=False, help_text="model that gets the new versions; by default a new one with the pipeline's name"
    )
    architecture = serializers.CharField(
        required=False,
        help_text=RECOMMENDED_LEARNER,
    )


class ChangePipelineSerializer(ChangeSerializer, PipelineTermsSerializer):
    name = serializers.CharField(required=False, max_length=100, validators=[OWN_NAME])


class RetrySerializer(serializers.Serializer[None]):
    # "from" is a keyword of Python
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        words = "the step to begin with; without it, the one where the round ended"
        steps = [(step.value, step.label) for step in Round.STEPS]
        return {"from": serializers.ChoiceField(choices=steps, required=False, allow_null=True, help_text=words)}


class PipelineSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    dataset = serializers.CharField()
    task = serializers.CharField(help_text="of the dataset")
    model = serializers.CharField()
    architecture = serializers.CharField()
    config = serializers.DictField()
    strategy = ChosenStrategySerializer()
    count = serializers.IntegerField()
    control = serializers.FloatField()
    seed = serializers.IntegerField()
    filter = FilterDocumentField(allow_null=True)
    filter_text = serializers.CharField(allow_null=True, help_text="the filter in its text form")
    compose = serializers.DictField(allow_null=True)
    committee = serializers.DictField(allow_null=True)
    answers_per_task = serializers.IntegerField()
    commit_grace = serializers.IntegerField()
    gates = serializers.ListField(child=serializers.DictField())
    warm_start = serializers.BooleanField()
    needs = RoundNeedsSerializer()
    schedule = serializers.CharField(allow_null=True)
    schedule_words = serializers.CharField(allow_null=True)
    next_run = serializers.DateTimeField(allow_null=True)
    trigger = TriggerSerializer()
    last_trigger = CauseSerializer(allow_null=True)
    webhook_url = serializers.CharField(allow_null=True)
    budget = BudgetSerializer()
    spent = SpentSerializer()
    stop = StopSerializer()
    stopped = StoppedSerializer(allow_null=True)
    paused = serializers.BooleanField()
    state = serializers.ChoiceField(choices=PIPELINE_STATES)
    current_round = serializers.IntegerField(allow_null=True)
    archived = serializers.DateTimeField(
        allow_null=True, help_text="when it was archived, which makes it read-only; null: not archived"
    )
    created = serializers.DateTimeField()


class PipelineListSerializer(serializers.Serializer[None]):
    results = PipelineSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class PromotionOutcomeSerializer(serializers.Serializer[None]):
    promoted = serializers.BooleanField()
    reason = serializers.CharField()
    gates = serializers.ListField(child=serializers.DictField())


class ChoiceSerializer(serializers.Serializer[None]):
    strategy = serializers.CharField()
    params = serializers.DictField()
    why = serializers.CharField(allow_blank=True)
    model_version = serializers.IntegerField(
        allow_null=True, required=False, help_text="version that scored the pool; null for none, absent in older rounds"
    )
    model_why = serializers.CharField(allow_blank=True, required=False, help_text="why that version scored")


class ArmSerializer(serializers.Serializer[None]):
    n = serializers.IntegerField()
    wrong = serializers.IntegerField()


class ControlSerializer(serializers.Serializer[None]):
    mined = ArmSerializer()
    control = ArmSerializer()
    lift = serializers.FloatField(allow_null=True)


class AgainstRandomSerializer(serializers.Serializer[None]):
    pipeline = serializers.CharField()
    strategy = serializers.CharField(allow_null=True, help_text="strategy that mined last; null for none")
    params = serializers.DictField()
    rounds = serializers.IntegerField(help_text="rounds of that strategy with answers of both arms")
    mined = ArmSerializer(allow_null=True, help_text="mined picks of these rounds; null where none can be judged")
    control = ArmSerializer(allow_null=True, help_text="picks drawn at random in these rounds")
    evidence = serializers.FloatField(allow_null=True, help_text="highest value that the test has reached; 1: none")
    bound = serializers.FloatField(allow_null=True, help_text="value from which mining loses: 1 / rate of false alarms")
    loses = serializers.BooleanField(help_text="whether the next batches are picked at random because of it")
    sentence = serializers.CharField()


class RoundSerializer(serializers.Serializer[None]):
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Round.State.choices)
    failed_in = serializers.CharField(allow_null=True)
    trigger = CauseSerializer()
    choice = ChoiceSerializer(allow_null=True)
    waiting = StoppedSerializer(allow_null=True)
    stopped = StoppedSerializer(allow_null=True)
    step_started = serializers.DateTimeField()
    labels = serializers.IntegerField(allow_null=True)
    dataset_version = serializers.IntegerField(allow_null=True)
    model_version = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    mining_job = serializers.IntegerField(allow_null=True)
    queue = serializers.CharField(allow_null=True)
    queue_id = serializers.IntegerField(allow_null=True)
    queue_counts = QueueCountsSerializer(allow_null=True)
    auto_commit = AutoCommitSerializer(allow_null=True, help_text="state of the automatic commit of its queue")
    job = JobSerializer(allow_null=True)
    metric = serializers.CharField(help_text="headline metric of the pipeline's models")
    value = serializers.FloatField(allow_null=True)
    accuracy = serializers.FloatField(
        allow_null=True, help_text="same as `value` where `metric` is `accuracy`, else null"
    )
    promoted = serializers.BooleanField(allow_null=True)
    promotion = PromotionOutcomeSerializer(allow_null=True)
    lift = serializers.DictField(allow_null=True, help_text="same as `control`")
    control = ControlSerializer(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    timings = serializers.DictField(child=serializers.FloatField())
    images_per_second = serializers.DictField(child=serializers.FloatField())
    created = serializers.DateTimeField()
    finished = serializers.DateTimeField(allow_null=True)


class RoundListSerializer(serializers.Serializer[None]):
    results = RoundSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RoundLinkSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField()
    url = serializers.CharField()


class CurvePointSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField()
    labels = serializers.IntegerField()
    metric = serializers.CharField(help_text="headline metric of the pipeline's models")
    value = serializers.FloatField()
    accuracy = serializers.FloatField(
        allow_null=True, help_text="same as `value` where `metric` is `accuracy`, else null"
    )
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    model_version = serializers.IntegerField()


class CurveSerializer(serializers.Serializer[None]):
    pipeline = serializers.CharField()
    strategy = serializers.CharField()
    points = CurvePointSerializer(many=True)


class WebhookSerializer(serializers.Serializer[None]):
    url = serializers.CharField()
    secret = serializers.CharField(help_text="secret of the webhook; shown this once")


class HookAnswerSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField()
    started = serializers.BooleanField(help_text="whether this call started the round; false: it was open already")


class FitSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    labels = serializers.IntegerField(allow_null=True)
    rmse = serializers.FloatField()


class ForecastPointSerializer(serializers.Serializer[None]):
    labels = serializers.IntegerField()
    metric = serializers.CharField(help_text="headline metric of the pipeline's models")
    value = serializers.FloatField()
    accuracy = serializers.FloatField(
        allow_null=True, help_text="same as `value` where `metric` is `accuracy`, else null"
    )


class ForecastCountSerializer(serializers.Serializer[None]):
    value = serializers.IntegerField(allow_null=True, help_text="forecast number; null: the target is never reached")
    low = serializers.IntegerField(allow_null=True)
    high = serializers.IntegerField(allow_null=True)


class ForecastHoursSerializer(serializers.Serializer[None]):
    value = serializers.FloatField(
        allow_null=True, help_text="forecast hours; null: the target is never reached, or no pace is known"
    )
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    source = FigureSourceSerializer(allow_null=True, help_text="source of the pace; null: none was measured")  # type: ignore[assignment]  # DRF pops declared fields


class ForecastSerializer(serializers.Serializer[None]):
    pipeline = serializers.CharField()
    target = serializers.FloatField()
    labels = serializers.IntegerField(
        allow_null=True, help_text="total labels that the target needs; null: it is never reached"
    )
    low = serializers.IntegerField(allow_null=True)
    high = serializers.IntegerField(allow_null=True)
    more = ForecastCountSerializer(help_text="labels needed beyond those that are there")
    rounds = ForecastCountSerializer(help_text="rounds needed, of the pipeline's `count` labels each")
    annotator_hours = ForecastHoursSerializer(help_text="hours of annotators, at the pace of this pipeline's queues")
    training_hours = ForecastHoursSerializer(
        help_text="hours of training in all these rounds, at the pace of this pipeline's trainings"
    )
    fits = FitSerializer(many=True)
    points = ForecastPointSerializer(many=True)
