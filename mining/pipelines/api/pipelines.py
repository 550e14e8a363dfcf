"""`/pipelines`: the loop, its settings, and its state."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.versions.datasets import find_dataset
from core.errors import Invalid
from core.forms import validated
from core.pagination import NAMED, PAGE, PROJECT, named, paged
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.services import listed
from pipelines import budgets, documents, forecasts, services
from pipelines.models import Pipeline
from pipelines.serializers import pipelines as shapes
from pipelines.serializers.terms import DatasetBudgetSerializer
from pipelines.tasks import wake_round
from registry.services import find_model

COMPARABLE = OpenApiParameter(
    "comparable_with",
    description="id or name of a pipeline: only it and those over datasets with the same task and classes",
)
TARGET = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}


class Pipelines(APIView):
    @extend_schema(
        operation_id="pipelines_list",
        parameters=[
            OpenApiParameter("dataset", description="id or name of a dataset"),
            COMPARABLE,
            NAMED,
            *PAGE,
            PROJECT,
            ARCHIVED,
        ],
        responses=shapes.PipelineListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List pipelines, newest first."""
        rows = listed(
            Pipeline.objects.select_related("dataset", "model"), request.query_params, wants_archived(request)
        )
        if reference := request.query_params.get("dataset"):
            rows = rows.filter(dataset=find_dataset(reference))
        if reference := request.query_params.get("comparable_with"):
            rows = services.comparable_with(services.find_pipeline(reference), rows)
        rows = named(request, rows, "name", "dataset__name", "model__name", "strategy", "architecture")
        return Response(paged(request, rows, documents.pipeline_documents))

    @extend_schema(
        operation_id="pipelines_create",
        request=shapes.NewPipelineSerializer,
        responses={201: shapes.PipelineSerializer},
    )
    def post(self, request: Request) -> Response:
        """Create a pipeline from a dataset, model, architecture, strategy, schedule, triggers, budget and gates. A
        name and a dataset are enough."""
        body = validated(shapes.NewPipelineSerializer, request)
        values = _columns(body) | {"dataset": find_dataset(body["dataset"])}
        values |= {"model": find_model(body["model"])} if "model" in body else {}
        return Response(
            documents.pipeline_document(services.create_pipeline(values, author=caller(request))), status=201
        )


def _columns(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body as fields of the row."""
    values = dict(body)
    if "strategy" in values:
        chosen = values.pop("strategy")
        values |= {"strategy": chosen["name"], "params": chosen["params"]}
    if "schedule" in values:
        values["schedule"] = values["schedule"] or ""
    return values


class PipelineDetail(Deletable):
    kind = "pipeline"

    @extend_schema(operation_id="pipelines_get", responses=shapes.PipelineSerializer)
    def get(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.pipeline_document(services.find_pipeline(pipeline)))

    @extend_schema(
        operation_id="pipelines_change", request=shapes.ChangePipelineSerializer, responses=shapes.PipelineSerializer
    )
    def patch(self, request: Request, pipeline: str) -> Response:
        """Change the settings; the next step uses them. `trigger`, `budget` and `stop` are replaced as a whole."""
        found = services.find_pipeline(pipeline)
        changes = _columns(validated(shapes.ChangePipelineSerializer, request))
        take_name(request, self.kind, found, changes)
        if changes:
            services.change_pipeline(found, changes)
        return Response(documents.pipeline_document(services.find_pipeline(str(found.pk))))


class Curve(APIView):
    @extend_schema(operation_id="pipelines_curve", responses=shapes.CurveSerializer)
    def get(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get the learning curve: the headline metric by number of labels."""
        return Response(documents.curve_document(services.find_pipeline(pipeline)))


class AgainstRandom(APIView):
    @extend_schema(operation_id="pipelines_against_random", responses=shapes.AgainstRandomSerializer)
    def get(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Compare the mined picks with those drawn at random: how often the model was wrong on either, by a test that
        may be looked at after every round. A strategy that loses is replaced by random."""
        return Response(documents.against_random_document(services.find_pipeline(pipeline)))


class Forecast(APIView):
    @extend_schema(
        operation_id="forecast_get",
        parameters=[OpenApiParameter("pipeline", required=True), OpenApiParameter("target", TARGET, required=True)],
        responses={200: shapes.ForecastSerializer, 409: None},
    )
    def get(self, request: Request) -> Response:
        """Forecast how many labels an accuracy needs, by four learning curves through the pipeline's own points."""
        asked = request.query_params
        for name, fix in (("pipeline", "name a pipeline"), ("target", "say which accuracy, as 0.95")):
            if not asked.get(name):
                raise Invalid.field(name, fix)
        try:
            target = float(asked["target"])
        except ValueError as error:
            raise Invalid.field("target", "must be a number, as 0.95") from error
        return Response(forecasts.forecast(services.find_pipeline(asked["pipeline"]), target))


class DatasetBudget(APIView):
    @extend_schema(operation_id="datasets_budget_get", responses=DatasetBudgetSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get the budget shared by all pipelines of the dataset."""
        return Response(budgets.budget_of(find_dataset(reference)))

    @extend_schema(
        operation_id="datasets_budget_set", request=DatasetBudgetSerializer, responses=DatasetBudgetSerializer
    )
    def put(self, request: Request, reference: str) -> Response:
        """Replace the budget; `{}` removes it."""
        limits = validated(DatasetBudgetSerializer, request)
        return Response(budgets.set_budget(find_dataset(reference), limits))


def _switched(pipeline: Pipeline) -> Response:
    for round_ in pipeline.rounds.order_by("-number")[:1]:
        wake_round(round_.pk)
    return Response(documents.pipeline_document(pipeline))


class Pause(APIView):
    @extend_schema(operation_id="pipelines_pause", request=None, responses=shapes.PipelineSerializer)
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Pause before the next step; the running job finishes."""
        return _switched(services.pause(services.find_pipeline(pipeline)))


class Resume(APIView):
    @extend_schema(operation_id="pipelines_resume", request=None, responses=shapes.PipelineSerializer)
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Resume a pipeline that was paused, or that a rule stopped."""
        return _switched(services.resume(services.find_pipeline(pipeline)))
