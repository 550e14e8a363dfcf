"""`/audit`: who changed what, when, from where."""

from collections.abc import Iterator
from typing import Any

import orjson
from django.db.models import Q, QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AuditEvent
from accounts.permissions import needs
from accounts.rights import Right, listed
from core.pagination import PAGE, PROJECT, SEARCHED, each, paged, search

AT_ONCE = 2000
FILTERS = [
    OpenApiParameter("q", SEARCHED, description="part of the person's name, the action or the object's name"),
    PROJECT,
]


class AuditEventSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    created = serializers.DateTimeField()
    who = serializers.CharField(help_text="name of the person; empty for the platform itself or its command line")
    token = serializers.CharField(help_text="name of the token; empty for a browser")
    address = serializers.CharField(help_text="address that the request came from")
    request_id = serializers.CharField(help_text="id of the request, as in the logs and in `X-Request-ID`")
    action = serializers.CharField()
    kind = serializers.CharField(help_text="kind of the object: person, project, dataset, model, queue, pipeline, ..")
    name = serializers.CharField(help_text="name of the object at that time")
    project = serializers.CharField(
        allow_null=True, help_text="name of the project; null for the platform or a project that is gone"
    )
    before = serializers.DictField(
        allow_null=True, help_text="changed fields before the event; null if the object did not exist"
    )
    after = serializers.DictField(
        allow_null=True, help_text="changed fields after the event; null if the object no longer exists"
    )


class AuditEventListSerializer(serializers.Serializer[None]):
    results = AuditEventSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class Audit(APIView):
    rights = needs(GET=Right.OWN)

    @extend_schema(operation_id="audit_list", parameters=[*FILTERS, *PAGE], responses=AuditEventListSerializer)
    def get(self, request: Request) -> Response:
        """List the audit events of the projects that you own, newest first; owners of the platform get all events."""
        return Response(paged(request, _chosen(request), each(event_document)))


class AuditExport(APIView):
    rights = needs(GET=Right.OWN)

    @extend_schema(
        operation_id="audit_export",
        parameters=FILTERS,
        responses={(200, "application/x-ndjson"): AuditEventSerializer},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Export the events of the list as JSON lines, oldest first."""
        response = StreamingHttpResponse(_lines(_chosen(request).order_by("pk")), content_type="application/x-ndjson")
        response["Content-Disposition"] = 'attachment; filename="audit.jsonl"'
        return response


def _chosen(request: Request) -> QuerySet[AuditEvent]:
    rows = listed(AuditEvent.objects.select_related("project"), "project", request.query_params)
    if words := search(request):
        rows = rows.filter(Q(who__icontains=words) | Q(action__icontains=words) | Q(name__icontains=words))
    return rows


def _lines(rows: QuerySet[AuditEvent]) -> Iterator[bytes]:
    for row in rows.iterator(chunk_size=AT_ONCE):
        yield orjson.dumps(event_document(row), option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z)


def event_document(row: AuditEvent) -> dict[str, Any]:
    """Return an audit event as the API shows it; `project` must be loaded."""
    names = ("created", "who", "token", "address", "request_id", "action", "kind", "name", "before", "after")
    project = row.project.name if row.project else None
    return {"id": row.pk, **{name: getattr(row, name) for name in names}, "project": project}
