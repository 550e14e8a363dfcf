"""Serializers of queues and tasks: what request bodies may hold, and how the OpenAPI schema describes responses."""

from rest_framework import serializers

from catalog.models import OWN_NAME
from catalog.serializers.filters import FilterField
from catalog.serializers.labels import LabelField, SuggestionField
from catalog.serializers.schemas import LabelSchemaSerializer
from core.forms import KeysField, ReferenceField
from core.references import MAX_ID
from labeling.batches import LOST, MOST_ANSWERS, REFUSED, SAVED
from labeling.leasing import MOST_TASKS
from labeling.models import Queue, Task
from tasktypes.label_parts import OUTCOMES

DAY = 24 * 3600
MOST_OBJECTS = 10_000


class ClassNamed(serializers.Serializer[None]):
    def get_fields(self) -> dict[str, "serializers.Field[object, object, object, object]"]:
        """Add the field `class`, which Python does not allow as an attribute name."""
        return {"class": serializers.CharField(), **super().get_fields()}


class NextSerializer(serializers.Serializer[None]):
    count = serializers.IntegerField(min_value=1, max_value=MOST_TASKS, default=1)
    cluster = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="only tasks whose suggestion is this class"
    )


class VerifiedObjectSerializer(serializers.Serializer[None]):
    at = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="its place among the label's boxes and then polygons; null: removed"
    )
    seconds = serializers.FloatField(min_value=0, max_value=DAY)


class MissingObjectsSerializer(serializers.Serializer[None]):
    found = serializers.BooleanField(help_text="an object was missing among those that were suggested")
    seconds = serializers.FloatField(
        min_value=0, max_value=DAY, help_text="seconds spent on the question, without the drawing"
    )


class VerificationSerializer(serializers.Serializer[None]):
    """How an answer was given question by question; the outcome of each object is derived from the label."""

    objects = serializers.ListField(
        child=VerifiedObjectSerializer(),
        max_length=MOST_OBJECTS,
        help_text="one for each suggested object, in the order of the suggestion",
    )
    missing = MissingObjectsSerializer()
    drawing_seconds = serializers.FloatField(min_value=0, max_value=DAY, default=0.0)


class AnswerSerializer(serializers.Serializer[None]):
    value = LabelField()
    seconds = serializers.FloatField(min_value=0, max_value=DAY)
    shown_suggestion = serializers.BooleanField(default=False)
    changed = serializers.BooleanField(allow_null=True, default=None, help_text="it differs from the suggestion")
    verification = VerificationSerializer(
        allow_null=True,
        default=None,
        help_text="questions of a queue in verify mode; null: the task is answered in one go",
    )
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class SkipSerializer(serializers.Serializer[None]):
    reason = serializers.CharField(max_length=200, allow_blank=True, default="")
    seconds = serializers.FloatField(min_value=0, max_value=DAY, default=0.0)
    shown_suggestion = serializers.BooleanField(default=False)
    changed = serializers.BooleanField(allow_null=True, default=None)
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class OneAnswerSerializer(SkipSerializer):
    task = serializers.IntegerField(max_value=MAX_ID)
    value = LabelField(allow_null=True, help_text="null is a skip")
    verification = VerificationSerializer(allow_null=True, default=None)


class AnswersSerializer(serializers.Serializer[None]):
    answers = serializers.ListField(child=OneAnswerSerializer(), allow_empty=False, max_length=MOST_ANSWERS)


class FlagSerializer(serializers.Serializer[None]):
    note = serializers.CharField(max_length=500, allow_blank=True, default="")


class RequeueSerializer(serializers.Serializer[None]):
    tasks = serializers.ListField(
        child=serializers.IntegerField(max_value=MAX_ID),
        allow_null=True,
        default=None,
        allow_empty=False,
        max_length=10_000,
    )
    skipped = serializers.BooleanField(default=False, help_text="all that are skipped")


class RenewSerializer(serializers.Serializer[None]):
    lease_token = serializers.IntegerField(required=False, allow_null=True, default=None)


class QueueCommitSerializer(serializers.Serializer[None]):
    message = serializers.CharField(max_length=500, allow_blank=True, default="")
    partial = serializers.BooleanField(default=False)  # type: ignore[assignment]  # DRF pops declared fields


class QueueCountsSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField()
    todo = serializers.IntegerField()
    leased = serializers.IntegerField()
    done = serializers.IntegerField()
    skipped = serializers.IntegerField()


class QueueTermsSerializer(serializers.Serializer[None]):
    """The settings of a queue that can be changed."""

    kind = serializers.ChoiceField(choices=Queue.Kind.choices, required=False)
    mode = serializers.ChoiceField(
        choices=Queue.Mode.choices,
        required=False,
        help_text="verify asks of each suggested object whether it is right, then whether one is missing",
    )
    blind_share = serializers.FloatField(
        min_value=0,
        max_value=0.5,
        required=False,
        help_text="share of tasks that hide their suggestion; 0.05 by default",
    )
    gold_share = serializers.FloatField(min_value=0, max_value=0.5, required=False)
    review_share = serializers.FloatField(min_value=0, max_value=1, required=False)
    accept_threshold = serializers.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        allow_null=True,
        help_text="suggestions below are never accepted at once",
    )
    skip_reasons = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        max_length=20,
        help_text="offered; any text is taken",
    )
    priority = serializers.ChoiceField(
        choices=sorted(Queue.Priority.values),
        required=False,
        help_text="priority: queues with a higher one are offered first; normal by default",
    )
    due = serializers.DateTimeField(
        required=False, allow_null=True, help_text="until when its labels are needed; nothing ends then"
    )
    assignees = serializers.ListField(
        child=serializers.CharField(max_length=150),
        required=False,
        max_length=100,
        help_text="names of the people who are given its tasks; none: everybody who may label",
    )


class NewQueueSerializer(QueueTermsSerializer):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    dataset = ReferenceField(help_text="id or name")
    filter = FilterField(required=False, help_text='which samples, {"slice": NAME} for one; none: all unlabelled')
    samples = KeysField(max_key=500, required=False, max_length=100_000)
    limit = serializers.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        help_text="at most so many of those that pass, drawn at random",
    )
    seed = serializers.IntegerField(
        min_value=0, max_value=MAX_ID, required=False, help_text="seed of the draw; 0 by default"
    )
    answers_per_task = serializers.IntegerField(min_value=1, max_value=20, default=1)


class MoreSamplesSerializer(serializers.Serializer[None]):
    filter = FilterField(help_text="filter that chooses samples of the dataset's head")


class LeftOutCopiesSerializer(serializers.Serializer[None]):
    same_bytes = serializers.IntegerField(help_text="left out: another sample of the queue has their bytes")
    labelled = serializers.IntegerField(help_text="left out: a labelled sample of the dataset has their bytes")


class AddedSamplesSerializer(serializers.Serializer[None]):
    added = serializers.IntegerField()
    already = serializers.IntegerField(help_text="were in the queue before")
    left_out = serializers.IntegerField(help_text="near-duplicates of test samples, which are not trained on")
    copies = LeftOutCopiesSerializer()


class QueueChangeSerializer(QueueTermsSerializer):
    """Fields you leave out keep their values."""

    name = serializers.CharField(max_length=100, validators=[OWN_NAME], required=False)


class MineSerializer(serializers.Serializer[None]):
    today = serializers.IntegerField(help_text="labels the asking user gave since midnight UTC")
    total = serializers.IntegerField()
    rate_per_hour = serializers.IntegerField(
        help_text="since the first label of the last ten minutes; 0 while they are too few to tell"
    )
    waiting = serializers.IntegerField(help_text="tasks the asking user has spoken on and that wait for others")
    held = serializers.IntegerField(help_text="tasks the asking user has not spoken on and that others hold now")
    reviews = serializers.IntegerField(help_text="open reviews the asking user may decide now")


class AutoCommitSerializer(serializers.Serializer[None]):
    grace = serializers.IntegerField(help_text="seconds from the last answer to the commit")
    seconds_left = serializers.FloatField(
        allow_null=True, help_text="until its round commits it; null while something is open or the queue is held"
    )
    held = serializers.DateTimeField(allow_null=True, help_text="since when somebody holds the commit")
    held_by = serializers.CharField(allow_null=True)


class QueueSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    dataset = serializers.CharField()
    dataset_id = serializers.IntegerField()
    task = serializers.CharField()
    classes = serializers.ListField(child=serializers.CharField())
    state = serializers.ChoiceField(choices=Queue.State.choices)
    counts = QueueCountsSerializer()
    rate_per_hour = serializers.IntegerField(help_text="The asking user's own, as in `mine`.")
    answers_per_task = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Queue.Kind.choices)
    mode = serializers.ChoiceField(choices=Queue.Mode.choices)
    blind_share = serializers.FloatField()
    gold_share = serializers.FloatField()
    review_share = serializers.FloatField()
    accept_threshold = serializers.FloatField(allow_null=True)
    skip_reasons = serializers.ListField(child=serializers.CharField())
    priority = serializers.ChoiceField(choices=sorted(Queue.Priority.values))
    due = serializers.DateTimeField(allow_null=True)
    assignees = serializers.ListField(child=serializers.CharField(), help_text="names; none: everybody who may label")
    for_me = serializers.BooleanField(help_text="the asking user is given its tasks")
    mine = MineSerializer()
    flagged = serializers.IntegerField(help_text="tasks with a flag on them")
    reviews_open = serializers.IntegerField()
    labels = serializers.IntegerField(help_text="labels that a commit would write now")
    auto_commit = AutoCommitSerializer(
        allow_null=True, help_text="null: no pipeline commits it, or it is committed already"
    )
    schema = LabelSchemaSerializer()
    archived = serializers.DateTimeField(allow_null=True, help_text="since when it can only be read")
    created = serializers.DateTimeField()
    committed_version = serializers.IntegerField(allow_null=True)


class LeftOutSerializer(serializers.Serializer[None]):
    """Near-duplicates of test samples, which are not trained on."""

    left_out = serializers.IntegerField(help_text="pass the filter and are not in the queue")
    included = serializers.IntegerField(help_text="are in the queue because they were named")


class MadeQueueSerializer(QueueSerializer):
    passing = serializers.IntegerField(help_text="samples that were chosen; `limit` may have kept fewer")
    near_duplicates = LeftOutSerializer()
    copies = LeftOutCopiesSerializer()


class QueueListSerializer(serializers.Serializer[None]):
    results = QueueSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class LeaseSerializer(serializers.Serializer[None]):
    lease_until = serializers.DateTimeField()
    lease_token = serializers.IntegerField()


class TaskSampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    digest = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    thumb = serializers.CharField()
    meta = serializers.DictField()


class TaskFlagSerializer(serializers.Serializer[None]):
    note = serializers.CharField()


class AnsweredSerializer(serializers.Serializer[None]):
    value = LabelField(allow_null=True, help_text="null is a skip")


class NeighbourSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    thumb = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF pops declared fields
    distance = serializers.FloatField()


class WhySerializer(serializers.Serializer[None]):
    strategy = serializers.CharField()
    score = serializers.FloatField(allow_null=True)
    rank = serializers.IntegerField(allow_null=True)
    of = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    control = serializers.BooleanField()
    neighbours = NeighbourSerializer(many=True)


class LabelingTaskSerializer(LeaseSerializer):
    id = serializers.IntegerField()
    sample = TaskSampleSerializer()
    url = serializers.CharField()
    suggestion = SuggestionField(allow_null=True)
    why = WhySerializer(allow_null=True, help_text="it was picked, where mining picked it")
    cluster = serializers.CharField(allow_null=True, help_text="the suggested class")
    position = serializers.IntegerField()
    flag = TaskFlagSerializer(allow_null=True, help_text="the asking user's own")
    answered = AnsweredSerializer(allow_null=True, help_text="the asking user's own verdict")
    comments = serializers.IntegerField(help_text="open comments on the task")
    comments_resolved = serializers.IntegerField()
    comments_hidden = serializers.IntegerField(
        help_text="comments by others, shown once you have answered or skipped the task"
    )


class UndoneSerializer(LabelingTaskSerializer):
    counts = QueueCountsSerializer(help_text="counts of its queue, which is open again")


class ClusterSerializer(serializers.Serializer[None]):
    name = serializers.CharField(allow_blank=True, help_text="empty: tasks that show no suggestion")
    todo = serializers.IntegerField()


class LeasedTasksSerializer(serializers.Serializer[None]):
    tasks = LabelingTaskSerializer(many=True)
    clusters = ClusterSerializer(many=True, required=False, help_text="of a grid")


class RemarkSerializer(serializers.Serializer[None]):
    author = serializers.CharField()
    created = serializers.DateTimeField()


class NoteSerializer(RemarkSerializer):
    note = serializers.CharField()


class SkipReasonSerializer(RemarkSerializer):
    reason = serializers.CharField()


class ListedTaskSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    sample = TaskSampleSerializer()
    url = serializers.CharField()
    suggestion = SuggestionField(allow_null=True)
    why = WhySerializer(allow_null=True, help_text="it was picked, where mining picked it")
    cluster = serializers.CharField(allow_null=True)
    position = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Task.State.choices)
    flag = TaskFlagSerializer(allow_null=True, help_text="the asking user's own")
    answered = AnsweredSerializer(allow_null=True, help_text="the asking user's own verdict")
    flags = NoteSerializer(many=True, help_text="an annotator's own; reviewers and up see everybody's")
    skips = SkipReasonSerializer(many=True, help_text="an annotator's own; reviewers and up see everybody's")


class ListedTasksSerializer(serializers.Serializer[None]):
    results = ListedTaskSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class FlaggedSerializer(serializers.Serializer[None]):
    task = serializers.IntegerField()
    flag = TaskFlagSerializer()


class RequeuedSerializer(serializers.Serializer[None]):
    requeued = serializers.IntegerField()
    counts = QueueCountsSerializer()


class KeptAnswerSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    value = LabelField(allow_null=True)
    opinion = serializers.BooleanField()


class VerifiedOutcomeSerializer(ClassNamed):
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    seconds = serializers.FloatField()


class DrawnSerializer(serializers.Serializer[None]):
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="objects by class")
    seconds = serializers.FloatField()


class KeptVerificationSerializer(serializers.Serializer[None]):
    objects = VerifiedOutcomeSerializer(many=True)
    missing = MissingObjectsSerializer()
    drawn = DrawnSerializer()


class ExportedAnswerSerializer(serializers.Serializer[None]):
    author = serializers.CharField()
    value = LabelField(allow_null=True, help_text="null is a skip")
    reason = serializers.CharField()
    seconds = serializers.FloatField()
    shown_suggestion = serializers.BooleanField()
    changed = serializers.BooleanField(allow_null=True)
    verification = KeptVerificationSerializer(allow_null=True, help_text="null: answered in one go")
    opinion = serializers.BooleanField()
    created = serializers.DateTimeField()


class ExportedTaskSerializer(serializers.Serializer[None]):
    task = serializers.IntegerField()
    key = serializers.CharField()
    position = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Task.State.choices)
    answers = ExportedAnswerSerializer(many=True)


class VerifiedCountsSerializer(serializers.Serializer[None]):
    """Suggested objects that people were asked about."""

    asked = serializers.IntegerField()
    kept = serializers.IntegerField()
    moved = serializers.IntegerField()
    reclassed = serializers.IntegerField(help_text="given another class, moved as well or not")
    removed = serializers.IntegerField()
    median_seconds = serializers.FloatField(
        allow_null=True, help_text="median seconds of the question about one object"
    )


class MissingCountsSerializer(serializers.Serializer[None]):
    """Images with a suggestion, for which people were asked whether an object is missing."""

    asked = serializers.IntegerField()
    found = serializers.IntegerField()
    median_seconds = serializers.FloatField(
        allow_null=True, help_text="seconds spent on the question, without the drawing"
    )


class DrawnCountsSerializer(serializers.Serializer[None]):
    """Objects drawn where one was missing, or where no suggestion was shown."""

    objects = serializers.IntegerField()
    median_seconds = serializers.FloatField(
        allow_null=True, help_text="median seconds of drawing one object: those of an image, divided by its objects"
    )


class ClassVerifiedSerializer(VerifiedCountsSerializer, ClassNamed):
    missing = serializers.IntegerField(help_text="objects that the model missed and people drew")
    drawn = serializers.IntegerField(help_text="those, and objects drawn where no suggestion was shown")


class QueueStatisticsSerializer(serializers.Serializer[None]):
    mode = serializers.ChoiceField(choices=Queue.Mode.choices)
    answers = serializers.IntegerField(help_text="labels that people gave")
    verified = serializers.IntegerField(help_text="labels given question by question")
    objects = VerifiedCountsSerializer()
    missing = MissingCountsSerializer()
    drawn = DrawnCountsSerializer()
    by_class = ClassVerifiedSerializer(many=True)


class QueueProgressSerializer(serializers.Serializer[None]):
    counts = QueueCountsSerializer()
    state = serializers.ChoiceField(choices=Queue.State.choices)


class ReceiptSerializer(serializers.Serializer[None]):
    task = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Task.State.choices)
    answer = KeptAnswerSerializer()
    queue = QueueProgressSerializer()


class AnswerProblemSerializer(serializers.Serializer[None]):
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), required=False)  # type: ignore[assignment]  # DRF pops declared fields


class AnswerResultSerializer(serializers.Serializer[None]):
    task = serializers.IntegerField()
    status = serializers.ChoiceField(choices=[SAVED, LOST, REFUSED])
    receipt = ReceiptSerializer(required=False, help_text="unless it was refused")
    problem = AnswerProblemSerializer(required=False, help_text="unless it was saved")


class AnswerResultsSerializer(serializers.Serializer[None]):
    results = AnswerResultSerializer(many=True)
