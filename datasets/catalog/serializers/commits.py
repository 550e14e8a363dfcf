"""Serializers of commits: requests and results."""

from typing import Any

from rest_framework import serializers

from catalog.changes.split_counts import REASONS as REASONS_OF_SPLITS
from catalog.intake.ingest import KEEP_OUT, MERGE, METADATA, NEAR_DUPLICATES, PARTIAL, UNLABELLED
from catalog.intake.passed_over import CODES
from catalog.models import Split
from catalog.serializers.labels import LabelField
from formats import REASONS, format_names
from worker_programs.archive_names import encoding_fault

MAX_MESSAGE = 500
MAX_DATA = 64 << 20
MAX_LINES = 1_000_000


UPLOAD_FORMATS = ["auto", *format_names()]


META = (
    "merge: change only the fields that a sample's `meta` gives (null removes a field); replace: replace all metadata "
    "of the sample by its `meta`"
)


STRICT = "refuse the whole upload if any file, or any part of an annotation, can't be taken"


CONVERT = (
    "convert TIFF, BMP, GIF, HEIC and AVIF to PNG or JPEG and keep the originals; if false, such files are refused"
)


WHEN_PARTIAL = (
    "what to do with an image if its label can't hold some of its objects (`incomplete` in the answer counts such "
    "images): leave it unlabelled, or keep the other objects"
)


class EncodingField(serializers.CharField):
    """The encoding of an archive's names."""

    def __init__(self, **told: Any) -> None:
        super().__init__(required=False, max_length=40, **told)

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if (fault := encoding_fault(name)) is not None:
            raise serializers.ValidationError(fault)
        return name


NAMES_ENCODING = (
    "encoding of the names in an archive that doesn't say it and isn't in UTF-8, like gbk, cp932 or cp850; without it "
    "such an archive is refused (`names_not_utf8`)"
)


BYTES = {"data", "md5", "upload", "url"}  # the fields that give the bytes of a sample


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
    samples = serializers.IntegerField(help_text="samples of this commit that were meant for train and stay in pool")
    labelled = serializers.IntegerField(help_text="those of them that have a label")
    detail = serializers.CharField(help_text="why, where to look, and how to decide otherwise")


class ExactPairSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    of = serializers.CharField()


class ExactDuplicatesSerializer(serializers.Serializer[None]):
    in_commit = serializers.IntegerField(help_text="images with the bytes of another one of this commit")
    in_dataset = serializers.IntegerField(help_text="images with the bytes of another sample that is there")
    pairs = ExactPairSerializer(many=True, help_text="the first 100")


class LikenessSerializer(serializers.Serializer[None]):
    rule = serializers.ChoiceField(choices=["copies"], help_text="of such test images only copies are held back")
    background = serializers.IntegerField(help_text="random images of the set that they were compared with")
    common_test_images = serializers.IntegerField(help_text="test images that most of the set resembles")
    test_images = serializers.IntegerField()
    levels = serializers.ListField(
        child=serializers.FloatField(), help_text="lowest and highest bound on the distance of a copy, in gray levels"
    )
    false_alarms = serializers.FloatField(help_text="chance that an image that is no copy is held back")
    passed_over = serializers.IntegerField(help_text="images that only resemble a test image and were not held back")
    detail = serializers.CharField()


class IncompleteSerializer(serializers.Serializer[None]):
    code = serializers.ChoiceField(choices=sorted(REASONS))
    reason = serializers.CharField()
    objects = serializers.IntegerField()
    images = serializers.IntegerField()
    examples = serializers.ListField(child=serializers.CharField(), help_text="the first of the images")


class SplitCountSerializer(serializers.Serializer[None]):
    split = serializers.ChoiceField(choices=Split.choices)
    samples = serializers.IntegerField()
    reason = serializers.ChoiceField(choices=sorted(REASONS_OF_SPLITS))
    source = serializers.CharField(help_text="the name of the folder or file that decided; empty for other reasons")  # type: ignore[assignment]  # DRF pops declared fields
    why = serializers.CharField(help_text="the reason in words")


class PassedOverSerializer(serializers.Serializer[None]):
    code = serializers.ChoiceField(choices=sorted(CODES))
    what = serializers.CharField(help_text="what was passed over, in words")
    count = serializers.IntegerField(help_text="how many")
    first = serializers.CharField(help_text="the file or image where it came first", allow_blank=True)


class CommitSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField(allow_null=True)
    parent = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]  # DRF pops declared fields
    added = serializers.IntegerField()
    updated = serializers.IntegerField()
    removed = serializers.IntegerField()
    labelled = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    converted = serializers.IntegerField(help_text="images added or updated that were converted from the file sent")
    corrected = serializers.IntegerField(
        required=False,
        help_text="samples that left test, or come back into another split: no model had been judged by them",
    )
    splits = SplitCountSerializer(
        many=True, required=False, help_text="where the samples went that are new or changed their split, and why"
    )
    rejected = RejectionSerializer(many=True)
    near_duplicates = TwinSerializer(
        many=True, help_text="near-duplicates of test samples: kept out of train unless allowed"
    )
    leaks = TwinSerializer(many=True, help_text="samples of train and val that new test samples resemble")
    held_out = HeldOutSerializer(allow_null=True)
    likeness = LikenessSerializer(
        allow_null=True, help_text="the rule for test images that most of the set resembles; null: there are none"
    )
    exact_duplicates = ExactDuplicatesSerializer(help_text="they are kept all the same")
    recognised = RecognisedSerializer(allow_null=True, required=False)
    notes = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="what is only written in another way; nothing is lost"
    )
    incomplete = IncompleteSerializer(
        many=True, required=False, help_text="objects that a label can't hold: their images stay unlabelled"
    )
    passed_over = PassedOverSerializer(
        many=True, required=False, help_text="all that was not taken, counted by kind; empty: everything was taken"
    )


class NewSampleSerializer(serializers.Serializer[None]):
    key = serializers.CharField(trim_whitespace=False, max_length=2000)
    data = serializers.CharField(  # type: ignore[assignment]  # DRF pops declared fields
        required=False, max_length=MAX_DATA, help_text="base64; leave it out to change a sample that is there"
    )
    md5 = serializers.RegexField(r"^[0-9a-f]{32}$", required=False, help_text="md5 of bytes that were sent to /uploads")
    upload = serializers.RegexField(
        r"^[0-9a-f]{32}$",
        required=False,
        help_text="the id of a direct upload, or of an archive that was sent in parts",
    )
    url = serializers.CharField(
        required=False, max_length=2000, help_text="address of the image, on a host that the operator allows"
    )
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
    format = serializers.ChoiceField(choices=UPLOAD_FORMATS, default="auto", help_text="format of the archive")
    split = serializers.ChoiceField(choices=Split.choices, required=False, help_text="split of the archive's images")
    samples = NewSampleSerializer(many=True, required=False, max_length=MAX_LINES)  # type: ignore[call-arg]  # of many
    labels = NewLabelSerializer(many=True, required=False, max_length=MAX_LINES)  # type: ignore[call-arg]  # of many
    remove = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False), required=False, max_length=MAX_LINES
    )
    message = serializers.CharField(required=False, allow_blank=True, max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(required=False, allow_null=True, min_value=0)  # type: ignore[assignment]  # DRF pops declared fields
    near_duplicates = serializers.ChoiceField(choices=NEAR_DUPLICATES, default=KEEP_OUT)
    partial = serializers.ChoiceField(choices=PARTIAL, default=UNLABELLED, help_text=WHEN_PARTIAL)  # type: ignore[assignment]  # DRF pops declared fields
    strict = serializers.BooleanField(default=False, help_text=STRICT)
    metadata = serializers.ChoiceField(choices=METADATA, default=MERGE, help_text=META)
    convert = serializers.BooleanField(default=False, help_text=CONVERT)
    names_encoding = EncodingField(help_text=NAMES_ENCODING)


class CommitTermsSerializer(serializers.Serializer[None]):
    """The fields that every commit may have."""

    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(  # type: ignore[assignment]  # DRF pops declared fields
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        help_text="the head that you saw: another refuses it",
    )


class CommitUploadSerializer(CommitTermsSerializer):
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
    near_duplicates = serializers.ChoiceField(choices=NEAR_DUPLICATES, default=KEEP_OUT)
    partial = serializers.ChoiceField(choices=PARTIAL, default=UNLABELLED, help_text=WHEN_PARTIAL)  # type: ignore[assignment]  # DRF pops declared fields
    strict = serializers.BooleanField(default=False, help_text=STRICT)
    metadata = serializers.ChoiceField(choices=METADATA, default=MERGE, help_text=META)
    convert = serializers.BooleanField(default=False, help_text=CONVERT)
    names_encoding = EncodingField(help_text=NAMES_ENCODING)
