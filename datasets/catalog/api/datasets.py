"""`/datasets`: create, read, change and commit to datasets."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.models import User
from accounts.projects import project_for
from blobs.budget import Budget
from blobs.services import store
from catalog.intake import archive_uploads, archives, bodies, ingest, listings
from catalog.intake.incoming import Document
from catalog.intake.ingest import Terms
from catalog.intake.senders import Sender
from catalog.intake.top_folders import drop_top_folder
from catalog.models import Dataset
from catalog.serializers.commits import CommitDocumentSerializer, CommitSerializer, CommitUploadSerializer
from catalog.serializers.datasets import (
    DatasetChangeSerializer,
    DatasetListSerializer,
    DatasetSerializer,
    NewDatasetSerializer,
    VersionListSerializer,
    VersionSerializer,
    dataset_document,
    version_document,
)
from catalog.splits.groups import set_split_rule
from catalog.versions.datasets import create_dataset, describe, find_dataset, find_version
from core.errors import Invalid
from core.forms import validated
from core.pagination import NAMED, NUMBERED, PAGE, PROJECT, each, named, paged
from core.rendering import OrjsonParser
from core.uploads import SentFile
from jobs.api import JobLinkSerializer, job_document
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.services import listed
from jobs.models import Job
from jobs.tasks import wake


class Datasets(APIView):
    @extend_schema(
        operation_id="datasets_list", parameters=[NAMED, *PAGE, PROJECT, ARCHIVED], responses=DatasetListSerializer
    )
    def get(self, request: Request) -> Response:
        """List the datasets, newest first."""
        rows = Dataset.objects.select_related("head", "origin__dataset", "project")
        rows = listed(rows, request.query_params, wants_archived(request))
        rows = named(request, rows, "name", "description", "task", documents=["classes"])
        return Response(paged(request, rows, each(dataset_document)))

    @extend_schema(operation_id="datasets_create", request=NewDatasetSerializer, responses={201: DatasetSerializer})
    def post(self, request: Request) -> Response:
        """Create an empty dataset with a fixed list of classes."""
        given, author = validated(NewDatasetSerializer, request), caller(request)
        given["project"] = project_for(author, given.pop("project", None))
        dataset = create_dataset(**given, author=author)
        return Response(dataset_document(dataset), status=201)


class DatasetDetail(Deletable):
    kind = "dataset"
    parser_classes = [OrjsonParser, MultiPartParser]

    @extend_schema(operation_id="datasets_get", responses=DatasetSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return a dataset, by id or name."""
        return Response(dataset_document(find_dataset(reference)))

    @extend_schema(operation_id="datasets_change", request=DatasetChangeSerializer, responses=DatasetSerializer)
    def patch(self, request: Request, reference: str) -> Response:
        """Rename or describe a dataset (engineers), or change or remove its split rule for new samples (owners). The
        old name leads to the dataset until something else takes that name."""
        changes, found = validated(DatasetChangeSerializer, request), find_dataset(reference)
        if "split_rule" in changes:
            set_split_rule(found, changes["split_rule"], author=caller(request))
        if "description" in changes:
            describe(found, changes["description"])
        take_name(request, self.kind, found, changes)
        return Response(dataset_document(find_dataset(str(found.pk))))

    @extend_schema(
        operation_id="datasets_commit",
        request={"application/json": CommitDocumentSerializer, "multipart/form-data": CommitUploadSerializer},
        responses={201: CommitSerializer, 202: JobLinkSerializer, 429: None},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Make one atomic commit. Items that can't be accepted are listed in `rejected`; the rest is committed. A job
        commits an archive of more than 8 MiB or 2,000 files, an archive in a direct upload, and more than 20,000 lines
        of `samples`; its result is the same document."""
        dataset, author = find_dataset(reference), caller(request)
        if (request.content_type or "").startswith("multipart/"):
            return _upload(request, dataset, author)
        given = validated(CommitDocumentSerializer, request)
        if "archive" in given and (parts := archive_uploads.opened(dataset, given["archive"]["upload"], author=author)):
            return _started(archives.create_parts_job(parts, _terms(given), author=author))
        if "archive" in given:
            return _started(archives.create_direct_job(dataset, given["archive"], _terms(given), author=author))
        document = bodies.Document.of(given)
        if document.is_slow:
            return _started(listings.queue_lines(dataset, document.lines(), _terms(given), author=author))
        with Budget(author.pk) as budget:
            received = document.receive(budget, sender=Sender.of(author))
        changes = document.changes(received, author=author)
        answer = ingest.commit_upload(dataset, changes, author=author)
        for upload in document.uploads:
            store().discard_upload(upload)
        return Response(answer, status=201)


class Versions(APIView):
    @extend_schema(operation_id="versions_list", parameters=[NAMED, *PAGE], responses=VersionListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List the versions, newest first."""
        versions = find_dataset(reference).versions
        called = versions.alias(called=NUMBERED)
        wanted = named(request, called, "called", "message", "author__username", "names__name")
        rows = versions.filter(pk__in=wanted.values("pk")) if "q" in request.query_params else versions.all()
        rows = rows.select_related("parent", "author", "merged__dataset").prefetch_related("names")
        return Response(paged(request, rows, each(version_document), key="number"))


class VersionDetail(APIView):
    @extend_schema(operation_id="versions_get", responses=VersionSerializer)
    def get(self, request: Request, reference: str, number: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return a version, by number or `head`."""
        return Response(version_document(find_version(find_dataset(reference), number)))


def _upload(request: Request, dataset: Dataset, author: User) -> Response:
    given = validated(CommitUploadSerializer, request)
    terms, annotations = _terms(given), _read(given.get("annotations"))
    files, archive, samples = given.get("files", []), given.get("archive"), given.get("samples")
    if sum(bool(sent) for sent in (files, archive is not None, samples is not None)) > 1:
        raise Invalid.field("archive", "send one of `files`, an `archive` and `samples`")
    if samples is not None:
        told = {"annotations": annotations, "author": author}
        return _listing(dataset, samples.stream, terms, told)
    if archive is None and not files and annotations is None:
        raise ingest.empty_upload("There is nothing in this request: send `files`, an `archive` or `annotations`.")
    encoding = terms.names_encoding
    if archive is not None and archives.is_large(archive.stream, archive.size, names_encoding=encoding):
        return _started(
            archives.create_ingest_job(
                dataset, archive.stream, terms, annotations=annotations, author=author, name=archive.sent_name
            )
        )
    items = archives.members(archive.stream, convert=terms.convert, names_encoding=encoding) if archive else None
    with Budget(author.pk) as budget:
        received = ingest.receive(
            items or bodies.file_items(files, convert=terms.convert), convert=terms.convert, budget=budget
        )
    if archive is not None:
        drop_top_folder(dataset, received)
    changes, report = ingest.upload_changes(dataset, received, terms, annotations=annotations, author=author)
    return Response(ingest.commit_upload(dataset, changes, author=author, report=report), status=201)


def _listing(dataset: Dataset, file: BinaryIO, terms: Terms, told: Mapping[str, Any]) -> Response:
    if listings.is_large(file):
        return _started(listings.create_commit_job(dataset, file, terms, **told))
    sender = Sender.of(told["author"])
    changes, report = listings.listing_changes(dataset, listings.read_lines(file), terms, sender=sender, **told)
    return Response(ingest.commit_upload(dataset, changes, author=told["author"], report=report), status=201)


def _started(job: Job) -> Response:
    wake(job)
    return Response({"job": job_document(job)}, status=202)


def _terms(given: Mapping[str, Any]) -> Terms:
    return Terms(
        given["format"], given.get("split"), given.get("message", ""), given.get("parent"),
        given.get("near_duplicates", ingest.KEEP_OUT), given["partial"], given["strict"], given["metadata"],
        given["convert"], given.get("names_encoding"),
    )  # fmt: skip


def _read(file: SentFile | None) -> Document | None:
    if file is not None and (file.size or 0) > bodies.MAX_FILE_BYTES:
        raise Invalid.field("annotations", f"must not have more than {bodies.MAX_FILE_BYTES} bytes")
    return Document(file.sent_name or "annotations", file.read()) if file is not None else None
