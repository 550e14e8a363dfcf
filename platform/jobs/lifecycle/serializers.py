"""The shapes of the lifecycle in the API."""

from typing import Any

from rest_framework import serializers

from jobs.lifecycle.models import LifecycleEvent, Named


class ConfirmSerializer(serializers.Serializer[None]):
    confirm = serializers.CharField(max_length=200, help_text="the name of what is to be deleted")


class FormerNameSerializer(serializers.Serializer[None]):
    name = serializers.CharField(max_length=100, help_text="a former name of it")


class LifecycleSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    archived = serializers.DateTimeField(allow_null=True)
    archived_by = serializers.CharField(allow_null=True)


class DependentSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    count = serializers.IntegerField()
    names = serializers.ListField(
        child=serializers.CharField(), help_text="names of the first 5, where they have names"
    )


class DeletionSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    archived = serializers.BooleanField()
    allowed = serializers.BooleanField(
        help_text="whether it can be deleted: it is archived, and nothing needs it or works on it"
    )
    goes = DependentSerializer(many=True, help_text="parts that are deleted with it")
    stays = DependentSerializer(many=True, help_text="parts that stay, marked as made from something deleted")
    needs = DependentSerializer(
        many=True, help_text="parts that still need it; while there are any, deletion is refused"
    )
    busy = DependentSerializer(many=True, help_text="work under way")


class LifecycleEventSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    object_id = serializers.IntegerField()
    action = serializers.ChoiceField(choices=LifecycleEvent.Action.choices)
    name = serializers.CharField(help_text="name of the object; for a renaming, the old name")
    detail = serializers.DictField()
    by = serializers.CharField()
    created = serializers.DateTimeField()


class LifecycleEventListSerializer(serializers.Serializer[None]):
    results = LifecycleEventSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def lifecycle_document(row: Named) -> dict[str, Any]:
    """A thing's name, and whether it is archived."""
    by = row.archived_by.username if row.archived_by else None
    return {"id": row.pk, "name": str(row), "archived": row.archived, "archived_by": by}


def event_document(event: LifecycleEvent) -> dict[str, Any]:
    """One lifecycle event as the API shows it."""
    names = ("kind", "object_id", "action", "name", "detail", "created")
    return {"id": event.pk, "by": event.by.username} | {name: getattr(event, name) for name in names}
