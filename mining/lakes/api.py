"""`/datasets/{id}/lake`: frames without rows, and scans that make samples of some of them."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from blobs import images
from blobs.budget import at_work
from blobs.errors import ImageRefused
from catalog.api.bytes import HEADERS, AnyAccept
from catalog.intake import archive_uploads
from catalog.versions.datasets import find_dataset
from core.errors import Invalid
from core.forms import validated
from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, PAGE, decode, each, encode, integer, next_url, paged
from jobs.api import JobSerializer, job_document
from jobs.needs import Needs
from jobs.tasks import wake
from lakes import documents, parts, reading, scanning
from lakes import serializers as shapes
from lakes.models import LakePart
from registry.services import resolve

TEXT = {"type": "string", "maxLength": 500}
ASKED = [
    OpenApiParameter("prefix", TEXT, description=shapes.PREFIX),
    OpenApiParameter(
        "where",
        {"type": "array", "items": {"type": "string", "maxLength": shapes.MAX_CONDITION}, "maxItems": shapes.MAX_WHERE},
        description=shapes.WHERE,
    ),
]


class Lake(APIView):
    @extend_schema(operation_id="lake_get", responses=shapes.LakeSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get the counts of a lake. A frame that a scan brought in counts among the frames and among the samples."""
        return Response(documents.lake_document(find_dataset(reference)))


class Parts(APIView):
    @extend_schema(operation_id="lake_parts_list", parameters=PAGE, responses=shapes.LakePartListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List the parts of a lake, newest first."""
        return Response(paged(request, reading.parts_of(find_dataset(reference)), each(documents.part_document)))

    @extend_schema(operation_id="lake_parts_add", request=shapes.NewLakePartSerializer, responses={202: JobSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Add frames: the images of an archive, which a job packs, or a manifest of frames whose packs are in the store
        already, which a job checks."""
        dataset, body = find_dataset(reference), validated(shapes.NewLakePartSerializer, request)
        source = LakePart.Source.ARCHIVE if "archive" in body else LakePart.Source.MANIFEST
        upload = archive_uploads.find(dataset, body[source]["upload"], author=caller(request))
        encoding = body.get("names_encoding")
        job = parts.start_adding(dataset, upload, source=source, author=caller(request), names_encoding=encoding)
        wake(job)
        return Response(job_document(job), status=202)


class PartDetail(APIView):
    @extend_schema(operation_id="lake_parts_get", responses=shapes.LakePartSerializer)
    def get(self, request: Request, reference: str, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        dataset = find_dataset(reference)
        parts.find_part(dataset, pk)
        return Response(documents.part_document(reading.parts_of(dataset).get(pk=pk)))

    @extend_schema(operation_id="lake_parts_remove", request=None, responses={204: None, 409: None})
    def delete(self, request: Request, reference: str, pk: int) -> Response:
        """Remove a part from the lake. Frames that are samples by now stay samples; the rest is collected. Not possible
        while a scan of the lake is running."""
        parts.remove_part(parts.find_part(find_dataset(reference), pk), by=caller(request))
        return Response(status=204)


class Frames(APIView):
    @extend_schema(
        operation_id="lake_frames_list",
        parameters=[OpenApiParameter("after", TEXT, description="only frames after this key"), *ASKED, *PAGE],
        responses=shapes.LakeFrameListSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """List frames by key, from any key on at the same cost. Where few frames pass the conditions, a page may be
        short, or empty, and still have a `next`."""
        dataset, query = find_dataset(reference), request.query_params
        wanted = reading.asked(dataset, _text(request, "prefix"), _conditions(request))
        limit = integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT)
        cursor = query.get("cursor")
        after = str(decode(cursor, path=request.path)) if cursor else _text(request, "after")
        frames, following = reading.page(dataset, wanted, after=after, limit=limit)
        known = reading.samples_among(dataset, [one.key for one in frames])
        behind = None if following is None else next_url(request, cursor=encode(following, path=request.path))
        results = [documents.frame_document(dataset, one, known) for one in frames]
        return Response({"results": results, "next": behind})


class Frame(APIView):
    @extend_schema(
        operation_id="lake_frame_get",
        parameters=[OpenApiParameter("key", TEXT, required=True)],
        responses=shapes.LakeFrameSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """Get a frame by its key."""
        dataset = find_dataset(reference)
        if not (key := _text(request, "key")):
            raise Invalid.field("key", "say which frame: its key")
        frame = reading.frame_of(dataset, key)
        return Response(documents.frame_document(dataset, frame, reading.samples_among(dataset, [frame.key])))


class FrameBytes(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(
        operation_id="lake_bytes_get",
        responses={(200, "application/octet-stream", "image/*"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, reference: str, word: str) -> HttpResponse:  # noqa: ARG002 - DRF's signature
        """Get the bytes of a frame, verified: the `url` of a frame."""
        md5, data = reading.bytes_at(find_dataset(reference), word)
        try:
            shown = {"Content-Type": images.sniff(data), "Content-Disposition": "inline"}
        except ImageRefused:
            download = f'attachment; filename="{md5}"'
            shown = {"Content-Type": "application/octet-stream", "Content-Disposition": download}
        return HttpResponse(data, headers=HEADERS | shown)


class FrameThumb(APIView):
    content_negotiation_class = AnyAccept

    @extend_schema(operation_id="lake_thumbs_get", responses={(200, "image/webp"): OpenApiTypes.BINARY, 429: None})
    def get(self, request: Request, reference: str, word: str) -> HttpResponse:
        """Get a WebP of at most 192 pixels a side: the `thumb` of a frame."""
        _, data = reading.bytes_at(find_dataset(reference), word)
        with at_work(caller(request).pk):
            made = images.thumbnail(data)
        return HttpResponse(made, headers=HEADERS | {"Content-Type": "image/webp"})


class Scans(APIView):
    @extend_schema(operation_id="lake_scans_list", parameters=PAGE, responses=shapes.LakeScanListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List scans, newest first."""
        return Response(paged(request, scanning.scans_of(find_dataset(reference)), documents.scan_documents))

    @extend_schema(
        operation_id="lake_scans_create",
        request=shapes.NewLakeScanSerializer,
        responses={202: shapes.LakeScanSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Score the frames of the lake with a model and bring the most informative ones into the pool, in one commit.
        Frames that are samples already are skipped."""
        dataset, body = find_dataset(reference), validated(shapes.NewLakeScanSerializer, request)
        names = ("count", "control", "seed", "prefix", "where")
        spec = scanning.ScanSpec(
            body["strategy"]["name"],
            params=body["strategy"]["params"],
            queue=body.get("queue", ""),
            needs=Needs.of(body.get("needs", {})),
            **{name: body[name] for name in names},
        )
        scan = scanning.start_scan(dataset, resolve(body["model"], field="model"), spec, author=caller(request))
        wake(scan.job)
        return Response(documents.scan_document(scan), status=202)


class ScanDetail(APIView):
    @extend_schema(operation_id="lake_scans_get", responses=shapes.LakeScanSerializer)
    def get(self, request: Request, reference: str, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.scan_document(scanning.find_scan(find_dataset(reference), pk)))


def _conditions(request: Request) -> list[str]:
    given = request.query_params.getlist("where")
    if len(given) > shapes.MAX_WHERE or any(len(one) > shapes.MAX_CONDITION for one in given):
        words = f"at most {shapes.MAX_WHERE} conditions of at most {shapes.MAX_CONDITION} characters each"
        raise Invalid.field("where", words)
    return given


def _text(request: Request, name: str) -> str:
    text = request.query_params.get(name, "")
    if len(text) > TEXT["maxLength"] or "\0" in text:  # type: ignore[operator]  # it is a number
        raise Invalid.field(name, f"must be a text of at most {TEXT['maxLength']} characters without null characters")
    return text
