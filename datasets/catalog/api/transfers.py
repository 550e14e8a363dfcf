"""Getting a whole version out: its list as JSON lines, and many of its blobs in one answer."""

import logging
import tarfile
from collections.abc import Iterator

import orjson
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from blobs.errors import BlobFault
from blobs.refs import BlobRef
from blobs.services import by_md5, store
from catalog.api.bytes import AnyAccept
from catalog.bodies import MAX_FILE_BYTES
from catalog.intake_serializers import DigestsSerializer
from catalog.manifests import sample_lines
from catalog.models import Split
from catalog.services import find_dataset, find_version
from core.errors import Invalid
from core.forms import validated

logger = logging.getLogger(__name__)
LINES_AT_ONCE = 500
READ_AHEAD = 2  # windows of 8 MiB per answer, beside the one on its way
BLOCK = tarfile.BLOCKSIZE


class Manifest(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="versions_manifest",
        parameters=[OpenApiParameter("split", enum=Split.values)],
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
    )
    def get(self, request: Request, reference: str, number: str) -> HttpResponseBase:
        """Every sample as a line `{key, md5, size, split, label, meta}`, streamed; the last line is `{"samples": n}`,
        and a list without it broke off."""
        version = find_version(find_dataset(reference), number)
        split = request.query_params.get("split")
        if split is not None and split not in Split.values:
            raise Invalid.field("split", f"must be one of {', '.join(Split.values)}")
        response = StreamingHttpResponse(_batched(sample_lines(version, split=split)))
        response["Content-Type"] = "application/x-ndjson"
        response["X-Version"] = str(version.number)
        return response


class ManyBlobs(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="blobs_get_many",
        request=DigestsSerializer,
        responses={(200, "application/x-tar"): OpenApiTypes.BINARY},
    )
    def post(self, request: Request) -> HttpResponseBase:
        """The original bytes of up to 10,000 blobs as one tar stream, verified, each member named by its md5.

        They come in the order in which they are quickest to read. One that is unknown, has more than 256 MiB or whose
        bytes are at fault is left out; `GET /blobs/{digest}` has it, or says why not."""
        rows = by_md5(list(dict.fromkeys(validated(DigestsSerializer, request)["digests"]))).values()
        found = (blob.ref for blob in rows if blob.size <= MAX_FILE_BYTES)  # each is whole in memory on its way
        refs = sorted(found, key=lambda ref: (ref.key, ref.offset))
        return StreamingHttpResponse(_tar(refs), content_type="application/x-tar")


def _batched(lines: Iterator[dict[str, object]]) -> Iterator[bytes]:
    """JSON lines in pieces worth a write each, and the last one."""
    piece, count = bytearray(), 0
    for line in lines:
        piece += orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
        count += 1
        if count % LINES_AT_ONCE == 0:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece) + orjson.dumps({"samples": count}, option=orjson.OPT_APPEND_NEWLINE)


def _tar(refs: list[BlobRef]) -> Iterator[bytes]:
    for ref, data in store().get_many(refs, threads=READ_AHEAD, on_error=_leave_out):
        member = tarfile.TarInfo(ref.md5)
        member.size = ref.size
        yield member.tobuf(tarfile.USTAR_FORMAT)
        yield data + bytes(-ref.size % BLOCK)
    yield bytes(2 * BLOCK)


def _leave_out(ref: BlobRef, fault: BlobFault) -> None:
    """Whoever misses it asks for it alone and is told; the log has it at once."""
    logger.error("blob %s is left out of an answer: %s", ref.md5, fault)
