"""Archive, restore, look at a deletion, delete: the same addresses below every kind of thing."""

from typing import Any, ClassVar

from django.conf import settings
from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right, visible
from core.errors import Invalid
from core.forms import validated
from core.pagination import PAGE, each, paged
from jobs.api import JobLinkSerializer, job_document
from jobs.lifecycle import former_names, services
from jobs.lifecycle.deletion import preview, start_deletion
from jobs.lifecycle.kinds import Kind, kinds
from jobs.lifecycle.models import LifecycleEvent, Named
from jobs.lifecycle.serializers import (
    ConfirmSerializer,
    DeletionSerializer,
    FormerNameSerializer,
    LifecycleEventListSerializer,
    LifecycleSerializer,
    event_document,
    lifecycle_document,
)
from jobs.tasks import wake

ARCHIVED = OpenApiParameter("archived", bool, description="true: archived objects only; by default they are left out")


def wants_archived(request: Request) -> bool:
    """Whether the request lists what is archived (`?archived=true`). Raises Invalid."""
    text = request.query_params.get("archived", "false")
    if text not in {"true", "false"}:
        raise Invalid.field("archived", "must be true or false")
    return text == "true"


def take_name(request: Request, kind: str, row: Named, changes: dict[str, Any]) -> Named:
    """Rename the row if `changes` has a `name`, and remove that from `changes`. Returns the current row."""
    if "name" not in changes:
        return row
    found = kinds()[kind]
    services.rename(found, row, changes.pop("name"), by=caller(request))
    return found.find(str(row.pk))


class OfKind(APIView):
    """A view below a thing of one kind, whose reference is the only argument of its address."""

    kind = ""
    when_archived: ClassVar[frozenset[str]] = frozenset({"POST", "DELETE"})

    def found(self) -> tuple[Kind, Named]:
        """The kind, and the thing that the address names. Raises NotFound."""
        kind = kinds()[self.kind]
        return kind, kind.find(next(iter(self.kwargs.values())))


class Archive(OfKind):
    frees_space = True

    @extend_schema(request=None, responses=LifecycleSerializer)
    def post(self, request: Request, **_: Any) -> Response:
        """Archive it: it leaves lists and schedules, and can be read but not changed. For engineers and owners."""
        kind, row = self.found()
        services.archive(kind, row, by=caller(request))
        return Response(lifecycle_document(self.found()[1]))


class Restore(OfKind):
    @extend_schema(request=None, responses=LifecycleSerializer)
    def post(self, request: Request, **_: Any) -> Response:
        """Take it out of the archive. For engineers and owners."""
        kind, row = self.found()
        services.restore(kind, row, by=caller(request))
        return Response(lifecycle_document(self.found()[1]))


class ReleaseName(OfKind):
    rights = needs(POST=Right.OWN)

    @extend_schema(request=FormerNameSerializer, responses=LifecycleSerializer)
    def post(self, request: Request, **_: Any) -> Response:
        """Release a former name of it, which others may take from then on; until they do it leads nowhere. For
        owners."""
        kind, row = self.found()
        former_names.release(kind, row, **validated(FormerNameSerializer, request), by=caller(request))
        return Response(lifecycle_document(row))


class Deletion(OfKind):
    frees_space = True
    rights = needs(POST=Right.OWN)

    @extend_schema(responses=DeletionSerializer)
    def get(self, request: Request, **_: Any) -> Response:  # noqa: ARG002 - DRF's signature
        """Preview its deletion: what would be deleted with it, what would stay, and what prevents it. Nothing is
        changed."""
        return Response(preview(*self.found()))

    @extend_schema(request=ConfirmSerializer, responses={202: JobLinkSerializer})
    def post(self, request: Request, **_: Any) -> Response:
        """Delete it permanently, by a job; it must be archived. For owners. `confirm` is its name."""
        kind, row = self.found()
        job = start_deletion(kind, row, by=caller(request), **validated(ConfirmSerializer, request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)


class Deletable(OfKind):
    """The thing's own address: DELETE is the deletion, confirmed by `?confirm=` its name."""

    when_archived: ClassVar[frozenset[str]] = frozenset({"DELETE"})
    rights = needs(DELETE=Right.OWN)

    @extend_schema(
        parameters=[OpenApiParameter("confirm", required=True, description="name of the object to delete")],
        responses={202: JobLinkSerializer},
    )
    def delete(self, request: Request, **_: Any) -> Response:
        """Delete it permanently, by a job; it must be archived. For owners. GET .../deletion shows what would be
        deleted."""
        kind, row = self.found()
        job = start_deletion(kind, row, confirm=request.query_params.get("confirm", ""), by=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)


def lifecycle_paths(route: str, kind: str) -> list[URLPattern]:
    """The addresses below `{route}/{reference}` of a kind of thing."""
    return [
        path(f"{route}/<str:reference>/archive", Archive.as_view(kind=kind)),
        path(f"{route}/<str:reference>/restore", Restore.as_view(kind=kind)),
        path(f"{route}/<str:reference>/release-name", ReleaseName.as_view(kind=kind)),
        path(f"{route}/<str:reference>/deletion", Deletion.as_view(kind=kind)),
    ]


class Events(APIView):
    @extend_schema(
        operation_id="lifecycle_events",
        parameters=[
            OpenApiParameter("kind", enum=sorted(settings.LIFECYCLE_KINDS)), *PAGE,
        ],
        responses=LifecycleEventListSerializer,
    )  # fmt: skip
    def get(self, request: Request) -> Response:
        """Who renamed, archived, restored and deleted what in your projects, the newest first."""
        rows = visible(LifecycleEvent.objects.select_related("by"), "project")
        if (kind := request.query_params.get("kind")) is not None:
            if kind not in kinds():
                raise Invalid.field("kind", f"must be one of {', '.join(kinds())}")
            rows = rows.filter(kind=kind)
        return Response(paged(request, rows, each(event_document)))
