"""`/datasets/{id}/exports`: versions as archives in other people's formats."""

from itertools import chain

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from blobs.services import served
from catalog.api.bytes import HEADERS, AnyAccept
from catalog.export_serializers import (
    ExportListSerializer,
    NewExportSerializer,
    StartedExportSerializer,
    export_document,
)
from catalog.exports import create_export, exports_of, find_export
from catalog.services import find_dataset, find_version
from core.errors import Conflict
from core.forms import validated
from core.pagination import paged
from jobs.api import job_document
from jobs.tasks import wake


class Exports(APIView):
    @extend_schema(
        operation_id="exports_list",
        parameters=[OpenApiParameter("cursor"), OpenApiParameter("limit", int)],
        responses=ExportListSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """The newest first."""
        return Response(paged(request, exports_of(find_dataset(reference)), export_document))

    @extend_schema(operation_id="exports_create", request=NewExportSerializer, responses={202: StartedExportSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """A version, or one split of it, as a zip in a format; the job's result has its `url`, and in `notes` what the
        format could not hold."""
        given, dataset = validated(NewExportSerializer, request), find_dataset(reference)
        version = find_version(dataset, given["version"])
        export = create_export(dataset, version, form=given["format"], split=given.get("split"), author=caller(request))
        wake(export.job)
        return Response({"id": export.pk, "job": job_document(export.job)}, status=202)


class ExportArchive(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(operation_id="exports_archive", responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, reference: str, pk: int) -> HttpResponseBase:  # noqa: ARG002 - DRF's signature
        """The zip, verified on its way: an archive that is damaged in the store arrives too short, never whole."""
        export = find_export(find_dataset(reference), pk)
        if export.blob is None:
            words = f"Export {pk} is {export.job.state}: watch /jobs/{export.job_id}, then ask again."
            raise Conflict(words, code="export_unfinished")
        chunks = served(export.blob.ref)
        first = next(chunks, b"")  # a store that does not answer is told before the headers are sent
        disposition = f'attachment; filename="{export.filename}"'
        headers = HEADERS | {"Content-Type": "application/zip", "Content-Disposition": disposition}
        response = StreamingHttpResponse(chain([first], chunks), headers=headers)
        response["Content-Length"] = str(export.blob.size)
        response["ETag"] = f'"{export.blob.md5}"'
        return response
