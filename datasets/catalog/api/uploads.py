"""Uploads before a commit: which bytes are missing, sending them, and presigned places in the store for large files."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from blobs.budget import Budget
from blobs.store import LONGEST_UPLOAD
from catalog.changes.sets import Rejection
from catalog.intake import archives, bodies, staging
from catalog.intake.incoming import Document, Incoming
from catalog.intake.ingest import empty_upload
from catalog.intake.senders import Sender
from catalog.serializers.intake import (
    DigestsSerializer,
    MissingSerializer,
    PresignSerializer,
    StageSerializer,
    UploadsSerializer,
)
from catalog.versions.datasets import find_dataset
from core.errors import Invalid
from core.forms import validated
from core.rendering import OrjsonParser
from jobs.storage import check_room


class Have(APIView):
    rights = needs(POST=Right.BUILD)

    @extend_schema(operation_id="datasets_have", request=DigestsSerializer, responses=MissingSerializer)
    def post(self, request: Request, reference: str) -> Response:
        """List which of these images you have to send. All projects share stored bytes, so unless you are an owner of
        the platform, you have to send all images except those that you sent in the last seven days and those of
        samples that you may read."""
        find_dataset(reference)
        given = validated(DigestsSerializer, request)
        sender = Sender.of(caller(request))
        return Response({"missing": staging.missing(given["digests"], sender=sender, convert=given["convert"])})


class Uploads(APIView):
    rights = needs(POST=Right.BUILD)
    parser_classes = [OrjsonParser, MultiPartParser]

    @extend_schema(
        operation_id="datasets_upload",
        request={"multipart/form-data": StageSerializer, "application/json": PresignSerializer},
        responses={201: UploadsSerializer, 429: None},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Store images without committing them: you need not send them again, and a commit names them by md5.

        With a JSON body, get places to upload to in the object store itself, for files and archives of up to 5 GiB
        each."""
        dataset = find_dataset(reference)
        if (request.content_type or "").startswith("multipart/"):
            sent = validated(StageSerializer, request)
            check_room(dataset.project_id, int(request.META.get("CONTENT_LENGTH") or 1))
            with Budget(caller(request).pk) as budget:
                sender = Sender.of(caller(request))
                stored = staging.stage(_items(sent), sender=sender, convert=sent["convert"], budget=budget)
            return Response(stored, status=201)
        sizes = [one["size"] for one in validated(PresignSerializer, request)["presign"]]
        check_room(dataset.project_id, sum(sizes))
        expires = timezone.now() + LONGEST_UPLOAD
        made = [{"upload": place, "url": url, "expires": expires} for place, url in staging.places(sizes)]
        return Response({"places": made}, status=201)


def _items(sent: Mapping[str, Any]) -> Iterator[Incoming | Document | Rejection]:
    files, archive = sent.get("files", []), sent.get("archive")
    if archive is not None and files:
        raise Invalid.field("archive", "send either `files` or an `archive`, not both")
    if archive is None and not files:
        raise empty_upload("There is nothing in this request: send `files` or an `archive`.")
    if archive is None:
        return bodies.file_items(files, convert=sent["convert"])
    return archives.members(archive.stream, convert=sent["convert"], names_encoding=sent.get("names_encoding"))
