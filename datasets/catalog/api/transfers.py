"""Download a whole version: its samples as JSON lines, and many of its blobs in one response."""

import logging
import tarfile
from collections.abc import Iterator

import orjson
from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.permissions import needs
from accounts.rights import Right
from blobs.errors import BlobFault
from blobs.refs import BlobRef
from blobs.services import by_md5, store
from catalog.api.bytes import AnyAccept, known
from catalog.api.samples import FILTERS
from catalog.exports.manifests import sample_lines
from catalog.intake.bodies import MAX_FILE_BYTES
from catalog.reading.queries import asked, chosen_samples
from catalog.serializers.intake import DigestsSerializer
from catalog.serializers.samples import ManifestEndSerializer, ManifestSampleSerializer
from catalog.versions.datasets import find_dataset, find_version
from core.forms import validated
from worker_programs.json_text import write_json

logger = logging.getLogger(__name__)
LINES_AT_ONCE = 500
READ_AHEAD = 2  # windows of 8 MiB per response, beside the one being sent
BLOCK = tarfile.BLOCKSIZE
LINE = PolymorphicProxySerializer("ManifestLine", [ManifestSampleSerializer, ManifestEndSerializer], None)


class Manifest(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="versions_manifest",
        parameters=FILTERS,
        responses={(200, "application/x-ndjson"): LINE},
    )
    def get(self, request: Request, reference: str, number: str) -> HttpResponseBase:
        """Stream every sample that passes the filters as a JSON line, then a line with their number: a list without
        that last line is incomplete."""
        dataset = find_dataset(reference)
        version = find_version(dataset, number)
        chosen = chosen_samples(asked(request.query_params), dataset)
        response = StreamingHttpResponse(_batched(sample_lines(version, chosen)))
        response["Content-Type"] = "application/x-ndjson"
        response["X-Version"] = str(version.number)
        return response


class ManyBlobs(APIView):
    rights = needs(POST=Right.READ)
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="blobs_get_many",
        request=DigestsSerializer,
        responses={(200, "application/x-tar"): OpenApiTypes.BINARY},
    )
    def post(self, request: Request) -> HttpResponseBase:
        """Stream the original bytes of up to 10,000 blobs as one tar, verified, each member named by its md5.

        They come in the order that is quickest to read. Blobs that are unknown, larger than 256 MiB or damaged are
        left out; `GET /blobs/{digest}` returns such a blob or the error."""
        rows = known(by_md5(list(dict.fromkeys(validated(DigestsSerializer, request)["digests"]))).values())
        found = (blob.ref for blob in rows if blob.size <= MAX_FILE_BYTES)  # each is whole in memory while it is sent
        refs = sorted(found, key=lambda ref: (ref.key, ref.offset))
        return StreamingHttpResponse(_tar(refs), content_type="application/x-tar")


def _batched(lines: Iterator[dict[str, object]]) -> Iterator[bytes]:
    """Encode the lines as JSON, in chunks of LINES_AT_ONCE, and a last line that counts them."""
    piece, count = bytearray(), 0
    for line in lines:
        piece += write_json(line, options=orjson.OPT_APPEND_NEWLINE)
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
    """Log a blob that is left out. A client that misses it gets the error by requesting it alone."""
    logger.error("blob %s is left out of an answer: %s", ref.md5, fault)
