"""What operations of MLflow's protocol read. Fields that are not named here are ignored."""

from typing import Any

from rest_framework import serializers

from core.bounds import MAX_TEXT
from core.pagination import MAX_CURSOR, MAX_LIMIT

MAX_ASKED = 50_000
"""The largest `max_results` that clients send; a page has at most MAX_LIMIT entries, whatever they ask for."""
MAX_EXPERIMENTS = 500
VIEWS = ("ACTIVE_ONLY", "DELETED_ONLY", "ALL")


class Text(serializers.CharField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": MAX_TEXT, "trim_whitespace": False} | kwargs)


class PageSerializer(serializers.Serializer[None]):
    max_results = serializers.IntegerField(default=100, min_value=1, max_value=MAX_ASKED)
    page_token = Text(default="", allow_blank=True, max_length=MAX_CURSOR)

    def validate_max_results(self, value: int) -> int:
        return min(value, MAX_LIMIT)


class SearchSerializer(PageSerializer):
    filter = Text(default="", allow_blank=True)
    order_by = serializers.ListField(child=Text(), default=list, max_length=20)


class SearchExperimentsSerializer(SearchSerializer):
    view_type = serializers.ChoiceField(choices=VIEWS, default="ACTIVE_ONLY")


class ExperimentsSerializer(serializers.Serializer[None]):
    experiment_ids = serializers.ListField(child=Text(max_length=20), default=list, max_length=MAX_EXPERIMENTS)


class SearchRunsSerializer(SearchSerializer, ExperimentsSerializer):
    run_view_type = serializers.ChoiceField(choices=VIEWS, default="ACTIVE_ONLY")


class NameSerializer(serializers.Serializer[None]):
    name = Text()


class DescriptionSerializer(NameSerializer):
    description = Text(allow_blank=True, max_length=5000)


class VersionSerializer(NameSerializer):
    version = serializers.RegexField(r"^[0-9]{1,9}$", error_messages={"invalid": "must be the number of a version"})


class NotesSerializer(VersionSerializer):
    description = Text(allow_blank=True, max_length=20_000)


class AliasSerializer(NameSerializer):
    alias = Text()


class SetAliasSerializer(AliasSerializer):
    version = serializers.RegexField(r"^[0-9]{1,9}$", error_messages={"invalid": "must be the number of a version"})


class LatestSerializer(NameSerializer):
    stages = serializers.ListField(child=Text(), default=list, max_length=10)


class ExperimentSerializer(serializers.Serializer[None]):
    experiment_id = Text(max_length=20)


class ExperimentNameSerializer(serializers.Serializer[None]):
    experiment_name = Text()


class RunSerializer(serializers.Serializer[None]):
    run_id = Text(max_length=20)


class HistorySerializer(RunSerializer):
    metric_key = Text()
    max_results = serializers.IntegerField(default=MAX_ASKED, min_value=1, max_value=MAX_ASKED)
    page_token = Text(default="", allow_blank=True, max_length=MAX_CURSOR)
