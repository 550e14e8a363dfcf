"""Serializers of exports."""

from typing import Any

from rest_framework import serializers

from catalog.exports.jobs import text_of
from catalog.models import Export, Split
from catalog.serializers.filters import FilterField
from core.forms import ReferenceField
from formats import FormatFacts, format_names
from jobs.api import JobSerializer
from jobs.models import Job
from tasktypes import names, task_type

FORMATS = format_names()


class FormatSerializer(serializers.Serializer[None]):
    name = serializers.ChoiceField(choices=FORMATS)
    title = serializers.CharField()
    tasks = serializers.ListField(
        child=serializers.CharField(),
        help_text="the tasks whose labels it holds",
    )


def format_document(facts: FormatFacts) -> dict[str, Any]:
    """A format as the API shows it."""
    tasks = [name for name in names() if task_type(name).labels.form in facts.forms]
    return {"name": facts.name, "title": facts.title, "tasks": tasks}


class FormatListSerializer(serializers.Serializer[None]):
    results = FormatSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class NewExportSerializer(serializers.Serializer[None]):
    version = ReferenceField(default="head", help_text="a number, `v3`, `head`, a tag or an alias")
    format = serializers.ChoiceField(choices=FORMATS)
    split = serializers.ChoiceField(choices=Split.choices, required=False, help_text="only these samples")
    slice = serializers.CharField(required=False, max_length=100, help_text="only what is in this slice")
    filter = FilterField(required=False, help_text="only what passes")


class StartedExportSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    job = JobSerializer()


class ExportSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    version = serializers.IntegerField()
    format = serializers.ChoiceField(choices=FORMATS)
    split = serializers.ChoiceField(choices=Split.choices, allow_null=True)
    slice = serializers.CharField(allow_null=True)
    filter = serializers.CharField(allow_null=True, help_text="filter besides the split, as text")
    state = serializers.ChoiceField(choices=Job.State.choices)
    job = serializers.IntegerField()
    url = serializers.CharField(allow_null=True, help_text="the archive, once it is written")
    samples = serializers.IntegerField(allow_null=True)
    bytes = serializers.IntegerField(allow_null=True)
    notes = serializers.ListField(child=serializers.CharField(), help_text="what the format could not hold")
    created_by = serializers.CharField()
    created = serializers.DateTimeField()


class ExportListSerializer(serializers.Serializer[None]):
    results = ExportSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def export_document(export: Export) -> dict[str, Any]:
    """An export as the API shows it; `version`, `job` and `created_by` must be loaded."""
    result = export.job.result or {}
    return {
        "id": export.pk,
        "version": export.version.number,
        "format": export.format,
        "split": export.split or None,
        "slice": export.slice or None,
        "filter": text_of(export),
        "state": export.job.state,
        "job": export.job_id,
        "url": export.url if export.blob_id else None,
        "samples": result.get("samples"),
        "bytes": result.get("bytes"),
        "notes": result.get("notes", []),
        "created_by": export.created_by.username,
        "created": export.created,
    }
