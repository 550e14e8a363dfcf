"""Serializers of requests that upload bytes before a commit, and that download many at once."""

from rest_framework import serializers

from catalog.intake.imports import MAX_KEYS
from catalog.intake.ingest import MERGE, METADATA, PARTIAL, UNLABELLED
from catalog.intake.staging import MAX_ASKED, MAX_PLACES, MAX_UPLOAD_BYTES
from catalog.models import Split
from catalog.serializers.commits import (
    CONVERT,
    MAX_MESSAGE,
    META,
    NAMES_ENCODING,
    STRICT,
    WHEN_PARTIAL,
    EncodingField,
    RejectionSerializer,
)
from formats import format_names

MD5 = r"^[0-9a-f]{32}$"


class NewArchiveUploadSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=200)
    size = serializers.IntegerField(min_value=1, help_text="size of the file in bytes")
    fingerprint = serializers.CharField(
        max_length=200,
        help_text="tells this file from others of the same name: its time and size, or its sha256",
    )


class ArchiveUploadSerializer(serializers.Serializer[None]):
    id = serializers.CharField()
    name = serializers.CharField()
    size = serializers.IntegerField()
    part_bytes = serializers.IntegerField()
    parts = serializers.IntegerField()
    received = serializers.ListField(child=serializers.IntegerField(), help_text="parts that are here, from 0")


class DigestsSerializer(serializers.Serializer[None]):
    digests = serializers.ListField(child=serializers.RegexField(MD5), max_length=MAX_ASKED, help_text="md5 each")
    convert = serializers.BooleanField(
        default=False, help_text="also find images by the file that they were converted from"
    )


class MissingSerializer(serializers.Serializer[None]):
    missing = serializers.ListField(child=serializers.CharField())


class StageSerializer(serializers.Serializer[None]):
    files = serializers.ListField(child=serializers.FileField(allow_empty_file=True), required=False)
    archive = serializers.FileField(required=False, allow_empty_file=True, help_text="zip, tar or tar.gz")
    convert = serializers.BooleanField(default=False, help_text=CONVERT)
    names_encoding = EncodingField(help_text=NAMES_ENCODING)


class AnnouncedSerializer(serializers.Serializer[None]):
    size = serializers.IntegerField(min_value=1, max_value=MAX_UPLOAD_BYTES)


class PresignSerializer(serializers.Serializer[None]):
    presign = serializers.ListField(child=AnnouncedSerializer(), min_length=1, max_length=MAX_PLACES)


class StagedSerializer(serializers.Serializer[None]):
    key = serializers.CharField()
    md5 = serializers.CharField()


class UploadPlaceSerializer(serializers.Serializer[None]):
    upload = serializers.CharField(help_text="the id by which a commit names what was put there")
    url = serializers.CharField(help_text="takes one PUT of the announced bytes")
    expires = serializers.DateTimeField()


class UploadsSerializer(serializers.Serializer[None]):
    results = StagedSerializer(many=True, required=False)
    rejected = RejectionSerializer(many=True, required=False)
    places = UploadPlaceSerializer(many=True, required=False)


class ObjectsSerializer(serializers.Serializer[None]):
    source = serializers.CharField(max_length=100, help_text="name of a source in MOTHERLODE_IMPORT_SOURCES")  # type: ignore[assignment]  # DRF's own attribute
    bucket = serializers.CharField(max_length=100)
    prefix = serializers.CharField(required=False, allow_blank=True, default="", trim_whitespace=False, max_length=1024)
    keys = serializers.ListField(
        child=serializers.CharField(trim_whitespace=False, max_length=1024), required=False, max_length=MAX_KEYS
    )


class ImportSerializer(serializers.Serializer[None]):
    s3 = ObjectsSerializer()
    mode = serializers.ChoiceField(choices=["copy", "reference"], default="copy")
    format = serializers.ChoiceField(choices=["auto", *format_names()], default="auto")
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    message = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_MESSAGE)
    parent = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0)  # type: ignore[assignment]  # DRF pops declared fields
    partial = serializers.ChoiceField(choices=PARTIAL, default=UNLABELLED, help_text=WHEN_PARTIAL)  # type: ignore[assignment]  # DRF pops declared fields
    strict = serializers.BooleanField(default=False, help_text=STRICT)
    metadata = serializers.ChoiceField(choices=METADATA, default=MERGE, help_text=META)
    convert = serializers.BooleanField(default=False, help_text=CONVERT)


class SourceSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    buckets = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))


class SourceListSerializer(serializers.Serializer[None]):
    results = SourceSerializer(many=True)
    next = serializers.CharField(allow_null=True)
