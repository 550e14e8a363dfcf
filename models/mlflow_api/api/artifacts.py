"""`mlflow-artifacts/artifacts`: the files of versions, listed and sent."""

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from blobs.models import Blob
from blobs.services import served
from catalog.api.ranges import asked_range, part_of
from core.errors import Invalid
from mlflow_api.files import file_at, listing, place_at
from mlflow_api.protocol import Operation, Refused

HEADERS = {
    "Content-Type": "application/octet-stream",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
NO_UPLOAD = "Files of a version come from its training or with its upload: `lode model upload NAME FILE.onnx`."


class Listing(Operation):
    def get(self, request: Request) -> Response:
        path = request.query_params.get("path", "")
        if not path:
            raise Invalid.field("path", "name a folder, like models/NAME/VERSION")
        return Response({"files": listing(place_at(path))})


class File(Operation):
    def get(self, request: Request, path: str) -> HttpResponseBase:
        """Send a file, or the part that `Range` asks for; its bytes are verified while they are sent."""
        place = place_at(path)
        file = file_at(place)
        response: HttpResponseBase = HttpResponse(file) if isinstance(file, bytes) else _sent(request, file)
        name = place.path.rpartition("/")[2]
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        for header, value in HEADERS.items():
            response[header] = value
        return response

    def put(self, request: Request, path: str) -> Response:  # noqa: ARG002 - DRF's signature
        raise Refused(NO_UPLOAD)

    def delete(self, request: Request, path: str) -> Response:  # noqa: ARG002 - as above
        raise Refused("Files of a version stay as they were proved: archive or delete its model instead.")


def _sent(request: Request, blob: Blob) -> StreamingHttpResponse:
    etag = f'"{blob.sha256}"'
    wanted = asked_range(request, blob.size, etag=etag)
    chunks = served(blob.ref)
    response = StreamingHttpResponse(chunks if wanted is None else part_of(chunks, wanted))
    response["Content-Length"] = str(blob.size if wanted is None else len(wanted))
    response["ETag"], response["Accept-Ranges"] = etag, "bytes"
    if wanted is not None:
        response.status_code = 206
        response["Content-Range"] = f"bytes {wanted.start}-{wanted.stop - 1}/{blob.size}"
    return response
