"""Stored bytes: originals and thumbnails. The bytes of a digest never change, so browsers may cache them for ever.

Uploaded bytes are never served as anything a browser runs: images that were recognised by their content are shown
inline, everything else is a download, and both come under a policy that allows no script.
"""

from collections.abc import Collection, Iterable
from functools import cache
from itertools import chain
from typing import TypeVar

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right, projects
from blobs import images
from blobs.budget import at_work
from blobs.cache import BlobCache
from blobs.errors import ImageRefused
from blobs.models import Blob
from blobs.services import served, store
from catalog.api.ranges import asked_range, part_of
from catalog.reading.keys_of_bytes import known_among
from core.errors import NotFound

AnyResponse = TypeVar("AnyResponse", bound=HttpResponseBase)
WHOLE_BYTES = 8 << 20
HEADERS = {
    "Cache-Control": "private, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class AnyAccept(DefaultContentNegotiation):
    """Ignore the `Accept` header, since an <img> accepts images only: bytes keep their own type, and errors are problem
    documents."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        del request, format_suffix
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)


class BlobBytes(APIView):
    content_negotiation_class = AnyAccept
    rights = needs(GET=Right.SEE)

    @extend_schema(
        operation_id="blobs_get",
        responses={
            (200, "application/octet-stream", "image/*"): OpenApiTypes.BINARY,
            (206, "application/octet-stream", "image/*"): OpenApiTypes.BINARY,
            304: None,
            416: None,
        },
    )
    def get(self, request: Request, digest: str) -> HttpResponseBase:
        """Return the original bytes, verified against their sha256, or the part in `Range`, though all are read."""
        blob = _blob(digest)
        if (unchanged := _unchanged(request, blob.md5)) is not None:
            return unchanged
        chunks = iter([store().get(blob.ref)]) if blob.size <= WHOLE_BYTES else served(blob.ref)
        wanted = asked_range(request, blob.size, etag=f'"{blob.md5}"')
        first = next(chunks, b"")
        body, headers = chain([first], chunks), HEADERS | {"Accept-Ranges": "bytes"} | _shown_as(first, blob.md5)
        if wanted is None:
            response = StreamingHttpResponse(body, headers=headers | {"Content-Length": str(blob.size)})
        else:
            headers |= {"Content-Length": str(len(wanted)),
                        "Content-Range": f"bytes {wanted.start}-{wanted.stop - 1}/{blob.size}"}  # fmt: skip
            response = StreamingHttpResponse(part_of(body, wanted), status=206, headers=headers)
        return _tagged(response, blob.md5)


class Thumb(APIView):
    content_negotiation_class = AnyAccept
    rights = needs(GET=Right.SEE)

    @extend_schema(
        operation_id="thumbs_get", responses={(200, "image/webp"): OpenApiTypes.BINARY, 304: None, 429: None}
    )
    def get(self, request: Request, digest: str) -> HttpResponseBase:
        """Return a WebP thumbnail of at most 192 pixels a side, made on the first request. Small images are enlarged by
        a whole factor."""
        blob = _blob(digest)
        if (unchanged := _unchanged(request, blob.md5)) is not None:
            return unchanged
        name = f"thumb-{blob.md5}"
        kept = _cache()
        data = kept.read_all(name) if kept else None
        if data is None:
            with at_work(caller(request).pk):
                data = images.thumbnail(store().get(blob.ref))
            if kept:
                kept.put(name, data)
        return _tagged(HttpResponse(data, headers=HEADERS | {"Content-Type": "image/webp"}), blob.md5)


@cache
def _cache() -> BlobCache | None:
    """The blob cache, which holds thumbnails too: both share one size limit, and the least recently used go first."""
    return BlobCache.from_env()


def _blob(digest: str) -> Blob:
    blob = Blob.objects.filter(md5=digest).first()
    if blob is None or not known([blob]):
        raise NotFound(f"There is no blob {digest!r}: ask by the md5 of its bytes.", code="blob_unknown")
    return blob


def known(blobs: Collection[Blob]) -> list[Blob]:
    """Filter `blobs` to those that the caller may read. Owners of the platform may read all."""
    return known_among(blobs, projects())


def _unchanged(request: Request, md5: str) -> HttpResponse | None:
    if f'"{md5}"' not in request.headers.get("If-None-Match", ""):
        return None
    return _tagged(HttpResponse(status=304, headers=HEADERS), md5)


def _tagged(response: AnyResponse, md5: str) -> AnyResponse:
    response["ETag"] = f'"{md5}"'
    return response


def _shown_as(first: bytes, md5: str) -> dict[str, str]:
    try:
        return {"Content-Type": images.sniff(first), "Content-Disposition": "inline"}
    except ImageRefused:
        download = f'attachment; filename="{md5}"'
        return {"Content-Type": "application/octet-stream", "Content-Disposition": download}
