"""`/datasets/{id}/archives`: upload an archive in parts, so that an interrupted upload can resume."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.intake import archive_uploads
from catalog.models import PART_BYTES, ArchiveUpload
from catalog.serializers.intake import ArchiveUploadSerializer, NewArchiveUploadSerializer
from catalog.versions.datasets import find_dataset
from core.forms import validated


class Archives(APIView):
    @extend_schema(
        operation_id="archives_begin", request=NewArchiveUploadSerializer, responses={201: ArchiveUploadSerializer}
    )
    def post(self, request: Request, reference: str) -> Response:
        """Begin an upload, or resume your open upload of the same file: `received` lists the parts that have arrived.
        When all have, `POST /datasets/{id}` with `{"archive": {"upload": id}}` commits the archive's content."""
        given = validated(NewArchiveUploadSerializer, request)
        upload = archive_uploads.begin(find_dataset(reference), author=caller(request), **given)
        return Response(_document(upload), status=201)


class ArchiveDetail(APIView):
    @extend_schema(operation_id="archives_get", responses=ArchiveUploadSerializer)
    def get(self, request: Request, reference: str, upload: str) -> Response:
        """Return the progress of one of your uploads."""
        return Response(_document(archive_uploads.find(find_dataset(reference), upload, author=caller(request))))

    @extend_schema(operation_id="archives_discard", request=None, responses={204: None})
    def delete(self, request: Request, reference: str, upload: str) -> Response:
        """Discard one of your uploads."""
        archive_uploads.discard(archive_uploads.find(find_dataset(reference), upload, author=caller(request)).pk)
        return Response(status=204)


class ArchiveParts(APIView):
    @extend_schema(
        operation_id="archives_part",
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=ArchiveUploadSerializer,
    )
    def put(self, request: Request, reference: str, upload: str, number: int) -> Response:
        """Send one part: `part_bytes` bytes, or the rest for the last. You can send parts in any order, and again."""
        found = archive_uploads.find(find_dataset(reference), upload, author=caller(request))
        archive_uploads.add_part(found, number, request.stream.read(PART_BYTES + 1) if request.stream else b"")
        return Response(_document(found))


def _document(upload: ArchiveUpload) -> dict[str, object]:
    return {
        "id": upload.pk,
        "name": upload.name,
        "size": upload.size,
        "part_bytes": PART_BYTES,
        "parts": upload.parts_expected,
        "received": upload.received,
    }
