"""`/models/{id}/compare`, `/runs/compare` and `/runs/table`."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.rights import listed
from core.errors import Invalid
from core.pagination import PROJECT, integer
from core.parameters import whole_number
from registry import comparison_serializers as shapes
from registry import documents, runs_compared, services
from registry.comparing import compared
from registry.models import ModelVersion, Run

MOST_ROWS, USUAL_ROWS = 1000, 500
RUN_IDS = {"type": "string", "maxLength": 200, "pattern": "^[0-9]{1,17}(,[0-9]{1,17}){1,9}$"}


class Versions(APIView):
    @extend_schema(
        operation_id="models_compare",
        parameters=[
            OpenApiParameter("a", required=True, description="number or alias of a version"),
            OpenApiParameter(
                "b", required=True, description="number or alias of another version; every delta is b - a"
            ),
        ],
        responses=shapes.ComparedVersionsSerializer,
    )
    def get(self, request: Request, model: str) -> Response:
        """Compare two versions on their common test samples: overall, by class, by slice, and in size and speed."""
        a, b = (_version(request, model, name) for name in ("a", "b"))
        if a.pk == b.pk:
            raise Invalid.field("b", f"is version {b.number} too: name another one to compare with")
        return Response(compared(a, b))


def _version(request: Request, model: str, name: str) -> ModelVersion:
    reference = request.query_params.get(name)
    if not reference:
        raise Invalid.field(name, "name a version by its number or an alias")
    return services.find_version(services.find_model(model), reference)


class Runs(APIView):
    @extend_schema(
        operation_id="runs_compare",
        parameters=[
            OpenApiParameter("ids", RUN_IDS, required=True, description="ids of 2 to 10 runs, separated by commas")
        ],
        responses=shapes.ComparedRunsSerializer,
    )
    def get(self, request: Request) -> Response:
        """Compare runs: their settings (and which differ), their curves, and the metrics of the resulting versions."""
        found = runs_compared.find_runs(request.query_params.get("ids", ""))
        return Response(
            {
                "runs": [documents.run_document(run) for run in found],
                "config": runs_compared.settings_of(found),
                "series": runs_compared.series_of(found),
                "metrics": runs_compared.results_of(found),
            }
        )


class RunTable(APIView):
    @extend_schema(
        operation_id="runs_table",
        parameters=[OpenApiParameter("model"), PROJECT, whole_number("limit", 1, MOST_ROWS, default=USUAL_ROWS)],
        responses=shapes.RunTableSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the newest runs, a row each, with settings and the metrics of the resulting versions as columns."""
        limit = integer(request, "limit", default=USUAL_ROWS, low=1, high=MOST_ROWS)
        rows = listed(Run.objects.select_related(*runs_compared.RELATED), "model__project", request.query_params)
        if model := request.query_params.get("model"):
            rows = rows.filter(model=services.find_model(model))
        found = list(rows.order_by("-pk")[:limit])
        return Response(
            {
                "total": rows.count(),
                "runs": runs_compared.rows_of(found),
                "config": runs_compared.settings_of(found),
                "metrics": runs_compared.results_of(found),
            }
        )
