"""`/datasets/{id}/maps`: samples as points in the plane."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.api.bytes import AnyAccept
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.errors import Conflict, Invalid
from core.forms import validated
from core.pagination import NAMED, PAGE, named, paged
from jobs.tasks import wake
from maps import serializers as shapes
from maps import services
from maps.documents import map_document, map_documents
from maps.models import EmbeddingMap
from maps.points import header
from registry.services import resolve

LASTING = "private, max-age=31536000, immutable"
ASKED_AGAIN = "private, no-cache"


class Maps(APIView):
    @extend_schema(
        operation_id="maps_list",
        parameters=[NAMED, *PAGE],
        responses=shapes.MapListSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """List maps, newest first."""
        rows = named(request, services.maps_of(find_dataset(reference)), "method", "model_version__model__name")
        return Response(paged(request, rows, map_documents))

    @extend_schema(
        operation_id="maps_create",
        request=shapes.NewMapSerializer,
        responses={200: shapes.MapSerializer, 202: shapes.MapSerializer, 429: None},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Create a map of a version, with similar samples near each other, by the embeddings of a model, or else of a
        network that knows things; samples without embeddings are embedded first.

        200 with the existing map when the same one was requested before.
        """
        body = validated(shapes.NewMapSerializer, request)
        version = find_dataset_version(find_dataset(reference), body["version"])
        model = resolve(body["model"], field="model") if body["model"] else None
        if model is not None and body["features"] is not None:
            raise Invalid.field("features", "are of a map without a `model`: leave one of them out")
        how: dict[str, Any] = {name: body[name] for name in ("method", "seed")}
        how["features"] = body["features"] or EmbeddingMap.Features.BACKBONE
        known = services.made_before(version, model, **how)
        if known is not None:
            return Response(map_document(known), status=200)
        made = services.start_map(version, model, **how, author=caller(request))
        wake(made.job)
        return Response(map_document(made), status=202)


class MapDetail(APIView):
    @extend_schema(operation_id="maps_get", responses=shapes.MapSerializer)
    def get(self, request: Request, reference: str, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(map_document(services.find_map(find_dataset(reference), pk)))


class Points(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="maps_points",
        parameters=[
            OpenApiParameter(
                "v", description="value of `v` in the map's `points`; with it the answer may be cached for ever"
            )
        ],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 304: None, 409: None},
    )
    def get(self, request: Request, reference: str, pk: int) -> HttpResponse:
        """Get the points: a line of JSON (`count, classes, splits, columns`) and the columns after it, little-endian:
        `xy` float32 pairs, `sample` uint32, `class` uint16 (65535: none), `split` uint8, of a model also `predicted`
        uint16 and `confidence` uint8, and `uniqueness` float32 (older maps have none). Each column's `offset` counts
        from the end of that line."""
        found = services.find_map(find_dataset(reference), pk)
        if services.is_known(found, request.headers.get("If-None-Match", "")):
            return HttpResponse(status=304, headers=_told(request, found.points.digest))
        points = services.points_of(found)
        if points is None:
            raise Conflict(f"Map {pk} is {found.job.state}: its points are not there yet.", code="map_unfinished")
        line = header(points.count, found.facts["columns"], found.facts["classes"], found.facts["predicted"])
        told = _told(request, points.digest) | {"Content-Type": "application/octet-stream"}
        return HttpResponse([line, bytes(points.data)], headers=told)


def _told(request: Request, digest: str) -> dict[str, str]:
    """Return cache headers: an address that names the digest of these points may be cached for ever, any other must be
    revalidated."""
    lasting = request.query_params.get("v") == digest
    return {"ETag": f'"{digest}"', "Cache-Control": LASTING if lasting else ASKED_AGAIN}
