"""Tables of the registry: models, the runs that trained them, versions with their proof, aliases."""

from typing import ClassVar

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models

from accounts.models import Project
from blobs.models import Blob
from catalog.models import NAME, Dataset, Version
from jobs.lifecycle.models import NAME_LENGTH, Named, Present
from jobs.models import Job
from tasktypes import TaskType, stored_task_type

VERSION_REFERENCE = RegexValidator(r"^[^@\x00]+@[^@\x00]+$", 'must be like "name@production" or "name@3"')


class Model(Named):
    """A series of versions for the same task and classes."""

    name = models.CharField(max_length=NAME_LENGTH, unique=True, validators=[NAME])
    task = models.CharField(max_length=20)  # the name of a task type in `tasktypes`
    classes = models.JSONField()
    description = models.TextField(blank=True)
    gates = models.JSONField(null=True)
    """The gates a version must pass before an alias moves to it; None: `gates.default_gates`."""
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="models")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    objects = Present["Model"]()
    in_project: ClassVar[str] = "project"

    def __str__(self) -> str:
        return self.name

    @property
    def task_type(self) -> TaskType:
        """The task type of its versions. Raises Unavailable like that of a dataset."""
        return stored_task_type(self.task)


class Run(models.Model):
    """The inputs of one training. Its job has the progress, its model version the result."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="runs")
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="runs")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    architecture = models.CharField(max_length=60)
    config = models.JSONField(default=dict)
    parent = models.ForeignKey("ModelVersion", on_delete=models.PROTECT, null=True, related_name="children")
    seed = models.PositiveIntegerField(default=0)
    cloned_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="clones")
    notes = models.TextField(blank=True)
    inputs = models.JSONField(default=list, db_default=[])
    """What its training has read (`registry.inputs.Inputs`): one entry, and another for each time that it was resumed
    and read something else. Empty: it has not begun, or began before this was recorded."""
    inputs_changed = models.JSONField(null=True)
    """Of a clone: how its inputs differ from those that the run it was cloned from had read
    (`registry.inputs.Difference`, by split); null if that is not known."""
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="run")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"run {self.pk} of {self.model.name}"


class Snapshot(models.Model):
    """A checkpoint of an unfinished run: the one to resume from, or one of the best so far."""

    class Kind(models.TextChoices):
        RECOVERY = "recovery"
        BEST = "best"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="snapshots")
    kind = models.CharField(max_length=10, choices=Kind)
    step = models.PositiveIntegerField()
    metrics = models.JSONField(default=dict)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "kind", "step"], name="snapshot_once")]

    def __str__(self) -> str:
        return f"{self.kind} of run {self.run_id} at step {self.step}"


class ModelVersion(models.Model):
    """A registered model, identified by the SHA-256 of its `model.onnx`. Immutable, except that its further precisions
    are added once they are proved, and that notes can change."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    run = models.OneToOneField(Run, on_delete=models.PROTECT, null=True, related_name="model_version")
    dataset_version = models.ForeignKey(Version, on_delete=models.PROTECT, null=True, related_name="+")
    """The dataset version that its run read; of a version without a run, the one it was proved and evaluated on."""
    made_from = models.ManyToManyField("self", symmetrical=False, related_name="made_into")
    """The versions whose weights are in its file: the members of an ensemble, or those that an uploaded file was
    derived from. The version that a run started from is the run's `parent`."""
    architecture = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, db_index=True)
    metrics = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    lock = models.JSONField(default=dict)
    precisions_job = models.OneToOneField(Job, on_delete=models.PROTECT, null=True, related_name="precisions_of")
    """The job that makes and proves its further precisions; None if there are none, or all came with the version."""
    notes = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "number"], name="model_version_once")]

    def __str__(self) -> str:
        return f"{self.model.name} v{self.number}"

    @property
    def onnx(self) -> Blob:
        """The blob of `model.onnx`."""
        return self.artifacts.select_related("blob").get(path="model.onnx").blob

    @property
    def proving(self) -> list[str]:
        """The precisions that are still being made and proved."""
        job = self.precisions_job
        return list(job.params["precisions"]) if job is not None and job.is_open else []


class Artifact(models.Model):
    """A file of a model version: `model.onnx`, `checkpoint.safetensors`, `report.json`, .."""

    version = models.ForeignKey(ModelVersion, on_delete=models.CASCADE, related_name="artifacts")
    path = models.CharField(max_length=120)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "path"], name="artifact_once")]

    def __str__(self) -> str:
        return self.path


class Alias(models.Model):
    """A movable name for a version: `production`."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=60, validators=[NAME])
    version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="aliases")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "name"], name="alias_once")]

    def __str__(self) -> str:
        return self.name


class Promotion(models.Model):
    """A move of an alias: who, when, why, and the verdicts of the gates. Append-only."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="promotions")
    alias = models.CharField(max_length=60)
    version = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, related_name="promotions")
    previous = models.ForeignKey(ModelVersion, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=500)
    gates = models.JSONField(default=list)
    overridden = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.alias} -> {self.version_id}"
