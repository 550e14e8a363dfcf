"""Serializers of models and runs in the API."""

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.people_serializers import WHICH_PROJECT
from catalog.models import OWN_NAME
from catalog.serializers.datasets import TaskField
from core.forms import ChangeSerializer, NamesField, ReferenceField
from core.references import as_number
from jobs.api import JobSerializer, TrainingNeedsSerializer
from registry.metadata import MAX_NOTES
from registry.models import VERSION_REFERENCE, Snapshot
from registry.recommending import RECOMMENDED_LEARNER
from tasktypes import names, task_type
from training.launchers import LAUNCHERS
from versioning.mirror import NO_BRANCH, is_branch

MAX_GATES = 100
MAX_IMAGES = 64
MAX_METADATA = 1_000_000


class NewModelSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, validators=[OWN_NAME])
    task = TaskField()
    classes = NamesField(child=serializers.CharField(max_length=200), min_length=1, max_length=10_000)
    description = serializers.CharField(default="", allow_blank=True, max_length=5000)
    project = ReferenceField(max_length=100, required=False, help_text=WHICH_PROJECT)


class AliasSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    version = serializers.IntegerField()


class ModelSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    project = serializers.CharField()
    task = serializers.CharField()
    classes = serializers.ListField(child=serializers.CharField())
    description = serializers.CharField()
    gates = serializers.ListField(child=serializers.DictField())
    archived = serializers.DateTimeField(
        allow_null=True, help_text="time since which it is read-only; null if it is not archived"
    )
    created = serializers.DateTimeField()
    latest = serializers.IntegerField(allow_null=True)
    aliases = AliasSerializer(many=True)


class ModelChangeSerializer(ChangeSerializer):
    name = serializers.CharField(required=False, max_length=100, validators=[OWN_NAME])
    description = serializers.CharField(required=False, allow_blank=True, max_length=5000)
    gates = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        allow_null=True,
        max_length=MAX_GATES,
        help_text="gates of the model; null for the defaults",
    )


class LaunchSerializer(serializers.Serializer[None]):
    launcher = serializers.ChoiceField(choices=LAUNCHERS)
    text = serializers.CharField(help_text="YAML of a JobSet, or a script")


class NotesSerializer(serializers.Serializer[None]):
    notes = serializers.CharField(allow_blank=True, max_length=MAX_NOTES)


class ModelListSerializer(serializers.Serializer[None]):
    results = ModelSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ArtifactSerializer(serializers.Serializer[None]):
    path = serializers.CharField()
    size = serializers.IntegerField()
    md5 = serializers.CharField()
    sha256 = serializers.CharField()
    url = serializers.CharField()


class GateResultSerializer(serializers.Serializer[None]):
    gate = serializers.CharField()
    passed = serializers.BooleanField()
    detail = serializers.CharField()
    value = serializers.FloatField(allow_null=True, required=False)
    base = serializers.FloatField(allow_null=True, required=False)
    interval = serializers.ListField(child=serializers.FloatField(), allow_null=True, required=False)
    failing = serializers.ListField(child=serializers.DictField(), required=False)


class PromotionSerializer(serializers.Serializer[None]):
    alias = serializers.CharField()
    version = serializers.IntegerField()
    previous = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    gates = GateResultSerializer(many=True)
    overridden = serializers.BooleanField()
    by = serializers.CharField()
    created = serializers.DateTimeField()


class PromotionListSerializer(serializers.Serializer[None]):
    results = PromotionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class PrecisionSerializer(serializers.Serializer[None]):
    precision = serializers.CharField()
    state = serializers.ChoiceField(choices=["proven", "being_proven", "not_proven"])
    job = serializers.IntegerField(
        allow_null=True, help_text="id of the job that proves it; null if it came with the version"
    )


class HeadlineSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="value of the metric; null if it was not evaluated")


class ModelWarningSerializer(serializers.Serializer[None]):
    code = serializers.CharField()
    detail = serializers.CharField()


class ModelVersionSerializer(serializers.Serializer[None]):
    model = serializers.CharField()
    version = serializers.IntegerField()
    architecture = serializers.CharField()
    digest = serializers.CharField()
    dataset = serializers.CharField(allow_null=True)
    dataset_version = serializers.IntegerField(allow_null=True)
    dataset_role = serializers.ChoiceField(
        choices=["trained", "judged"],
        allow_null=True,
        help_text="trained: its run read the dataset version; judged: it was only proved and evaluated on it",
    )
    run = serializers.IntegerField(allow_null=True)
    aliases = serializers.ListField(child=serializers.CharField())
    headline = HeadlineSerializer(help_text="headline metric of the task type")
    metrics = serializers.DictField(help_text="metrics by name; lists leave out the long ones")
    size = serializers.IntegerField(allow_null=True, help_text="bytes of model.onnx")
    tensorrt = serializers.CharField(help_text="verdict of NVIDIA's builder: verified, refused or not verified")
    precisions = PrecisionSerializer(many=True, help_text="precisions besides float32")
    warnings = ModelWarningSerializer(many=True, help_text="classes with few training samples; no better than a guess")
    notes = serializers.CharField()
    created = serializers.DateTimeField()


class ModelLineageSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField(allow_null=True)
    dataset_version = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)
    cloned_from = serializers.IntegerField(allow_null=True)
    parent = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    made_from = serializers.ListField(
        child=serializers.CharField(), help_text="members of an ensemble; versions that an upload was derived from"
    )
    children = serializers.ListField(child=serializers.CharField())
    hidden = serializers.IntegerField(help_text="parents and children in projects that you may not see")


class FeedingFactSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    words = serializers.CharField()


class FeedingSerializer(serializers.Serializer[None]):
    facts = FeedingFactSerializer(many=True, help_text="size, colour, layout, resize filter and the rest, in words")
    python = serializers.CharField(help_text="program that gives the platform's own answers for an image")
    cpp = serializers.CharField(help_text="the same in C++, with OpenCV and ONNX Runtime")


class ModelVersionDetailSerializer(ModelVersionSerializer):
    slices = serializers.JSONField(help_text="evaluation by slice, as in the metrics")
    gates = GateResultSerializer(many=True, help_text="the verdicts of the last promotion")
    lineage = ModelLineageSerializer()
    report = serializers.DictField()
    feeding = FeedingSerializer(
        allow_null=True, help_text="how to feed `model.onnx`; null for versions from before it was recorded"
    )
    lock = serializers.DictField()
    artifacts = ArtifactSerializer(many=True)
    promotions = PromotionSerializer(many=True)


class TextPart(serializers.CharField):
    """A text field of a form, sent as a field or as a file."""

    def to_internal_value(self, data: Any) -> str:
        if isinstance(data, UploadedFile):
            if (data.size or 0) > MAX_METADATA:
                self.fail("max_length", max_length=MAX_METADATA)
            try:
                data = data.read().decode()
            except UnicodeDecodeError:
                self.fail("invalid")
        return super().to_internal_value(data)


class UploadModelSerializer(serializers.Serializer[None]):
    onnx = serializers.FileField()
    metadata = TextPart(
        default="",
        allow_blank=True,
        max_length=MAX_METADATA,
        help_text="JSON: input_size, layout, scale, mean, std, logits, embedding, probabilities, dataset, parents, "
        "notes",
    )


class ModelVersionListSerializer(serializers.Serializer[None]):
    results = ModelVersionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewRunSerializer(serializers.Serializer[None]):
    model = ReferenceField()
    dataset = ReferenceField()
    version = ReferenceField(default="head")
    architecture = serializers.CharField(required=False, help_text=RECOMMENDED_LEARNER)
    config = serializers.DictField(default=dict)
    parent = serializers.CharField(default=None, allow_null=True, validators=[VERSION_REFERENCE])  # type: ignore[assignment]  # DRF pops declared fields
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    needs = TrainingNeedsSerializer(default=None, allow_null=True)


class NewTrainingForecastSerializer(serializers.Serializer[None]):
    dataset = ReferenceField()
    version = ReferenceField(default="head")
    architecture = serializers.CharField(required=False, help_text=RECOMMENDED_LEARNER)
    config = serializers.DictField(default=dict)
    needs = TrainingNeedsSerializer(default=None, allow_null=True)


class TrainingForecastSerializer(serializers.Serializer[None]):
    architecture = serializers.CharField()
    config = serializers.DictField(help_text="config that a run would have")
    params = serializers.DictField(help_text="all params of the architecture")
    recipe = serializers.DictField(help_text="whole recipe; `steps` are those it takes")
    seconds = serializers.FloatField(
        allow_null=True, help_text="from the start of the training to the registered version; null if it is not known"
    )
    runs = serializers.IntegerField(help_text="earlier trainings that it is computed from")
    source = serializers.ChoiceField(  # type: ignore[assignment]  # as above
        choices=["measured", "others", "reference", "unknown"],
        help_text="measured: from trainings of this architecture here; others: of other architectures; reference: of "
        "another machine",
    )
    device = serializers.ChoiceField(choices=["cpu", "cuda"])
    words = serializers.CharField(help_text="forecast in a sentence")


class NewEnsembleSerializer(serializers.Serializer[None]):
    versions = serializers.ListField(
        child=ReferenceField(), min_length=2, max_length=16, help_text="numbers or aliases of versions of the model"
    )
    dataset = ReferenceField(
        required=False, help_text="dataset to prove and evaluate on; by default that of the newest of the versions"
    )
    version = ReferenceField(default="head", help_text="version of `dataset`")
    export = serializers.DictField(default=dict, help_text="export settings, as in the config of a run")
    notes = serializers.CharField(default="", allow_blank=True, max_length=MAX_NOTES)


class CloneRunSerializer(serializers.Serializer[None]):
    model = ReferenceField(required=False)
    dataset = ReferenceField(required=False)
    version = ReferenceField(required=False)
    architecture = serializers.CharField(required=False)
    config = serializers.DictField(required=False)
    parent = serializers.CharField(  # type: ignore[assignment]  # as above
        required=False, allow_null=True, allow_blank=True, validators=[VERSION_REFERENCE]
    )
    seed = serializers.IntegerField(required=False, min_value=0, max_value=2**31 - 1)
    needs = TrainingNeedsSerializer(required=False, allow_null=True)


class SnapshotSerializer(serializers.Serializer[None]):
    kind = serializers.ChoiceField(choices=Snapshot.Kind.choices)
    step = serializers.IntegerField()
    metrics = serializers.DictField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    url = serializers.CharField()
    created = serializers.DateTimeField()


class SnapshotListSerializer(serializers.Serializer[None]):
    results = SnapshotSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ReadSplitSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField()
    sha256 = serializers.CharField(help_text="digest over key, md5, split and label of each sample")


class TrainingInputsSerializer(serializers.Serializer[None]):
    train = ReadSplitSerializer()
    validation = ReadSplitSerializer()


class LostSerializer(serializers.Serializer[None]):
    train = serializers.IntegerField()
    validation = serializers.IntegerField()


class InputDifferenceSerializer(serializers.Serializer[None]):
    gone = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="other bytes or another label")
    added = serializers.IntegerField()


class InputsChangedSerializer(serializers.Serializer[None]):
    run = serializers.IntegerField()
    train = InputDifferenceSerializer()
    validation = InputDifferenceSerializer()
    same = serializers.BooleanField(
        allow_null=True, help_text="whether both trainings read the same, by digests; null until this one begins"
    )


class CandidateSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    accuracy = serializers.FloatField(help_text="share of the labels that it answered rightly in cross-validation")
    interval = serializers.ListField(child=serializers.FloatField(), help_text="95 % interval of the accuracy")
    labels = serializers.IntegerField(help_text="number of labels that it was cross-validated on")


class LeftOutCandidateSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    why = serializers.CharField()


class LearnerChoiceSerializer(serializers.Serializer[None]):
    name = serializers.CharField(help_text="what was chosen, in words")
    architecture = serializers.CharField()
    params = serializers.DictField()
    reason = serializers.CharField(help_text="what was chosen and why, in one sentence with figures")
    labels = serializers.IntegerField()
    folds = serializers.IntegerField(
        allow_null=True, help_text="folds of the cross-validation; null where too few labels allowed none"
    )
    candidates = CandidateSerializer(many=True)
    pseudo_labels = serializers.DictField(
        child=serializers.FloatField(),
        help_text="share of each class in the pseudo-labels that it learned from too; empty without any",
    )
    left_out = LeftOutCandidateSerializer(many=True)


class RunSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    model = serializers.CharField()
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    architecture = serializers.CharField()
    config = serializers.DictField()
    parent = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    seed = serializers.IntegerField()
    cloned_from = serializers.IntegerField(allow_null=True)
    read = TrainingInputsSerializer(
        allow_null=True, help_text="what its training read; null before it has, and for older runs"
    )
    lost = LostSerializer(
        allow_null=True,
        help_text="samples it read that were erased since: a clone reads as many fewer; null: not known",
    )
    inputs_changed = InputsChangedSerializer(
        allow_null=True, help_text="of a clone: how its inputs differ from those of the run it was cloned from"
    )
    needs = TrainingNeedsSerializer(allow_null=True, help_text="requirements of its training; null if there are none")
    notes = serializers.CharField()
    model_version = serializers.IntegerField(allow_null=True)
    left_out = serializers.IntegerField(
        allow_null=True,
        help_text="labelled samples left out of training as near-duplicates of test samples; null for older runs",
    )
    warnings = ModelWarningSerializer(many=True, help_text="what the training data lacks: classes with few samples")
    sent_bytes = serializers.IntegerField(
        allow_null=True,
        help_text="bytes that each process of its training passed to the exchange with the others; null before its end",
    )
    choice = LearnerChoiceSerializer(
        allow_null=True, help_text="what the learner `auto` chose; null for an architecture, and before it has chosen"
    )
    created = serializers.DateTimeField()
    job = JobSerializer()


class RunListSerializer(serializers.Serializer[None]):
    results = RunSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RunMetricsSerializer(serializers.Serializer[None]):
    points = serializers.ListField(child=serializers.DictField())
    next = serializers.IntegerField()


class MoveAliasSerializer(serializers.Serializer[None]):
    alias = serializers.CharField(max_length=60, validators=[OWN_NAME])
    version = ReferenceField()
    reason = serializers.CharField(max_length=500)
    override = serializers.BooleanField(default=False)

    def validate_alias(self, value: str) -> str:
        if as_number(value.removeprefix("v")) is not None:
            raise serializers.ValidationError("numbers and `v1` are versions already: choose another name")
        if value.lower() == "latest":
            raise serializers.ValidationError("`latest` reads as the newest version: choose another name")
        if not is_branch(value):
            raise serializers.ValidationError(NO_BRANCH)
        return value


class RollBackSerializer(serializers.Serializer[None]):
    alias = serializers.CharField(max_length=60)
    reason = serializers.CharField(max_length=500)
    version = serializers.IntegerField(
        required=False, help_text="version that you expect to roll back to; refused if the alias has moved since"
    )


class ArchitectureSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    summary = serializers.CharField()
    frozen = serializers.BooleanField()
    input_size = serializers.ListField(child=serializers.IntegerField())
    embedding_dim = serializers.IntegerField(allow_null=True)
    tasks = serializers.ListField(child=serializers.CharField(), help_text="task types that it can learn")
    mean = serializers.ListField(child=serializers.FloatField(), help_text="mean that is subtracted from each channel")
    std = serializers.ListField(
        child=serializers.FloatField(), help_text="standard deviation that each channel is divided by"
    )
    params_schema = serializers.DictField()
    recipe_schema = serializers.DictField()
    recipe = serializers.DictField()


class ChoosingLearnerSerializer(serializers.Serializer[None]):
    """What chooses between architectures in each training."""

    name = serializers.CharField()
    summary = serializers.CharField()
    tasks = serializers.ListField(child=serializers.CharField(), help_text="task types that it can learn")
    params_schema = serializers.DictField()
    recipe_schema = serializers.DictField()
    recipe = serializers.DictField()


class ArchitectureListSerializer(serializers.Serializer[None]):
    results = ArchitectureSerializer(many=True)
    next = serializers.CharField(allow_null=True)
    auto = ChoosingLearnerSerializer()


class RecommendedLearnerSerializer(serializers.Serializer[None]):
    architecture = serializers.CharField()
    reason = serializers.CharField()
    config = serializers.DictField(help_text="config as POST /runs and POST /pipelines take it")


class RecommendedCountSerializer(serializers.Serializer[None]):
    count = serializers.IntegerField()
    reason = serializers.CharField()


class RecommendationSerializer(RecommendedLearnerSerializer):
    """An architecture, as sweeps and back-tests need one; `learner` is what runs and pipelines use by default."""

    learner = RecommendedLearnerSerializer()
    labels_per_round = RecommendedCountSerializer()


class PredictSerializer(serializers.Serializer[None]):
    file = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True), min_length=1, max_length=MAX_IMAGES, help_text="images"
    )
    top = serializers.IntegerField(
        default=5,
        min_value=1,
        max_value=1000,
        help_text="number of classes; for boxes, all that score at least 0.05 are returned",
    )
    artifact = serializers.CharField(default="model.onnx", max_length=120)
    activations = serializers.BooleanField(default=False)


class PredictionSerializer(serializers.Serializer[None]):
    # `class` is a keyword in Python
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            "class": serializers.CharField(),
            "probability": serializers.FloatField(),
            "calibrated": serializers.FloatField(required=False),
            "box": serializers.ListField(
                child=serializers.FloatField(), min_length=4, max_length=4, required=False,
                help_text="x1, y1, x2, y2 in pixels of the upright image",
            ),
        }  # fmt: skip


class DistributionSerializer(serializers.Serializer[None]):
    shape = serializers.ListField(child=serializers.IntegerField())
    count = serializers.IntegerField()
    mean = serializers.FloatField(required=False)
    std = serializers.FloatField(required=False)
    min = serializers.FloatField(required=False)
    max = serializers.FloatField(required=False)
    histogram = serializers.DictField(required=False, help_text="{counts, edges}")


class ActivationSerializer(DistributionSerializer):
    layer = serializers.CharField()
    operator = serializers.CharField()
    png = serializers.CharField(help_text="image as a data URL")


class ImageFaultSerializer(serializers.Serializer[None]):
    code = serializers.CharField()
    detail = serializers.CharField()


def _answers() -> list[dict[str, Any]]:
    """The answer schemas of the task types that can be trained, each once."""
    labels = [task_type(name).labels for name in names() if "training" not in task_type(name).lacks]
    return [*{told.value_schema: told.answer_schema for told in labels}.values()]


@extend_schema_field({"oneOf": _answers()})
class AnsweredField(serializers.JSONField):
    """A model's answer, in the form of its task type."""


class ImageAnswerSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    answer = AnsweredField(
        allow_null=True,
        help_text="label, with the probability of its least certain part; for boxes, with the score of each",
    )
    predictions = PredictionSerializer(many=True)
    error = ImageFaultSerializer(allow_null=True)
    activations = ActivationSerializer(many=True, required=False)


class PredictionsSerializer(serializers.Serializer[None]):
    model = serializers.CharField()
    version = serializers.IntegerField()
    artifact = serializers.CharField()
    temperature = serializers.FloatField(allow_null=True)
    results = ImageAnswerSerializer(many=True)


class WeightSerializer(DistributionSerializer):
    name = serializers.CharField()


class LayerSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    operator = serializers.CharField()
    parameters = serializers.IntegerField()
    weights = WeightSerializer(many=True)
    picture = serializers.CharField(allow_null=True)


class LayersSerializer(serializers.Serializer[None]):
    artifact = serializers.CharField()
    results = LayerSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class IntervalField(serializers.ListField):
    """The lower and upper end of an interval."""

    child = serializers.FloatField()


class CornersField(serializers.ListField):
    """A box: x1, y1, x2, y2 as fractions of the upright image."""

    child = serializers.FloatField()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_length=4, max_length=4, **kwargs)


class OutcomeSerializer(serializers.Serializer[None]):
    md5 = serializers.CharField(help_text="md5 of the image")
    key = serializers.CharField(allow_null=True, help_text="key of the sample; null if it was erased")
    sample = serializers.IntegerField(
        allow_null=True, help_text="id of the sample; null if it is no longer in the dataset"
    )
    width = serializers.IntegerField(allow_null=True, help_text="width of the upright image in pixels")
    height = serializers.IntegerField(allow_null=True)
    label = serializers.CharField(  # type: ignore[assignment]  # DRF pops declared fields
        allow_null=True, help_text="true class; null if there is none"
    )
    predicted = serializers.CharField(
        allow_null=True, help_text="class that the model predicted; null if it predicted none"
    )
    score = serializers.FloatField(
        help_text="score of the prediction; for a missed class or object, the highest that the model gave it, or 0"
    )
    box = CornersField(allow_null=True, help_text="box that the model predicted")
    object = CornersField(allow_null=True, help_text="box of the true object")
    overlap = serializers.FloatField(
        allow_null=True,
        help_text="IoU of `box` and `object`; for one alone, its highest IoU with any object or predicted box",
    )


class OutcomeCountsSerializer(serializers.Serializer[None]):
    right = serializers.IntegerField()
    wrong = serializers.IntegerField()
    missed = serializers.IntegerField()


class OutcomeHeadSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    version = serializers.IntegerField()
    split = serializers.CharField(help_text="split that the version was evaluated on: test or val")
    total = serializers.IntegerField()


class OutcomesSerializer(OutcomeHeadSerializer):
    counts = OutcomeCountsSerializer(allow_null=True, help_text="number of outcomes of each sort; null for `kind=cell`")
    results = OutcomeSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NamedSampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()


class OutcomeSamplesSerializer(OutcomeHeadSerializer):
    """`total` counts all samples behind the list, including those no longer in the dataset."""

    samples = NamedSampleSerializer(many=True, help_text="samples that are still in the dataset, of the first 10,000")


class CalibrationBinSerializer(serializers.Serializer[None]):
    low = serializers.FloatField()
    high = serializers.FloatField(help_text="upper end of the bin, which only the last bin includes")
    said = serializers.IntegerField()
    right = serializers.IntegerField()
    confidence = serializers.FloatField(allow_null=True, help_text="mean confidence in the bin; null if it is empty")


class CalibrationBinsSerializer(serializers.Serializer[None]):
    bins = CalibrationBinSerializer(many=True)
