"""Serializers of reviews, gold, agreement and people's figures."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.serializers.labels import LabelField, SuggestionField
from labeling.models import Review
from labeling.serializers.queues import ClassNamed, TaskSampleSerializer
from tasktypes.label_parts import KINDS

MOST_GOLD = 1000
MATRIX = {"type": ["array", "null"], "items": {"type": "array", "items": {"type": "number"}}}
INTERVAL = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


@extend_schema_field(MATRIX)
class ConfusionField(serializers.JSONField):
    """Rows are the true classes, columns what was said, in the order of `classes`; null when it is not known."""


@extend_schema_field(INTERVAL)
class IntervalField(serializers.JSONField):
    """The ends of a 95 % interval."""


class AuthorSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    username = serializers.CharField()


class ReviewedAnswerSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    author = AuthorSerializer()
    value = LabelField(allow_null=True, help_text="null: skipped")
    reason = serializers.CharField(help_text="why it was skipped")
    seconds = serializers.FloatField()
    shown_suggestion = serializers.BooleanField()
    created = serializers.DateTimeField()


class ReviewConsensusSerializer(serializers.Serializer[None]):
    value = LabelField()
    confidence = serializers.FloatField(allow_null=True)
    tied = serializers.BooleanField(help_text="whether another label has as much support: then `value` is no result")


class AnswerOverlapSerializer(serializers.Serializer[None]):
    a = serializers.IntegerField(help_text="an answer's id")
    b = serializers.IntegerField()
    iou = serializers.FloatField(allow_null=True, help_text="mean over the boxes that match; null when none does")


class PastDecisionSerializer(serializers.Serializer[None]):
    value = LabelField(allow_null=True)
    reason = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    reopened_by = serializers.CharField()


class ReviewSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    queue = serializers.CharField()
    queue_id = serializers.IntegerField()
    dataset = serializers.CharField()
    classes = serializers.ListField(child=serializers.CharField())
    kind = serializers.CharField()
    task = serializers.IntegerField()
    sample = TaskSampleSerializer()
    url = serializers.CharField()
    reason = serializers.ChoiceField(choices=Review.Reason.choices)
    note = serializers.CharField(help_text="note of the annotator who flagged the task")
    answers = ReviewedAnswerSerializer(many=True)
    suggestion = SuggestionField(allow_null=True)
    consensus = ReviewConsensusSerializer(allow_null=True)
    iou = AnswerOverlapSerializer(many=True)
    state = serializers.ChoiceField(choices=Review.State.choices)
    decision = LabelField(allow_null=True)
    decision_reason = serializers.CharField()
    answer = serializers.IntegerField(allow_null=True, help_text="the answer that the decision takes over")
    decided_by = AuthorSerializer(allow_null=True)
    decided = serializers.DateTimeField(allow_null=True)
    history = PastDecisionSerializer(many=True, help_text="decisions that were taken back")
    created = serializers.DateTimeField()


class ReviewListSerializer(serializers.Serializer[None]):
    results = ReviewSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class DecisionSerializer(serializers.Serializer[None]):
    value = LabelField()
    reason = serializers.CharField(max_length=500, allow_blank=True, default="")
    answer = serializers.IntegerField(required=False, allow_null=True, default=None)


class NewGoldSerializer(serializers.Serializer[None]):
    samples = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False), min_length=1, max_length=MOST_GOLD
    )


class GoldRejectionSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class GoldSerializer(serializers.Serializer[None]):
    added = serializers.IntegerField()
    gold = serializers.IntegerField(help_text="gold tasks the queue has now")
    tasks = serializers.IntegerField(help_text="all tasks the queue has now")
    rejected = GoldRejectionSerializer(many=True)


class AgreeingPersonSerializer(AuthorSerializer):
    answers = serializers.IntegerField()


class PairSerializer(serializers.Serializer[None]):
    a = serializers.IntegerField(help_text="a person's id")
    b = serializers.IntegerField()
    both = serializers.IntegerField(help_text="tasks both answered")
    agree = serializers.IntegerField()
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen's; null for boxes, or when chance explains all")
    mean_iou = serializers.FloatField(allow_null=True, help_text="mean IoU of matched boxes; null for classes")


class ClassAgreementSerializer(ClassNamed):
    answers = serializers.IntegerField(help_text="answers, or boxes, that name the class")
    agreement = serializers.FloatField(allow_null=True, help_text="the chance that another person says the same")


class ModelAgreementSerializer(serializers.Serializer[None]):
    answers = serializers.IntegerField()
    agree_with_model = serializers.IntegerField()


class BlindSerializer(serializers.Serializer[None]):
    shown = ModelAgreementSerializer()
    hidden = ModelAgreementSerializer()
    difference = serializers.FloatField(
        allow_null=True, help_text="difference of the two shares: above 0, suggestions sway people"
    )
    interval = IntervalField()


class ConsensusPersonSerializer(AuthorSerializer):
    accuracy = serializers.FloatField(allow_null=True, help_text="accuracy estimated by the consensus")
    confusion = ConfusionField()


class QueueConsensusSerializer(serializers.Serializer[None]):
    method = serializers.ChoiceField(choices=["dawid_skene", "majority"])
    classes = serializers.ListField(child=serializers.CharField())
    people = ConsensusPersonSerializer(many=True)


class AgreementSerializer(serializers.Serializer[None]):
    kind = serializers.ChoiceField(choices=KINDS)
    people = AgreeingPersonSerializer(many=True)
    pairs = PairSerializer(many=True)
    fleiss = serializers.FloatField(allow_null=True)
    by_class = ClassAgreementSerializer(many=True)
    blind = BlindSerializer()
    consensus = QueueConsensusSerializer()


class PersonGoldSerializer(serializers.Serializer[None]):
    answers = serializers.IntegerField()
    correct = serializers.IntegerField()


class PersonFiguresSerializer(serializers.Serializer[None]):
    user = AuthorSerializer()
    answers = serializers.IntegerField()
    skipped = serializers.IntegerField()
    labels_per_hour = serializers.FloatField(allow_null=True, help_text="labels in an hour of labelling time")
    median_seconds = serializers.FloatField(allow_null=True)
    agreement = serializers.FloatField(allow_null=True, help_text="with other people's answers to the same tasks")
    gold = PersonGoldSerializer()
    accuracy = serializers.FloatField(allow_null=True, help_text="on gold and on randomly reviewed tasks")
    interval = IntervalField(help_text="Wilson's, of the accuracy")


class PeopleFiguresSerializer(serializers.Serializer[None]):
    results = PersonFiguresSerializer(many=True)
    next = serializers.CharField(allow_null=True)
