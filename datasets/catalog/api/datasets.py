"""`/datasets`: make them, look at them, commit to them."""

from typing import Any, BinaryIO, cast

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.models import User
from catalog import archives, bodies, ingest
from catalog.ingest import Terms
from catalog.models import Dataset
from catalog.serializers import (
    CommitDocumentSerializer,
    CommitSerializer,
    CommitUploadSerializer,
    DatasetListSerializer,
    DatasetSerializer,
    NewDatasetSerializer,
    VersionListSerializer,
    VersionSerializer,
    dataset_document,
    version_document,
)
from catalog.services import create_dataset, find_dataset, find_version
from core.errors import Invalid
from core.pagination import paged
from core.rendering import OrjsonParser
from core.uploads import SentFile
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake

PAGE = [OpenApiParameter("cursor"), OpenApiParameter("limit", int)]


class Datasets(APIView):
    @extend_schema(operation_id="datasets_list", parameters=PAGE, responses=DatasetListSerializer)
    def get(self, request: Request) -> Response:
        """The newest first."""
        return Response(paged(request, Dataset.objects.select_related("head"), dataset_document))

    @extend_schema(operation_id="datasets_create", request=NewDatasetSerializer, responses={201: DatasetSerializer})
    def post(self, request: Request) -> Response:
        """A new, empty dataset with a fixed list of classes."""
        form = NewDatasetSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        dataset = create_dataset(**form.validated_data, author=caller(request))
        return Response(dataset_document(dataset), status=201)


class DatasetDetail(APIView):
    parser_classes = [OrjsonParser, MultiPartParser]

    @extend_schema(operation_id="datasets_get", responses=DatasetSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """One dataset, by id or name."""
        return Response(dataset_document(find_dataset(reference)))

    @extend_schema(
        operation_id="datasets_commit",
        request={"application/json": CommitDocumentSerializer, "multipart/form-data": CommitUploadSerializer},
        responses={201: CommitSerializer, 202: JobLinkSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """One atomic commit. What can't be taken is listed in `rejected`, the rest is committed; an archive of more
        than 8 MiB or 2,000 files is read by a job, whose result is the same document."""
        dataset, author = find_dataset(reference), caller(request)
        if (request.content_type or "").startswith("multipart/"):
            return _upload(request, dataset, author)
        form = CommitDocumentSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        document = bodies.Document.of(form.validated_data)
        changes = document.changes(ingest.receive(document.items()), author=author)
        return Response(ingest.commit_upload(dataset, changes, author=author), status=201)


class Versions(APIView):
    @extend_schema(operation_id="versions_list", parameters=PAGE, responses=VersionListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """The newest first."""
        rows = find_dataset(reference).versions.select_related("parent", "author")
        return Response(paged(request, rows, version_document, key="number"))


class VersionDetail(APIView):
    @extend_schema(operation_id="versions_get", responses=VersionSerializer)
    def get(self, request: Request, reference: str, number: str) -> Response:  # noqa: ARG002 - DRF's signature
        """One version, by number or `head`."""
        return Response(version_document(find_version(find_dataset(reference), number)))


def _upload(request: Request, dataset: Dataset, author: User) -> Response:
    form = CommitUploadSerializer(data=request.data)
    form.is_valid(raise_exception=True)
    given: dict[str, Any] = form.validated_data
    terms = Terms(given["format"], given.get("split"), given["message"], given["parent"])
    files, archive = given.get("files", []), given.get("archive")
    annotations = _read(given.get("annotations"))
    if archive is not None and files:
        raise Invalid.field("archive", "send either `files` or an `archive`, not both")
    if archive is None and not files and annotations is None:
        raise ingest.empty_upload("There is nothing in this request: send `files`, an `archive` or `annotations`.")
    if archive is None:
        received = ingest.receive(bodies.file_items(files))
    elif not archives.is_large(_bytes_of(archive), archive.size):
        received = ingest.receive(archives.members(_bytes_of(archive)))
    else:
        job = archives.create_ingest_job(
            dataset, _bytes_of(archive), terms, annotations=annotations, author=author, name=archive.sent_name
        )
        wake(job)
        return Response({"job": job_document(job)}, status=202)
    changes, recognised = ingest.upload_changes(dataset, received, terms, annotations=annotations, author=author)
    return Response(ingest.commit_upload(dataset, changes, author=author, recognised=recognised), status=201)


def _read(file: SentFile | None) -> bytes | None:
    if file is not None and (file.size or 0) > bodies.MAX_FILE_BYTES:
        raise Invalid.field("annotations", f"must not have more than {bodies.MAX_FILE_BYTES} bytes")
    return file.read() if file is not None else None


def _bytes_of(file: SentFile) -> BinaryIO:
    return cast(BinaryIO, file.file)
