"""`/pipelines`: the loop and its rounds."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.services import find_dataset
from core.forms import validated
from core.pagination import paged
from registry.gates import DEFAULT_GATES
from registry.services import find_model
from rounds import loop
from rounds.documents import pipelines as documents
from rounds.models import Pipeline
from rounds.serializers import pipelines as shapes
from rounds.tasks import wake_round


class Pipelines(APIView):
    @extend_schema(
        operation_id="pipelines_list", parameters=[OpenApiParameter("cursor")], responses=shapes.PipelineListSerializer
    )
    def get(self, request: Request) -> Response:
        """The newest first."""
        rows = Pipeline.objects.select_related("dataset", "model")
        return Response(paged(request, rows, documents.pipeline_document))

    @extend_schema(
        operation_id="pipelines_create",
        request=shapes.NewPipelineSerializer,
        responses={201: shapes.PipelineSerializer},
    )
    def post(self, request: Request) -> Response:
        """Bind dataset, model, architecture, strategy, budget and gates into a loop."""
        body = validated(shapes.NewPipelineSerializer, request)
        chosen = body.pop("strategy")
        values = body | {
            "dataset": find_dataset(body["dataset"]),
            "model": find_model(body["model"]),
            "strategy": chosen["name"],
            "params": chosen["params"],
            "gates": body.get("gates", DEFAULT_GATES),
        }
        return Response(documents.pipeline_document(loop.create_pipeline(values, author=caller(request))), status=201)


class PipelineDetail(APIView):
    @extend_schema(operation_id="pipelines_get", responses=shapes.PipelineSerializer)
    def get(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.pipeline_document(loop.find_pipeline(pipeline)))


class Rounds(APIView):
    @extend_schema(
        operation_id="rounds_list", parameters=[OpenApiParameter("cursor")], responses=shapes.RoundListSerializer
    )
    def get(self, request: Request, pipeline: str) -> Response:
        """The newest first."""
        related = ("pipeline", "queue", "mining_job__queue__committed_version", "run__job", "first_run__job",
                   "mining_job__job", "dataset_version")  # fmt: skip
        rows = loop.find_pipeline(pipeline).rounds.select_related(*related)
        return Response(paged(request, rows, documents.round_document, key="number"))

    @extend_schema(operation_id="rounds_start", request=None, responses={202: shapes.RoundLinkSerializer})
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Start the next round."""
        found = loop.find_pipeline(pipeline)
        turn = loop.start_round(found)
        wake_round(turn.pk)
        return Response({"round": turn.number, "url": f"/pipelines/{found.pk}/rounds"}, status=202)


class Curve(APIView):
    @extend_schema(operation_id="pipelines_curve", responses=shapes.CurveSerializer)
    def get(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Accuracy by number of labels."""
        return Response(documents.curve_document(loop.find_pipeline(pipeline)))


class PipelineSwitch(APIView):
    """Base of the calls that change how a pipeline stands."""

    @staticmethod
    def switched(pipeline: Pipeline, *, paused: bool) -> Response:
        pipeline.paused = paused
        pipeline.save(update_fields=["paused"])
        for turn in pipeline.rounds.order_by("-number")[:1]:
            wake_round(turn.pk)
        return Response(documents.pipeline_document(pipeline))


class Pause(PipelineSwitch):
    @extend_schema(operation_id="pipelines_pause", request=None, responses=shapes.PipelineSerializer)
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Stop before the next step; the step under way is finished."""
        return self.switched(loop.find_pipeline(pipeline), paused=True)


class Resume(PipelineSwitch):
    @extend_schema(operation_id="pipelines_resume", request=None, responses=shapes.PipelineSerializer)
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Go on where it was paused."""
        return self.switched(loop.find_pipeline(pipeline), paused=False)


class Retry(APIView):
    @extend_schema(operation_id="pipelines_retry", request=None, responses={202: shapes.PipelineSerializer})
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Take the failed or cancelled round up again at the step where it ended."""
        found = loop.find_pipeline(pipeline)
        wake_round(loop.retry(found).pk)
        return Response(documents.pipeline_document(found), status=202)


class CancelRound(APIView):
    @extend_schema(operation_id="rounds_cancel", request=None, responses={202: shapes.PipelineSerializer})
    def post(self, request: Request, pipeline: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Stop the open round; what is labelled and committed stays."""
        found = loop.find_pipeline(pipeline)
        loop.cancel_round(found)
        return Response(documents.pipeline_document(found), status=202)
