"""Stored files as downloads: named, verified while they are sent, and not sent again to a client that has them."""

from typing import Any

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from blobs.models import Blob
from blobs.services import served

DOWNLOAD: dict[Any, Any] = {(200, "application/octet-stream"): OpenApiTypes.BINARY, 304: None, 409: None}


def download(request: Request, blob: Blob, name: str) -> HttpResponseBase:
    """Respond with the blob as a file `name`; 304 if the request's If-None-Match shows that the client has it."""
    tag = f'"{blob.sha256}"'
    if tag in request.headers.get("If-None-Match", ""):
        return HttpResponse(status=304, headers={"ETag": tag})
    response = StreamingHttpResponse(served(blob.ref), content_type="application/octet-stream")
    response["Content-Length"] = str(blob.size)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["ETag"] = tag
    return response
