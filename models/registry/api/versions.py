"""`/models/{id}/versions`: registered versions with their proof, files and history."""

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from blobs.services import keep
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.errors import TooLarge, Unprocessable
from core.forms import validated
from core.pagination import NAMED, NUMBERED, PAGE, each, named, paged
from jobs import services as jobs
from jobs.api import JobLinkSerializer, job_document
from jobs.models import Job
from jobs.storage import check_room
from jobs.tasks import wake
from registry import documents, ensembles, services, uploads
from registry import serializers as shapes
from registry.api.downloads import DOWNLOAD, download
from registry.lineage import lineage_of
from registry.lineage_serializers import VersionLineageSerializer

MAX_MODEL_BYTES = 2**31 - 1
FORM_BYTES = 2 << 20
"""The most bytes of a form beside the file."""
WAIT_SECONDS = 25.0


class ModelVersions(APIView):
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="model_versions_list",
        parameters=[NAMED, *PAGE],
        responses=shapes.ModelVersionListSerializer,
    )
    def get(self, request: Request, model: str) -> Response:
        """List versions, the newest first, without long metrics."""
        rows = services.find_model(model).versions.select_related("model", "dataset_version__dataset", "precisions_job")
        rows = rows.alias(called=NUMBERED)
        rows = named(request, rows, "called", "architecture", "notes", "dataset_version__dataset__name")
        rows = rows.prefetch_related("aliases", "artifacts__blob")
        return Response(paged(request, rows, each(documents.version_document), key="number"))

    @extend_schema(
        operation_id="model_versions_upload",
        request={"multipart/form-data": shapes.UploadModelSerializer},
        responses={201: shapes.ModelVersionDetailSerializer, 202: JobLinkSerializer},
    )
    def post(self, request: Request, model: str) -> Response:
        """Bring your own: an ONNX file of up to 2 GiB becomes a version after the same checks as models trained here.

        `metadata` says how it reads images and on which dataset version to prove and evaluate it. Responds with 422
        and the reason when the file is refused, and with 202 and the job when the checks take long."""
        found = services.find_model(model)
        author = caller(request)
        _refuse_large(int(request.META.get("CONTENT_LENGTH") or 0) - FORM_BYTES)
        form = validated(shapes.UploadModelSerializer, request)
        _refuse_large(form["onnx"].size)
        spec = uploads.read_spec(form["metadata"], found)
        check_room(found.project_id, form["onnx"].size)
        blob = keep(form["onnx"].stream, media_type="application/octet-stream")
        job = uploads.start_upload(found, blob, spec, author=author)
        wake(job)
        job = jobs.wait(job.pk, seconds=WAIT_SECONDS)
        if job.is_open:
            return Response({"job": job_document(job)}, status=202)
        made = uploads.version_of(job)
        if made is None:
            raise _refusal(job)
        return Response(documents.version_detail(made), status=201)


class Ensembles(APIView):
    @extend_schema(
        operation_id="model_ensembles_create", request=shapes.NewEnsembleSerializer, responses={202: JobLinkSerializer}
    )
    def post(self, request: Request, model: str) -> Response:
        """Join several versions into one: a file that averages their probabilities, proved and evaluated as usual."""
        found, body = services.find_model(model), validated(shapes.NewEnsembleSerializer, request)
        members = [services.find_version(found, one) for one in body["versions"]]
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"]) if "dataset" in body else None
        spec = ensembles.EnsembleSpec(members, version, body["export"], body["notes"])
        job = ensembles.start_ensemble(found, spec, author=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)


class ModelVersionDetail(APIView):
    @extend_schema(operation_id="model_versions_get", responses=shapes.ModelVersionDetailSerializer)
    def get(self, request: Request, model: str, version: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get a version; `version` is a number or an alias."""
        return Response(documents.version_detail(services.find_version(services.find_model(model), version)))

    @extend_schema(
        operation_id="model_versions_change",
        request=shapes.NotesSerializer,
        responses=shapes.ModelVersionDetailSerializer,
    )
    def patch(self, request: Request, model: str, version: str) -> Response:
        """Set the notes of a version; everything else stays as it was proved."""
        found = services.find_version(services.find_model(model), version)
        services.change_notes(found, validated(shapes.NotesSerializer, request)["notes"])
        return Response(documents.version_detail(found))


class Lineage(APIView):
    @extend_schema(operation_id="model_versions_lineage", responses=VersionLineageSerializer)
    def get(self, request: Request, model: str, version: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get what a version learned from and was judged by, all versions that it descends from, and all that carry its
        weights on: by warm starts, ensembles and uploads derived from it, to any depth."""
        return Response(lineage_of(services.find_version(services.find_model(model), version)))


class ArtifactDownload(APIView):
    @extend_schema(operation_id="artifacts_get", responses=DOWNLOAD)
    def get(self, request: Request, model: str, version: str, path: str) -> HttpResponseBase:
        """Download an artefact; its bytes are verified while they are sent."""
        found = services.find_version(services.find_model(model), version)
        blob = services.artifact_blob(found, path)
        name = path.rpartition("/")[2].replace("model.", f"{found.model.name}-v{found.number}.", 1)
        return download(request, blob, name)


def _refuse_large(size: int) -> None:
    if size > MAX_MODEL_BYTES:
        detail = f"more than {MAX_MODEL_BYTES} bytes: ONNX files end there"
        raise TooLarge(f"onnx: {detail}", errors={"onnx": [detail]})


def _refusal(job: Job) -> Unprocessable:
    """Why a finished job registered nothing."""
    code, detail = jobs.why_failed(job)
    return Unprocessable(detail, code=code, errors={"onnx": [detail]}, extra={"job": job_document(job)})
