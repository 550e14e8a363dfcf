"""`/pipelines/{id}/rounds`: start, read, cancel and retry rounds."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import NotFound
from core.forms import validated
from core.pagination import PAGE, paged
from pipelines import documents, services
from pipelines.models import Pipeline, Round
from pipelines.rounds import loop, retrying
from pipelines.serializers import pipelines as shapes
from pipelines.tasks import wake_round


def _rounds(pipeline: Pipeline) -> QuerySet[Round]:
    related = ("queue__held_by", "mining_job__queue__committed_version__dataset", "run__job", "run__model_version",
               "first_run__job", "mining_job__job", "dataset_version__dataset")  # fmt: skip
    return pipeline.rounds.select_related(*related)


class Rounds(APIView):
    @extend_schema(operation_id="rounds_list", parameters=PAGE, responses=shapes.RoundListSerializer)
    def get(self, request: Request, pipeline: str) -> Response:
        """List rounds, newest first."""
        rows = _rounds(services.find_pipeline(pipeline))
        return Response(paged(request, rows, documents.round_documents, key="number"))

    @extend_schema(operation_id="rounds_start", request=None, responses={202: shapes.RoundLinkSerializer})
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Start the next round."""
        found = services.find_pipeline(pipeline)
        round_ = loop.start_round(found)
        wake_round(round_.pk)
        return Response({"round": round_.number, "url": f"/pipelines/{found.pk}/rounds/{round_.number}"}, status=202)


class RoundDetail(APIView):
    @extend_schema(operation_id="rounds_get", responses=shapes.RoundSerializer)
    def get(self, request: Request, pipeline: str, number: int) -> Response:  # noqa: ARG002 - DRF's signature
        found = services.find_pipeline(pipeline)
        round_ = _rounds(found).filter(number=number).first()
        if round_ is None:
            raise NotFound(f"{found.name} has no round {number}.", code="round_unknown")
        return Response(documents.round_document(round_))


class Retry(APIView):
    @extend_schema(
        operation_id="pipelines_retry", request=shapes.RetrySerializer, responses={202: shapes.PipelineSerializer}
    )
    def post(self, request: Request, pipeline: str) -> Response:
        """Retry the last round: from where it failed, was cancelled or stopped, or `from` an earlier step."""
        found = services.find_pipeline(pipeline)
        wake_round(retrying.retry(found, start=validated(shapes.RetrySerializer, request).get("from")).pk)
        return Response(documents.pipeline_document(services.find_pipeline(pipeline)), status=202)


class CancelRound(APIView):
    frees_space = True

    @extend_schema(operation_id="rounds_cancel", request=None, responses={202: shapes.PipelineSerializer})
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Cancel the open round; what is labelled and committed stays."""
        found = services.find_pipeline(pipeline)
        loop.cancel_round(found)
        return Response(documents.pipeline_document(found), status=202)
