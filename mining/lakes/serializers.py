"""Serializers of lakes."""

from typing import Any

from rest_framework import serializers

from catalog.models import OWN_NAME
from catalog.serializers.commits import NAMES_ENCODING, EncodingField
from core.bounds import NO_NUL
from jobs.api import JobSerializer, NeedsSerializer
from lakes.models import LakePart
from lakes.scanning import MAX_COUNT
from mining_jobs.serializers import ChosenStrategySerializer, StrategyField
from registry.models import VERSION_REFERENCE

MAX_WHERE, MAX_CONDITION = 16, 300
UPLOAD = "id of an upload all of whose parts are here: see POST /datasets/{id}/archives"
PREFIX = "only frames whose keys begin with this"
WHERE = "conditions that frames must pass, like speed>=30 or night=true"


class UploadedSerializer(serializers.Serializer[None]):
    upload = serializers.RegexField(r"^[0-9a-f]{32}$", max_length=32, help_text=UPLOAD)


class NewLakePartSerializer(serializers.Serializer[None]):
    archive = UploadedSerializer(required=False, help_text="archive of images, which the platform packs")
    manifest = UploadedSerializer(
        required=False, help_text="Parquet file of frames whose packs are in the store already"
    )

    names_encoding = EncodingField(help_text=NAMES_ENCODING)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("archive" in attrs) == ("manifest" in attrs):
            raise serializers.ValidationError({"archive": "send either an `archive` or a `manifest`"})
        return attrs


class LakePartSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    source = serializers.ChoiceField(choices=LakePart.Source.choices)  # type: ignore[assignment]  # DRF pops declared fields
    frames = serializers.IntegerField()
    bytes = serializers.IntegerField(help_text="total bytes of the frames")
    first = serializers.CharField(help_text="lowest key, in the order of UTF-8 bytes")
    last = serializers.CharField()
    groups = serializers.IntegerField()
    packs = serializers.IntegerField()
    columns = serializers.DictField(child=serializers.CharField(), help_text="metadata columns and their types")
    by = serializers.CharField()
    created = serializers.DateTimeField()


class LakePartListSerializer(serializers.Serializer[None]):
    results = LakePartSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class LakeSerializer(serializers.Serializer[None]):
    dataset = serializers.CharField()
    frames = serializers.IntegerField()
    bytes = serializers.IntegerField(help_text="total bytes of the frames")
    parts = serializers.IntegerField()
    groups = serializers.IntegerField(help_text="groups of frames; each is a shard of a scan")
    packs = serializers.IntegerField(help_text="objects in the store that hold frames")
    brought_in = serializers.IntegerField(help_text="frames that scans have made samples of the dataset")
    samples = serializers.IntegerField(help_text="samples of the dataset's newest version, brought in by scans or not")
    columns = serializers.DictField(child=serializers.CharField(), help_text="metadata columns and their types")
    strategies = serializers.ListField(child=serializers.CharField(), help_text="strategies that a scan can pick by")


class LakeFrameSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    md5 = serializers.CharField()
    sha256 = serializers.CharField()
    size = serializers.IntegerField()
    pack = serializers.CharField(help_text="SHA-256 in the key of the object that holds the frame")
    offset = serializers.IntegerField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    meta = serializers.DictField()
    sample = serializers.BooleanField(help_text="whether the frame is or was a sample of the dataset")
    thumb = serializers.CharField()
    url = serializers.CharField()


class LakeFrameListSerializer(serializers.Serializer[None]):
    results = LakeFrameSerializer(
        many=True, help_text="frames in the order of their keys; fewer than asked for where few pass"
    )
    next = serializers.CharField(allow_null=True)


class NewLakeScanSerializer(serializers.Serializer[None]):
    model = serializers.CharField(validators=[VERSION_REFERENCE])
    strategy = StrategyField(default={"name": "margin", "params": {}})
    count = serializers.IntegerField(min_value=1, max_value=MAX_COUNT)
    control = serializers.FloatField(default=0.1, min_value=0, max_value=1)
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    prefix = serializers.RegexField(NO_NUL, default="", allow_blank=True, max_length=500, trim_whitespace=False,
                                    help_text=PREFIX)  # fmt: skip
    where = serializers.ListField(
        child=serializers.RegexField(NO_NUL, max_length=MAX_CONDITION),
        default=list,
        max_length=MAX_WHERE,
        help_text=WHERE,
    )
    queue = serializers.CharField(
        required=False,
        max_length=100,
        validators=[OWN_NAME],
        help_text="name of a new queue for the picks; left out: none",
    )
    needs = NeedsSerializer(required=False, help_text="requirements of the machines that score")


class LakeScanSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    dataset = serializers.CharField()
    model = serializers.CharField()
    strategy = ChosenStrategySerializer()
    count = serializers.IntegerField()
    control = serializers.FloatField()
    seed = serializers.IntegerField()
    prefix = serializers.CharField()
    where = serializers.ListField(child=serializers.CharField())
    stats = serializers.DictField(
        help_text="counts of what was scored, picked and refused; empty until the scan has picked"
    )
    version = serializers.IntegerField(
        allow_null=True, help_text="dataset version that brought the picks in; null until then"
    )
    mining = serializers.IntegerField(
        allow_null=True,
        help_text="mining job with the picks and their reasons: /mining/jobs/{id}/picks; null until then",
    )
    queue = serializers.CharField(allow_null=True)
    created = serializers.DateTimeField()
    job = JobSerializer()


class LakeScanListSerializer(serializers.Serializer[None]):
    results = LakeScanSerializer(many=True)
    next = serializers.CharField(allow_null=True)
