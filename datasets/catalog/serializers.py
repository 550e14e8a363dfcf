"""The catalog's documents, in and out: validation of requests, shapes of answers, the OpenAPI schema."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from blobs.models import Blob
from catalog.erasure_serializers import ContainedInSerializer
from catalog.ingest import KEEP_OUT, MERGE, METADATA, NEAR_DUPLICATES, PARTIAL, UNLABELLED
from catalog.label_serializers import LabelField
from catalog.labelling_serializers import LabelFactsSerializer, VersionLabellingSerializer
from catalog.models import Dataset, Label, Revision, Split, Task, Version, no_counts
from formats import REASONS, format_names

MAX_MESSAGE = 500
UPLOAD_FORMATS = ["auto", *format_names()]
SPLIT_RULE = "how new samples are split; null splits nothing"
META = (
    "merge: the names that a sample's `meta` gives change, a null removes one, the others stay; replace: what a "
    "sample's `meta` says is all of it"
)
STRICT = "take all of it or nothing: what can't be taken, or kept of the annotations, refuses the whole upload"
CONVERT = "turn TIFF, BMP, GIF, HEIC and AVIF into PNG or JPEG, and keep the originals; else they are not taken"
WHEN_PARTIAL = (
    "what becomes of an image when the label can't hold some of its objects (`incomplete` in the answer counts them): "
    "it stays unlabelled, or keeps the others"
)
BYTES = {"data", "md5", "upload", "url"}  # the ways to say which bytes a sample has


class CountsSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField()
    labelled = serializers.IntegerField()
    by_split = serializers.DictField(child=serializers.IntegerField())
    by_class = serializers.DictField(child=serializers.IntegerField())


class PlaceSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    version = serializers.IntegerField()


class SplitRuleSerializer(serializers.Serializer[None]):
    group = serializers.CharField(help_text="meta.NAME, folder, key or regex:PATTERN")
    fractions = serializers.DictField(child=serializers.FloatField(), help_text="of the groups, by split")
    seed = serializers.CharField(required=False, allow_blank=True)


@extend_schema_field(SplitRuleSerializer)
class SplitRuleField(serializers.JSONField):
    """Checked where it is parsed (`SplitRule.of`)."""


class DatasetSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    task = serializers.ChoiceField(choices=Task.choices)
    classes = serializers.ListField(child=serializers.CharField())
    multi_label = serializers.BooleanField(help_text="a sample may have several classes, or none of them")
    label_kind = serializers.CharField(help_text="what its labels are to formats: see `tasks` of `/formats`")
    trainable = serializers.BooleanField(help_text="models can be trained on it: so far those of one class an image")
    schema_version = serializers.IntegerField(help_text="of the label schema: see `/datasets/{id}/schema`")
    description = serializers.CharField()
    split_rule = SplitRuleField(allow_null=True, help_text=SPLIT_RULE)
    head = serializers.IntegerField(allow_null=True)
    origin = PlaceSerializer(allow_null=True, help_text="what this is a fork of")
    counts = CountsSerializer()
    archived = serializers.DateTimeField(allow_null=True, help_text="since when it can only be read")
    created = serializers.DateTimeField()


class DatasetListSerializer(serializers.Serializer[None]):
    results = DatasetSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewDatasetSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100)
    task = serializers.ChoiceField(choices=Task.choices)
    classes = serializers.ListField(child=serializers.CharField(), max_length=10_000)
    multi_label = serializers.BooleanField(default=False, help_text="of classification: a sample may have several")
    description = serializers.CharField(required=False, allow_blank=True, default="", max_length=10_000)
    split_rule = SplitRuleField(required=False, allow_null=True, help_text=SPLIT_RULE)


class DatasetChangeSerializer(serializers.Serializer[None]):
    """What is left out stays."""

    name = serializers.CharField(max_length=100, required=False)
    description = serializers.CharField(allow_blank=True, required=False)
    split_rule = SplitRuleField(allow_null=True, required=False, help_text=SPLIT_RULE)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError(f"there is nothing to change: send one of {', '.join(self.fields)}")
        return attrs


class VersionSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    message = serializers.CharField()
    author = serializers.CharField()
    created = serializers.DateTimeField()
    added = serializers.IntegerField()
    updated = serializers.IntegerField()
    removed = serializers.IntegerField()
    labelled = serializers.IntegerField()
    erased = serializers.IntegerField(help_text="samples it held that were erased for privacy")
    schema_version = serializers.IntegerField(help_text="the label schema it was labelled with")
    counts = CountsSerializer()
    names = serializers.ListField(child=serializers.CharField(), help_text="tags and aliases")
    merged = PlaceSerializer(allow_null=True, help_text="the version of another dataset that this one took in")
    labelling = VersionLabellingSerializer(allow_null=True)


class VersionListSerializer(serializers.Serializer[None]):
    results = VersionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class RejectionSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class RecognisedSerializer(serializers.Serializer[None]):
    format = serializers.CharField()
    why = serializers.CharField()


class TwinSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    of = serializers.CharField(help_text="the test sample that shows nearly the same")
    distance = serializers.FloatField()
    split = serializers.ChoiceField(choices=Split.choices)


class HeldOutSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField(help_text="of this commit, meant for train and kept in pool")
    labelled = serializers.IntegerField(help_text="of these, with a label")
    detail = serializers.CharField(help_text="why, where to look, and how to decide otherwise")


class ExactPairSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    of = serializers.CharField()


class ExactDuplicatesSerializer(serializers.Serializer[None]):
    in_commit = serializers.IntegerField(help_text="images with the bytes of another one of this commit")
    in_dataset = serializers.IntegerField(help_text="images with the bytes of another sample that is there")
    pairs = ExactPairSerializer(many=True, help_text="the first 100")


class IncompleteSerializer(serializers.Serializer[None]):
    code = serializers.ChoiceField(choices=sorted(REASONS))
    reason = serializers.CharField()
    objects = serializers.IntegerField()
    images = serializers.IntegerField()
    examples = serializers.ListField(child=serializers.CharField(), help_text="the first of the images")


class CommitSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField(allow_null=True)
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    added = serializers.IntegerField()
    updated = serializers.IntegerField()
    removed = serializers.IntegerField()
    labelled = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    converted = serializers.IntegerField(help_text="of those added and updated: made of what was sent")
    rejected = RejectionSerializer(many=True)
    near_duplicates = TwinSerializer(many=True, help_text="of test samples: kept out of train unless allowed")
    leaks = TwinSerializer(many=True, help_text="samples of train and val that new test samples resemble")
    held_out = HeldOutSerializer(allow_null=True)
    exact_duplicates = ExactDuplicatesSerializer(help_text="they are kept all the same")
    recognised = RecognisedSerializer(allow_null=True, required=False)
    notes = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="what the annotations hold and we can't keep"
    )
    incomplete = IncompleteSerializer(
        many=True, required=False, help_text="objects that a label can't hold: their images stay unlabelled"
    )


class NewSampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField(trim_whitespace=False, max_length=2000)
    data = serializers.CharField(required=False, help_text="base64; leave it out to change a sample that is there")  # type: ignore[assignment]  # DRF pops declared fields
    md5 = serializers.RegexField(r"^[0-9a-f]{32}$", required=False, help_text="of bytes that were sent to /uploads")
    upload = serializers.RegexField(
        r"^[0-9a-f]{32}$",
        required=False,
        help_text="the id of a direct upload, or of an archive that was sent in parts",
    )
    url = serializers.CharField(required=False, max_length=2000, help_text="of a host that an operator allows")
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    label = LabelField(required=False, allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    meta = serializers.DictField(
        required=False, help_text="merged into the sample's metadata: a null removes a name (see `metadata`)"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(given := BYTES & attrs.keys()) > 1:
            raise serializers.ValidationError({sorted(given)[1]: f"send one of {', '.join(sorted(given))}, not both"})
        return attrs


class NewLabelSerializer(serializers.Serializer[None]):
    key = serializers.CharField(trim_whitespace=False, max_length=2000)
    label = LabelField()  # type: ignore[assignment]  # DRF pops declared fields


class DirectArchiveSerializer(serializers.Serializer[None]):
    upload = serializers.RegexField(
        r"^[0-9a-f]{32}$", help_text="the id of a direct upload, or of an archive sent in parts"
    )
    sha256 = serializers.RegexField(r"^[0-9a-f]{64}$", required=False)
    name = serializers.CharField(required=False, default="archive", max_length=100)


class CommitDocumentSerializer(serializers.Serializer[None]):
    archive = DirectArchiveSerializer(required=False, help_text="an archive that was sent before")
    format = serializers.ChoiceField(choices=UPLOAD_FORMATS, default="auto", help_text="of the archive")
    split = serializers.ChoiceField(choices=Split.choices, required=False, help_text="of the archive's images")
    samples = NewSampleSerializer(many=True, required=False)
    labels = NewLabelSerializer(many=True, required=False)
    remove = serializers.ListField(child=serializers.CharField(trim_whitespace=False), required=False)
    message = serializers.CharField(required=False, allow_blank=True, max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(required=False, allow_null=True, min_value=0)  # type: ignore[assignment]  # DRF pops declared fields
    near_duplicates = serializers.ChoiceField(choices=NEAR_DUPLICATES, default=KEEP_OUT)
    partial = serializers.ChoiceField(choices=PARTIAL, default=UNLABELLED, help_text=WHEN_PARTIAL)  # type: ignore[assignment]  # DRF pops declared fields
    strict = serializers.BooleanField(default=False, help_text=STRICT)
    metadata = serializers.ChoiceField(choices=METADATA, default=MERGE, help_text=META)
    convert = serializers.BooleanField(default=False, help_text=CONVERT)


class CommitUploadSerializer(serializers.Serializer[None]):
    files = serializers.ListField(child=serializers.FileField(allow_empty_file=True), required=False)
    archive = serializers.FileField(required=False, allow_empty_file=True, help_text="zip, tar or tar.gz")
    samples = serializers.FileField(
        required=False,
        allow_empty_file=True,
        help_text="JSON lines `{key, md5|url, split?, label?, meta?}` or `{key, remove: true}`; instead of files",
    )
    annotations = serializers.FileField(
        required=False, allow_empty_file=True, help_text="one file, or an archive of several"
    )
    format = serializers.ChoiceField(choices=UPLOAD_FORMATS, default="auto")
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)  # type: ignore[assignment]  # DRF pops declared fields
    near_duplicates = serializers.ChoiceField(choices=NEAR_DUPLICATES, default=KEEP_OUT)
    partial = serializers.ChoiceField(choices=PARTIAL, default=UNLABELLED, help_text=WHEN_PARTIAL)  # type: ignore[assignment]  # DRF pops declared fields
    strict = serializers.BooleanField(default=False, help_text=STRICT)
    metadata = serializers.ChoiceField(choices=METADATA, default=MERGE, help_text=META)
    convert = serializers.BooleanField(default=False, help_text=CONVERT)


class OriginalSerializer(serializers.Serializer[None]):
    digest = serializers.CharField()
    url = serializers.CharField()
    media_type = serializers.CharField()
    bytes = serializers.IntegerField()


class SampleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    digest = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = LabelField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    label_source = serializers.ChoiceField(choices=Label.Source.choices, allow_null=True)
    label_facts = LabelFactsSerializer(allow_null=True)
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    media_type = serializers.CharField()
    original = OriginalSerializer(allow_null=True, help_text="what was sent, where the image was made of it")
    meta = serializers.DictField()
    url = serializers.CharField()
    thumb = serializers.CharField()


class ManifestSampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    md5 = serializers.CharField()
    size = serializers.IntegerField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = LabelField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    meta = serializers.DictField()
    original = serializers.CharField(allow_null=True, help_text="the md5 of what the image was made of")


class ManifestEndSerializer(serializers.Serializer[None]):
    samples = serializers.IntegerField(help_text="how many lines came before")


class SampleListSerializer(serializers.Serializer[None]):
    results = SampleSerializer(many=True)
    total = serializers.IntegerField()
    offset = serializers.IntegerField(allow_null=True)
    next = serializers.CharField(allow_null=True)


class FacetsSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField()
    split = serializers.DictField(child=serializers.IntegerField())
    label = serializers.DictField(child=serializers.IntegerField())  # type: ignore[assignment]  # DRF pops declared fields
    labelled = serializers.DictField(child=serializers.IntegerField())


class SampleDetailSerializer(SampleSerializer):
    dataset = serializers.CharField()
    version = serializers.IntegerField()


class RevisionSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField(help_text="where it was said: a fork's history begins in its origin")
    since = serializers.IntegerField()
    until = serializers.IntegerField(allow_null=True, help_text="the first version in which this no longer holds")
    digest = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    label = LabelField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    message = serializers.CharField()
    author = serializers.CharField()
    created = serializers.DateTimeField()


class LabelSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    value = LabelField()
    source = serializers.ChoiceField(choices=Label.Source.choices)  # type: ignore[assignment]  # DRF pops declared fields
    author = serializers.CharField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    facts = LabelFactsSerializer(allow_null=True)
    created = serializers.DateTimeField()


class LineageSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    dataset = serializers.CharField()
    revisions = RevisionSerializer(many=True)
    labels = LabelSerializer(many=True)
    contained_in = ContainedInSerializer()


def dataset_document(dataset: Dataset) -> dict[str, Any]:
    """A dataset as the API shows it; `head` and `origin` (with its dataset) must be loaded."""
    columns = ("id", "name", "task", "classes", "multi_label", "schema_version", "description", "split_rule",
               "archived", "created")  # fmt: skip
    fields = (*columns, "label_kind", "trainable")
    return {name: getattr(dataset, name) for name in fields} | {
        "head": dataset.head.number if dataset.head else None,
        "origin": _place(dataset.origin),
        "counts": dataset.head.counts if dataset.head else no_counts(),
    }


def version_document(version: Version) -> dict[str, Any]:
    """A version as the API shows it; `parent`, `author`, `names` and `merged` (with its dataset) must be loaded."""
    counted = ("added", "updated", "removed", "labelled", "erased", "counts", "labelling")
    fields = ("message", "created", "schema_version", *counted)
    return {"version": version.number} | {name: getattr(version, name) for name in fields} | {
        "parent": version.parent.number if version.parent else None,
        "author": version.author.username,
        "names": sorted(named.name for named in version.names.all()),
        "merged": _place(version.merged),
    }  # fmt: skip


def _place(version: Version | None) -> dict[str, Any] | None:
    return {"dataset": version.dataset.name, "version": version.number} if version else None


def sample_document(revision: Revision) -> dict[str, Any]:
    """A sample in one version; `sample`, `blob`, `original` and `label` must be loaded."""
    blob, label = revision.blob, revision.label
    return {
        "id": revision.sample_id,
        "key": revision.sample.key,
        "digest": blob.md5,
        "split": revision.split,
        "label": label.value if label else None,
        "label_source": label.source if label else None,
        "label_facts": label.facts if label else None,
        "width": blob.width,
        "height": blob.height,
        "media_type": blob.media_type,
        "original": _original(revision.original),
        "meta": revision.meta,
        "url": f"/blobs/{blob.md5}",
        "thumb": f"/thumbs/{blob.md5}",
    }


def _original(blob: Blob | None) -> dict[str, Any] | None:
    if blob is None:
        return None
    return {"digest": blob.md5, "url": f"/blobs/{blob.md5}", "media_type": blob.media_type, "bytes": blob.size}
