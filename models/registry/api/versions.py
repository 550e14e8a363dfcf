"""`/models/{id}/versions`: what was registered, with its proof, its files and its history."""

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.forms import validated
from core.pagination import paged
from registry import documents, services
from registry import serializers as shapes
from registry.api.downloads import download


class ModelVersions(APIView):
    @extend_schema(
        operation_id="model_versions_list",
        parameters=[OpenApiParameter("cursor")],
        responses=shapes.ModelVersionListSerializer,
    )
    def get(self, request: Request, model: str) -> Response:
        """The newest first."""
        rows = services.find_model(model).versions.select_related("model", "dataset_version__dataset")
        return Response(paged(request, rows.prefetch_related("aliases"), documents.version_document, key="number"))


class ModelVersionDetail(APIView):
    @extend_schema(operation_id="model_versions_get", responses=shapes.ModelVersionDetailSerializer)
    def get(self, request: Request, model: str, version: str) -> Response:  # noqa: ARG002 - DRF's signature
        """`version` is a number or an alias."""
        return Response(documents.version_detail(services.find_version(services.find_model(model), version)))

    @extend_schema(
        operation_id="model_versions_change",
        request=shapes.NotesSerializer,
        responses=shapes.ModelVersionDetailSerializer,
    )
    def patch(self, request: Request, model: str, version: str) -> Response:
        """Write notes; all else of a version stays as it was proved."""
        found = services.find_version(services.find_model(model), version)
        found.notes = validated(shapes.NotesSerializer, request)["notes"]
        found.save(update_fields=["notes"])
        return Response(documents.version_detail(found))


class ArtifactDownload(APIView):
    @extend_schema(operation_id="artifacts_get", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, model: str, version: str, path: str) -> HttpResponseBase:
        """The artefact's bytes, verified as they are sent."""
        found = services.find_version(services.find_model(model), version)
        blob = services.artifact_blob(found, path)
        return download(request, blob, path.rpartition("/")[2])
