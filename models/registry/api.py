"""`/models`, `/runs`, `/architectures`."""

from dataclasses import asdict

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from blobs.services import store
from catalog.services import find_dataset
from catalog.services import find_version as find_dataset_version
from core.errors import NotFound
from core.forms import validated
from core.pagination import paged
from jobs import services as jobs
from jobs.api import JobDetail
from jobs.tasks import wake
from registry import documents, services
from registry import serializers as shapes
from registry.models import Model, Run
from registry.promotion import promote, roll_back
from training.architectures import facts, names


class Models(APIView):
    @extend_schema(
        operation_id="models_list", parameters=[OpenApiParameter("cursor")], responses=shapes.ModelListSerializer
    )
    def get(self, request: Request) -> Response:
        """The newest first."""
        return Response(paged(request, Model.objects.all(), documents.model_document))

    @extend_schema(
        operation_id="models_create", request=shapes.NewModelSerializer, responses={201: shapes.ModelSerializer}
    )
    def post(self, request: Request) -> Response:
        """A new model."""
        model = services.create_model(**validated(shapes.NewModelSerializer, request), author=caller(request))
        return Response(documents.model_document(model), status=201)


class ModelDetail(APIView):
    @extend_schema(operation_id="models_get", responses=shapes.ModelSerializer)
    def get(self, request: Request, model: str) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.model_document(services.find_model(model)))


class ModelVersions(APIView):
    @extend_schema(
        operation_id="model_versions_list",
        parameters=[OpenApiParameter("cursor")],
        responses=shapes.ModelVersionListSerializer,
    )
    def get(self, request: Request, model: str) -> Response:
        """The newest first."""
        rows = services.find_model(model).versions.select_related("model", "dataset_version__dataset")
        return Response(paged(request, rows.prefetch_related("aliases"), documents.version_document, key="number"))


class ModelVersionDetail(APIView):
    @extend_schema(operation_id="model_versions_get", responses=shapes.ModelVersionDetailSerializer)
    def get(self, request: Request, model: str, version: str) -> Response:  # noqa: ARG002 - DRF's signature
        """`version` is a number or an alias."""
        return Response(documents.version_detail(services.find_version(services.find_model(model), version)))


class ArtifactDownload(APIView):
    @extend_schema(operation_id="artifacts_get", responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, model: str, version: str, path: str) -> StreamingHttpResponse:  # noqa: ARG002 - as above
        """The artefact's bytes, verified as they are sent."""
        found = services.find_version(services.find_model(model), version)
        artifact = found.artifacts.filter(path=path).select_related("blob").first()
        if artifact is None:
            have = ", ".join(found.artifacts.values_list("path", flat=True))
            raise NotFound(f"{found} has no artefact {path!r}: it has {have}.", code="artifact_unknown")
        response = StreamingHttpResponse(store().open(artifact.blob.ref), content_type="application/octet-stream")
        response["Content-Length"] = str(artifact.blob.size)
        name = artifact.path.rpartition("/")[2]
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["ETag"] = f'"{artifact.blob.sha256}"'
        return response


class Aliases(APIView):
    @extend_schema(
        operation_id="aliases_move",
        request=shapes.MoveAliasSerializer,
        responses={200: shapes.PromotionSerializer},
    )
    def post(self, request: Request, model: str) -> Response:
        """Point an alias at a version; 409 with the failing gates unless overridden."""
        body = validated(shapes.MoveAliasSerializer, request)
        version = services.find_version(services.find_model(model), body["version"])
        made = promote(version, body["alias"], reason=body["reason"], by=caller(request), override=body["override"])
        return Response(documents.promotion_document(made))


class RollBack(APIView):
    @extend_schema(
        operation_id="aliases_roll_back",
        request=shapes.RollBackSerializer,
        responses={200: shapes.PromotionSerializer},
    )
    def post(self, request: Request, model: str) -> Response:
        """Point an alias at the version before."""
        body = validated(shapes.RollBackSerializer, request)
        made = roll_back(services.find_model(model), body["alias"], reason=body["reason"], by=caller(request))
        return Response(documents.promotion_document(made))


class Runs(APIView):
    @extend_schema(
        operation_id="runs_list",
        parameters=[OpenApiParameter("model"), OpenApiParameter("cursor")],
        responses=shapes.RunListSerializer,
    )
    def get(self, request: Request) -> Response:
        """The newest first."""
        rows = Run.objects.select_related("model", "dataset", "version", "parent__model", "job")
        if model := request.query_params.get("model"):
            rows = rows.filter(model=services.find_model(model))
        return Response(paged(request, rows, documents.run_document))

    @extend_schema(operation_id="runs_create", request=shapes.NewRunSerializer, responses={202: shapes.RunSerializer})
    def post(self, request: Request) -> Response:
        """Train, prove and register a model version."""
        body = validated(shapes.NewRunSerializer, request)
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"])
        parent = services.resolve(body["parent"], field="parent") if body["parent"] else None
        spec = services.RunSpec(body["architecture"], body["config"], seed=body["seed"], parent=parent)
        run = services.start_run(services.find_model(body["model"]), version, spec, author=caller(request))
        wake(run.job)
        return Response(documents.run_document(run), status=202)


def _run(pk: int) -> Run:
    run = Run.objects.select_related("model", "dataset", "version", "parent__model", "job").filter(pk=pk).first()
    if run is None:
        raise NotFound(f"There is no run {pk}.", code="run_unknown")
    return run


class RunDetail(APIView):
    @extend_schema(operation_id="runs_get", responses=shapes.RunSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.run_document(_run(pk)))


class RunMetrics(APIView):
    @extend_schema(
        operation_id="runs_metrics", parameters=[OpenApiParameter("since", int)], responses=shapes.RunMetricsSerializer
    )
    def get(self, request: Request, pk: int) -> Response:
        """The points of the run's curves after `since`."""
        live = JobDetail().get(request, _run(pk).job_id).data
        return Response({"points": live["points"], "next": live["next"]})


class RunCancel(APIView):
    @extend_schema(operation_id="runs_cancel", request=None, responses={202: shapes.RunSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Stop a training."""
        jobs.cancel(_run(pk).job_id)
        return Response(documents.run_document(_run(pk)), status=202)


class Architectures(APIView):
    @extend_schema(operation_id="architectures_list", responses=shapes.ArchitectureListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """What `architecture` takes, with the schema of its parameters and its default recipe."""
        return Response({"results": [asdict(facts(name)) for name in names()], "next": None})
