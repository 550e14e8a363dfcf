"""`/datasets/{id}/archives`: an archive sent in parts, so that a broken upload goes on where it was."""

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
        """Begin an upload, or go on with the open one of the same file: `received` says which parts are here. When all
        are, `POST /datasets/{id}` with `{"archive": {"upload": id}}` commits what is in it."""
        given = validated(NewArchiveUploadSerializer, request)
        upload = archive_uploads.begin(find_dataset(reference), author=caller(request), **given)
        return Response(_document(upload), status=201)


class ArchiveDetail(APIView):
    @extend_schema(operation_id="archives_get", responses=ArchiveUploadSerializer)
    def get(self, request: Request, reference: str, upload: str) -> Response:
        """How far an upload of one's own is."""
        return Response(_document(archive_uploads.find(find_dataset(reference), upload, author=caller(request))))

    @extend_schema(operation_id="archives_discard", request=None, responses={204: None})
    def delete(self, request: Request, reference: str, upload: str) -> Response:
        """Give an upload of one's own up."""
        archive_uploads.discard(archive_uploads.find(find_dataset(reference), upload, author=caller(request)).pk)
        return Response(status=204)


class ArchiveParts(APIView):
    @extend_schema(
        operation_id="archives_part",
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=ArchiveUploadSerializer,
    )
    def put(self, request: Request, reference: str, upload: str, number: int) -> Response:
        """Send one part: `part_bytes` bytes, the last one what is left. Parts may come in any order, and again."""
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
