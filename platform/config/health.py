"""Is this process alive, and can it do its work?"""

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from blobs.digests import digests_of
from blobs.errors import BlobFault
from blobs.refs import BlobRef
from blobs.services import store


def live(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view's signature
    """The process answers."""
    return JsonResponse({"status": "live"})


def ready(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view's signature
    """The database and the object store answer too; else 503 naming the one that does not."""
    checks: dict[str, str] = {}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        checks["database"] = "ok"
    except DatabaseError:
        checks["database"] = "does not answer"
    try:
        store().exists(BlobRef.alone(digests_of(b"")))  # one HEAD request; whether it is there does not matter
        checks["object_store"] = "ok"
    except BlobFault:
        checks["object_store"] = "does not answer"
    well = set(checks.values()) == {"ok"}
    return JsonResponse({"status": "ready" if well else "unavailable"} | checks, status=200 if well else 503)
