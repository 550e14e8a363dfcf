"""`/datasets/{id}/exports`: versions as archives in common annotation formats."""

from itertools import chain

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from blobs.services import served
from catalog.api.bytes import HEADERS, AnyAccept
from catalog.exports.jobs import create_export, exports_of, find_export
from catalog.serializers.exports import (
    ExportListSerializer,
    FormatListSerializer,
    NewExportSerializer,
    StartedExportSerializer,
    export_document,
    format_document,
)
from catalog.versions.datasets import find_dataset, find_version
from core.errors import Conflict
from core.forms import validated
from core.pagination import PAGE, each, paged
from formats import format_facts
from jobs.api import job_document
from jobs.tasks import wake


class Formats(APIView):
    @extend_schema(operation_id="formats_list", responses=FormatListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """List the formats for importing and exporting annotations, by name."""
        return Response({"results": [format_document(one) for one in format_facts()], "next": None})


class Exports(APIView):
    rights = needs(POST=Right.READ)

    @extend_schema(
        operation_id="exports_list",
        parameters=PAGE,
        responses=ExportListSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """List the exports, newest first."""
        return Response(paged(request, exports_of(find_dataset(reference)), each(export_document)))

    @extend_schema(operation_id="exports_create", request=NewExportSerializer, responses={202: StartedExportSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Export a version, or its samples that are in a split, are in a slice and pass a filter, as a zip in a format.
        The job's result has the `url` of the zip, and in `notes` what the format could not hold."""
        given, dataset = validated(NewExportSerializer, request), find_dataset(reference)
        version = find_version(dataset, given["version"])
        export = create_export(
            version, form=given["format"], split=given.get("split"), slice_name=given.get("slice"),
            chosen=given.get("filter"), author=caller(request),
        )  # fmt: skip
        wake(export.job)
        return Response({"id": export.pk, "job": job_document(export.job)}, status=202)


class ExportArchive(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(operation_id="exports_archive", responses={(200, "application/zip"): OpenApiTypes.BINARY, 409: None})
    def get(self, request: Request, reference: str, pk: int) -> HttpResponseBase:  # noqa: ARG002 - DRF's signature
        """Return the zip, verified while it is sent: an archive that is damaged in the store arrives incomplete."""
        export = find_export(find_dataset(reference), pk)
        if export.blob is None:
            words = f"Export {pk} is {export.job.state}: watch /jobs/{export.job_id}, then ask again."
            raise Conflict(words, code="export_unfinished")
        chunks = served(export.blob.ref)
        first = next(chunks, b"")  # raises here, before the headers are sent, if the store does not answer
        disposition = f'attachment; filename="{export.filename}"'
        headers = HEADERS | {"Content-Type": "application/zip", "Content-Disposition": disposition}
        response = StreamingHttpResponse(chain([first], chunks), headers=headers)
        response["Content-Length"] = str(export.blob.size)
        response["ETag"] = f'"{export.blob.md5}"'
        return response
