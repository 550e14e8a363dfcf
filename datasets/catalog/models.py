"""Models of the catalog: datasets, immutable versions, samples and their labels.

A version is not a list. Each sample's state is a Revision that holds from version `since` up to, not including,
`until`; a commit writes only the revisions it changes, and any version is read by one range condition. A fork reads on
in its origin, as that was at the fork point, but for the samples it has touched itself (ForkOverride).
"""

import re
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, ClassVar, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, When
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.deconstruct import deconstructible

from accounts.models import Project
from blobs.models import Blob
from jobs.lifecycle.models import NAME_LENGTH, Named, Present
from jobs.models import Job
from tasktypes import TaskType, stored_task_type
from tasktypes import names as task_types
from worker_programs.names import NAME_PATTERN, NAME_RULE, name_fault


@deconstructible(path="django.core.validators.RegexValidator")  # so migrations name Django's own
class NameValidator(RegexValidator):
    """Refuses a name with the valid one that is nearest to it."""

    def __call__(self, value: Any) -> None:
        if not re.search(self.regex, str(value)):
            rule = str(self.message)
            raise ValidationError(name_fault(str(value), rule=rule) or rule, code=self.code)


NAME = NameValidator(NAME_PATTERN, NAME_RULE)
PART_BYTES = 8 << 20
"""The size of one part of an archive that is uploaded in parts."""
OWN_NAME = NameValidator(rf"^(?![0-9]+$){NAME_PATTERN[1:]}", f"{NAME.message}, and not a number alone")
"""Validates names of things that a URL takes by id or by name: a number would be the id of another."""


class Split(models.TextChoices):
    POOL = "pool"
    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class Dataset(Named):
    """A growing pile of samples with a fixed list of classes."""

    name = models.CharField(max_length=NAME_LENGTH, unique=True, validators=[NAME])
    task = models.CharField(max_length=20)  # the name of a task type in `tasktypes`
    classes = models.JSONField()  # class names, in order; the instructions to annotators are in SchemaVersion
    schema_version = models.PositiveIntegerField(default=1)
    description = models.TextField(blank=True)
    head = models.ForeignKey("Version", on_delete=models.PROTECT, null=True, related_name="+")
    origin = models.ForeignKey("Version", on_delete=models.PROTECT, null=True, related_name="forks")
    # [[dataset id, version number], ..] of the versions that a fork reads on in, nearest first: `origin`, its origin..
    ancestry = models.JSONField(default=list)
    split_rule = models.JSONField(null=True)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="datasets")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)

    objects = Present["Dataset"]()
    in_project: ClassVar[str] = "project"

    def __str__(self) -> str:
        return self.name

    @property
    def task_type(self) -> TaskType:
        """The dataset's task type. Raises Unavailable if it is no longer installed."""
        return stored_task_type(self.task)

    @property
    def multi_label(self) -> bool:
        """Whether a label is any number of classes, under its name from before that was a task type of its own."""
        return self.task in task_types() and self.task_type.several_of is not None

    @property
    def trainable(self) -> bool:
        """Whether models can learn from it. False, not an error, if its task type is no longer installed, because lists
        show such datasets too."""
        return self.task in task_types() and "training" not in self.task_type.lacks

    @property
    def names_several(self) -> bool:
        """Whether a label may name several classes, which are then stored in `RevisionClass`."""
        return self.task_type.labels.names_several

    def class_counts(self, label: "Label | None") -> dict[str, int]:
        """Count the objects of each class in a label; a label that only names classes counts each once."""
        return self.task_type.labels.class_counts(label.value) if label else {}


def no_counts() -> dict[str, Any]:
    """The counts of an empty version."""
    return {"samples": 0, "labelled": 0, "by_split": {}, "by_class": {}}


class Version(models.Model):
    """An immutable commit on a parent. `counts` cover the whole version and are kept by adding up changes."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    merged = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    message = models.CharField(max_length=500, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)
    added = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    labelled = models.PositiveIntegerField(default=0)
    erased = models.PositiveIntegerField(default=0)  # samples it held that were erased for privacy
    schema_version = models.PositiveIntegerField(default=1)  # the dataset's label schema when this was committed
    counts = models.JSONField(default=no_counts)
    labelling = models.JSONField(null=True)  # if a queue committed it: how the queue's labels came about

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="version_number_once")]

    def __str__(self) -> str:
        return f"{self.dataset.name} v{self.number}"

    @property
    def revisions(self) -> "RevisionQuerySet":
        """The samples of this version, as they are in it."""
        return Revision.objects.at(self)

    @property
    def path(self) -> list[tuple[int, int]]:
        """The (dataset id, version number) of every dataset this version reads in: its own first, then those it was
        forked from."""
        return [(self.dataset_id, self.number), *((line, number) for line, number in self.dataset.ancestry)]


class OpenWrite(models.Model):
    """A large commit that is being written in pieces (see `versions.pieces`). Its rows have `number`, one more than the
    head, as their `since` or `until`, so no version shows them. A dataset has one at most; no other commit is made
    beside it."""

    dataset = models.OneToOneField(Dataset, on_delete=models.CASCADE, related_name="open_write")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    message = models.CharField(max_length=500, blank=True)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")  # None: a request writes it
    token = models.PositiveIntegerField(default=1)  # a writer with another token writes nothing any more
    total = models.PositiveIntegerField()  # samples
    done = models.PositiveIntegerField(default=0)
    undoing = models.BooleanField(default=False)
    started = models.DateTimeField(db_default=Now())
    beat = models.DateTimeField(db_default=Now())  # when a piece was last written

    def __str__(self) -> str:
        return f"version {self.number} of dataset {self.dataset_id}, {self.done} of {self.total}"


class VersionName(models.Model):
    """A name for a version: a tag never moves, an alias can be moved; only an owner can move a protected one."""

    class Kind(models.TextChoices):
        TAG = "tag"
        ALIAS = "alias"

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="names")
    name = models.CharField(max_length=100, validators=[NAME])
    kind = models.CharField(max_length=5, choices=Kind)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="names")
    protected = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)
    moved = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "name"], name="version_name_once")]

    def __str__(self) -> str:
        return self.name


class Sample(models.Model):
    """The stable identity of one frame in a dataset."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="samples")
    key = models.CharField(max_length=500)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "key"], name="sample_key_once")]

    def __str__(self) -> str:
        return self.key


class Label(models.Model):
    """What somebody said about a sample. Append-only."""

    class Source(models.TextChoices):
        HUMAN = "human"
        MODEL = "model"
        IMPORT = "import"

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="labels")
    value = models.JSONField()
    source = models.CharField(max_length=10, choices=Source)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True)
    seconds = models.FloatField(null=True)
    facts = models.JSONField(null=True)  # labels from a queue: review_state, answers, agreement, confidence
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"label of sample {self.sample_id}"


class LabelObject(models.Model):
    """A box, polygon or ignore region of a label, as rows for filters and statistics; the full value is in the label.

    Labels never change, so a commit writes only the objects of its new labels: moving samples to another split writes
    none.
    """

    class Kind(models.TextChoices):
        BOX = "box"
        POLYGON = "polygon"
        IGNORED = "ignored"

    label = models.ForeignKey(Label, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=7, choices=Kind)
    class_name = models.CharField(max_length=200, blank=True)  # empty for an ignore region
    width = models.FloatField()
    height = models.FloatField()
    area = models.FloatField()  # a polygon's own area, not that of the box around it
    attributes = models.JSONField(null=True)

    class Meta:
        indexes = [models.Index(fields=["label", "kind", "class_name"], name="label_object")]

    def __str__(self) -> str:
        return f"{self.kind} of label {self.label_id}"


class ForkOverride(models.Model):
    """Marks that from version `since` of a fork on, a sample no longer has its state in the fork's origin."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    since = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "sample"], name="shadow_once")]
        indexes = [models.Index(fields=["dataset", "since"], name="shadow_since")]

    def __str__(self) -> str:
        return f"sample {self.sample_id} touched in v{self.since}"


class RevisionQuerySet(models.QuerySet["Revision"]):
    def at(self, version: Version) -> Self:
        """The revisions that make up a version."""
        return self.filter(reduce(or_, revision_conditions(version.path)))

    def committed(self) -> Self:
        """The revisions of versions: without those of a commit that is still being written (`OpenWrite`)."""
        return self.filter(since__lte=F("dataset__head__number"))

    def ever(self, dataset: Dataset) -> Self:
        """All revisions of a dataset's samples, in the order they were made: in its origins first, then in itself."""
        own = Q(dataset_id=dataset.pk)
        chosen, places = own & Q(since__lte=F("dataset__head__number")), [When(own, then=0)]
        for depth, (ancestor, number) in enumerate(dataset.ancestry, start=1):
            chosen |= Q(dataset_id=ancestor, since__lte=number)
            places.append(When(dataset_id=ancestor, then=-depth))
        return self.filter(chosen).annotate(place=Case(*places)).order_by("place", "since")


def revision_conditions(path: Sequence[tuple[int, int | OuterRef]]) -> list[Q]:
    """Disjoint conditions for the revisions of a version: one for its own dataset, and one for each it was forked
    from. In a subquery a number may be an OuterRef: that of the version that each outer row names."""
    conditions: list[Q] = []
    touched = Q()
    for dataset_id, number in path:
        held = Q(until=None) | Q(until__gt=number)
        condition = held & Q(dataset_id=dataset_id, since__lte=number)
        if conditions:
            condition &= Q(~Exists(ForkOverride.objects.filter(touched, sample=OuterRef("sample"))))
        conditions.append(condition)
        touched |= Q(dataset_id=dataset_id, since__lte=OuterRef(number) if isinstance(number, OuterRef) else number)
    return conditions


class Revision(models.Model):
    """The state of a sample from version number `since` up to, not including, `until` (None: still so)."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    since = models.PositiveIntegerField()
    until = models.PositiveIntegerField(null=True)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    # The uploaded file, if `blob` was converted from it.
    original = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    split = models.CharField(max_length=5, choices=Split)
    label = models.ForeignKey(Label, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    class_name = models.CharField(max_length=200, blank=True)
    meta = models.JSONField(default=dict)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sample", "dataset", "since"], name="revision_once")]
        indexes = [
            # These include `since` and `until` so that skipping rows of a version reads only the index.
            models.Index(fields=["dataset", "sample", "since", "until"], name="revision_window"),
            models.Index(fields=["dataset", "split", "sample", "since", "until"], name="revision_split"),
            models.Index(fields=["dataset", "class_name", "sample", "since", "until"], name="revision_class"),
            # To find what changed between two versions.
            models.Index(fields=["dataset", "since"], name="revision_since"),
            models.Index(fields=["dataset", "until"], condition=Q(until__isnull=False), name="revision_until"),
            # Few rows have an original; whatever deletes blobs looks them up.
            models.Index(fields=["original"], condition=Q(original__isnull=False), name="revision_original"),
            # PostgreSQL looks here for each label that is deleted.
            models.Index(fields=["label"], condition=Q(label__isnull=False), name="revision_label"),
        ]

    def __str__(self) -> str:
        return f"sample {self.sample_id} since v{self.since}"

    def says_the_same(self, other: "Revision") -> bool:
        """Whether both have the same bytes, original, split, metadata and label value; the label's author and time are
        ignored."""
        values = [row.label.value if row.label is not None else None for row in (self, other)]
        facts = [(row.blob.md5, row.original and row.original.md5, row.split, row.meta) for row in (self, other)]
        return facts[0] == facts[1] and values[0] == values[1]


class RevisionClass(models.Model):
    """A class that a revision's label names, if labels may name several: filters of such a dataset read these rows."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="mentions")
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    class_name = models.CharField(max_length=200)

    class Meta:
        indexes = [models.Index(fields=["dataset", "class_name", "sample", "revision"], name="mention_class")]

    def __str__(self) -> str:
        return self.class_name


class Tally(models.Model):
    """How a version changed the number of samples in one bucket of sample ids, by split and class.

    Sums of `delta` over `since` <= v are counts of version v: totals, facets, and the position of the n-th sample, at a
    cost that depends on the number of buckets, not of samples. A row with an empty `class_name` counts samples,
    labelled or not; one with a class counts the samples whose label names it.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    since = models.PositiveIntegerField()
    bucket = models.PositiveBigIntegerField()
    split = models.CharField(max_length=5, choices=Split)
    class_name = models.CharField(max_length=200, blank=True)
    labelled = models.BooleanField()
    delta = models.IntegerField()

    class Meta:
        indexes = [
            models.Index(
                fields=["dataset", "class_name", "bucket", "split", "labelled", "since", "delta"], name="tally_cells"
            )
        ]

    def __str__(self) -> str:
        return f"{self.delta:+} in bucket {self.bucket} since v{self.since}"


class Erasure(models.Model):
    """The record that a sample was erased, why, and what had contained it. It is kept for ever and does not name the
    sample: only someone who knows the key can find it by `key_digest`."""

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="erasures")
    key_digest = models.CharField(max_length=64, db_index=True)
    reason = models.CharField(max_length=500)
    report = models.JSONField(default=dict)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"erasure {self.pk}"


class GroupPlace(models.Model):
    """The first split that a group of samples was assigned to (see `splits.rules`): later samples of the group follow,
    even if the rule changes. Groups with samples in pool only have no row."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    group = models.CharField(max_length=64)  # sha256 of its name
    split = models.CharField(max_length=5, choices=Split)
    since = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "group"], name="group_place_once")]

    def __str__(self) -> str:
        return f"group in {self.split}"


class HashPage(models.Model):
    """Perceptual hashes of images that were added to a dataset, packed, so that a commit can search all of them.

    `samples` and `hashes` are int64, little-endian, one each per image. A page may be out of date: matches are checked
    against the version in question.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+", db_index=False)
    test = models.BooleanField()
    rows = models.PositiveIntegerField()
    samples = models.BinaryField()
    hashes = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["dataset", "test", "rows"], name="hash_page")]

    def __str__(self) -> str:
        return f"{self.rows} hashes"


class NearDuplicate(models.Model):
    """A sample that is a near-duplicate of the test sample `of`: it is kept out of train unless `allowed`."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="near_duplicates", db_index=False)
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    of = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    distance = models.FloatField()
    found_by = models.CharField(max_length=200)
    allowed = models.BooleanField(default=False)
    since = models.PositiveIntegerField()
    # Whether a comparison of the pixels confirmed it. Rows from before that comparison existed are False until checked.
    confirmed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "sample", "found_by"], name="near_duplicate_once")]

    def __str__(self) -> str:
        return f"sample {self.sample_id} is like {self.of_id}"


class Slice(models.Model):
    """A saved filter over the samples of any version (see `filters`)."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="slices")
    name = models.CharField(max_length=100, validators=[NAME])
    filter = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "name"], name="slice_name_once")]

    def __str__(self) -> str:
        return self.name


class ArchiveUpload(models.Model):
    """An archive that is being uploaded in parts of PART_BYTES. `job` is the job that reads it."""

    id = models.CharField(primary_key=True, max_length=32)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    fingerprint = models.CharField(max_length=200)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    taken = models.BooleanField(db_default=False)  # it is being committed: its parts no longer count as the project's
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def parts_expected(self) -> int:
        """The number of parts of the whole archive."""
        return -(-self.size // PART_BYTES)

    @property
    def received(self) -> list[int]:
        """The numbers of the parts that have arrived."""
        return list(self.parts.order_by("number").values_list("number", flat=True))


class ArchivePart(models.Model):
    """One part of an archive, as a blob."""

    upload = models.ForeignKey(ArchiveUpload, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    received = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "number"], name="archive_part_once")]

    def __str__(self) -> str:
        return f"part {self.number}"


class SentBytes(models.Model):
    """Bytes that a user uploaded before a commit, which may name them by digest. The row is deleted with the bytes."""

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    blob = models.ForeignKey(Blob, on_delete=models.CASCADE, related_name="+")
    sent = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["author", "blob"], name="sent_once")]

    def __str__(self) -> str:
        return f"blob {self.blob_id} of {self.author_id}"


class Export(models.Model):
    """A version, or those of its samples that pass a filter, as an archive. `blob` is the archive, once the job has
    written it."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="exports")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=20)
    split = models.CharField(max_length=5, choices=Split, blank=True)
    slice = models.CharField(max_length=100, blank=True)  # the slice's name; its filter at the time is in `filter`
    filter = models.JSONField(null=True)  # the filter of the samples, slices written out; null: only `split`
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.filename

    @property
    def filename(self) -> str:
        """The archive's file name for downloads."""
        chosen = self.slice or ("filtered" if self.filter else "")
        parts = [self.dataset.name, f"v{self.version.number}", self.split, chosen, self.format]
        return "-".join(filter(None, parts)) + ".zip"

    @property
    def url(self) -> str:
        """The URL to download the archive."""
        return f"/datasets/{self.dataset_id}/exports/{self.pk}/archive"


class SchemaVersion(models.Model):
    """The label schema, which annotators see: `classes` is `[{name, key, colour, dash, guideline, archived}, ..]`.

    Immutable. A dataset whose schema nobody has changed has no row: its schema is version 1, as `schemas.palette` makes
    it. The newest row names the same classes as `Dataset.classes`, which alone defines what labels may name.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="schemas")
    number = models.PositiveIntegerField()
    classes = models.JSONField()
    guideline = models.TextField(blank=True)
    message = models.CharField(max_length=500, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="schema_version_once")]

    def __str__(self) -> str:
        return f"schema {self.number} of dataset {self.dataset_id}"


class SchemaExample(models.Model):
    """A picture that shows what a class means. It is deleted when its sample is erased."""

    schema = models.ForeignKey(SchemaVersion, on_delete=models.CASCADE, related_name="examples")
    class_name = models.CharField(max_length=200)
    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="+")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=500, blank=True)

    def __str__(self) -> str:
        return f"example of {self.class_name}"
