"""`/models/{id}/versions/{v}/outcomes`: what a version got right and wrong, one by one."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import Invalid
from core.pagination import PAGE, positions
from core.parameters import PROBABILITY
from registry import serializers as shapes
from registry import services
from registry.outcomes import ORDERS, OutcomeList, Wanted, calibration
from tasktypes.outcomes import KINDS

WHICH = [
    OpenApiParameter(
        "kind",
        enum=KINDS,
        required=True,
        description="outcomes to list: a cell of the confusion matrix, missed or wrong ones, or all predictions (said)",
    ),
    OpenApiParameter("label", description="true class of a cell; for boxes also `background` (or `-1`)"),
    OpenApiParameter("predicted", description="predicted class of a cell; for boxes also `background` (or `-1`)"),
    OpenApiParameter(
        "class", description="class to list the missed, wrong or said outcomes of; all classes by default"
    ),
    OpenApiParameter(
        "threshold",
        PROBABILITY,
        description="lowest score that counts as a prediction, 0 to 1; by default as evaluated",
    ),
    OpenApiParameter("slice", description="a slice that the version was evaluated on"),
    OpenApiParameter("score_from", PROBABILITY, description="lowest score of the outcomes to list"),
    OpenApiParameter(
        "score_to", PROBABILITY, description="highest score of the outcomes to list, exclusive unless it is 1"
    ),
    OpenApiParameter(
        "right_in", description="number or alias of another version, to list only samples that it predicted right"
    ),
]


class Outcomes(APIView):
    @extend_schema(
        operation_id="models_outcomes",
        parameters=[
            *WHICH,
            OpenApiParameter(
                "order",
                enum=ORDERS,
                description="`score` (default) for the highest score first, `class` for class by class",
            ),
            *PAGE,
        ],
        responses={200: shapes.OutcomesSerializer, 409: None, 422: None},
    )
    def get(self, request: Request, model: str, version: str) -> Response:
        """List samples, decisions or objects that were missed, predicted wrongly, or are in a confusion matrix cell.

        For boxes, `label=background` lists boxes where no object is, `predicted=background` objects that were not
        found. `counts` are those of precision and recall with the same class, threshold and slice."""
        found = _found(request, model, version)
        page, following = positions(request, len(found.outcomes))
        return Response(found.document(page) | {"next": following})


class OutcomeSamples(APIView):
    @extend_schema(
        operation_id="models_outcome_samples",
        parameters=WHICH,
        responses={200: shapes.OutcomeSamplesSerializer, 409: None, 422: None},
    )
    def get(self, request: Request, model: str, version: str) -> Response:
        """List the samples behind the outcomes, each once, surest first, if they are still in the dataset."""
        return Response(_found(request, model, version).samples_document())


class Calibration(APIView):
    @extend_schema(
        operation_id="models_calibration",
        responses={200: shapes.CalibrationBinsSerializer, 409: None, 422: None},
    )
    def get(self, request: Request, model: str, version: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Show how many of a version's predictions on test samples were right, in ten bins of its confidence.
        `outcomes?kind=said` with `score_from` and `score_to` lists a bin."""
        known = services.find_version(services.find_model(model), version)
        return Response({"bins": calibration(known)})


def _found(request: Request, model: str, version: str) -> OutcomeList:
    known = services.find_version(services.find_model(model), version)
    reference = request.query_params.get("right_in")
    other = services.find_version(known.model, reference) if reference else None
    if other is not None and other.pk == known.pk:
        raise Invalid.field("right_in", f"is version {known.number} too: name another one")
    return OutcomeList(known, Wanted.of(known.model, request.query_params.dict()), other)
