"""`/strategies`, `/mining/jobs`, `/pipelines`."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from acquisition import facts, names
from catalog.services import find_dataset
from catalog.services import find_version as find_dataset_version
from core.errors import Conflict, NotFound
from core.forms import validated
from core.pagination import paged
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake
from registry.gates import DEFAULT_GATES
from registry.services import find_model, resolve
from rounds import documents, leaks, loop, mining
from rounds import serializers as shapes
from rounds.models import MiningJob, Pipeline
from rounds.tasks import wake_round

CURSOR = [OpenApiParameter("cursor")]


class Strategies(APIView):
    @extend_schema(operation_id="strategies_list", responses=shapes.StrategyListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """What `strategy` takes, with the schema of its parameters."""
        return Response({"results": [facts(name) for name in names()], "next": None})


class MiningJobs(APIView):
    @extend_schema(operation_id="mining_jobs_list", parameters=CURSOR, responses=shapes.MiningJobListSerializer)
    def get(self, request: Request) -> Response:
        """The newest first."""
        return Response(paged(request, _mining_rows(), documents.mining_document))

    @extend_schema(
        operation_id="mining_jobs_create",
        request=shapes.NewMiningJobSerializer,
        responses={202: shapes.MiningJobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Score the pool of a version with a model and pick what teaches most."""
        body = validated(shapes.NewMiningJobSerializer, request)
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"])
        chosen = body["strategy"]
        spec = mining.MiningSpec(
            chosen["name"],
            body["count"],
            chosen["params"],
            control=body["control"],
            seed=body["seed"],
            filter=body["filter"],
        )
        made = mining.start_mining(version, resolve(body["model"], field="model"), spec, author=caller(request))
        wake(made.job)
        return Response(documents.mining_document(made), status=202)


def _mining_rows() -> Any:
    return MiningJob.objects.select_related("dataset", "version", "model_version__model", "job", "queue")


def _mining_job(pk: int) -> MiningJob:
    found: MiningJob | None = _mining_rows().filter(pk=pk).first()
    if found is None:
        raise NotFound(f"There is no mining job {pk}.", code="mining_job_unknown")
    return found


class MiningJobDetail(APIView):
    @extend_schema(operation_id="mining_jobs_get", responses=shapes.MiningJobSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.mining_document(_mining_job(pk)))


class MiningPicks(APIView):
    @extend_schema(operation_id="mining_picks_list", parameters=CURSOR, responses=shapes.PickListSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """By rank, with reasons."""
        job = _mining_job(pk)
        rows = job.picks.select_related("sample")
        md5 = dict(job.version.revisions.filter(sample__in=rows.values("sample")).values_list("sample_id", "blob__md5"))
        page = paged(
            request,
            rows,
            lambda pick: documents.pick_document(pick, md5[pick.sample_id]),
            key="rank",
            descending=False,
        )
        return Response(page)


class MiningHistogram(APIView):
    @extend_schema(operation_id="mining_histogram", responses=shapes.HistogramSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """How the strategy's score spreads over the pool, and where the picks were cut."""
        histogram = _mining_job(pk).stats.get("histogram")
        if histogram is None:
            raise Conflict("This job has no score histogram (yet).", code="histogram_missing")
        return Response(histogram)


class QueuePicks(APIView):
    @extend_schema(
        operation_id="mining_jobs_queue",
        request=shapes.QueuePicksSerializer,
        responses={201: shapes.QueueLinkSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Put the picks before annotators."""
        body = validated(shapes.QueuePicksSerializer, request)
        queue = mining.queue_picks(
            _mining_job(pk),
            name=body.get("queue", f"mining-{pk}"),
            answers_per_task=body["answers_per_task"],
            author=caller(request),
        )
        return Response({"queue": queue.name, "url": f"/labeling/queues/{queue.pk}"}, status=201)


class LeakChecks(APIView):
    @extend_schema(
        operation_id="leak_checks_create", request=shapes.LeakCheckSerializer, responses={202: JobLinkSerializer}
    )
    def post(self, request: Request, reference: str) -> Response:
        """Compare the embeddings of test samples with those of all others; the job's result lists the nearest pairs."""
        body = validated(shapes.LeakCheckSerializer, request)
        version = find_dataset_version(find_dataset(reference), body["version"])
        model = resolve(body["model"], field="model")
        job = leaks.start_leak_check(version, model, threshold=body["threshold"], author=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)


class Pipelines(APIView):
    @extend_schema(operation_id="pipelines_list", parameters=CURSOR, responses=shapes.PipelineListSerializer)
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
    @extend_schema(operation_id="rounds_list", parameters=CURSOR, responses=shapes.RoundListSerializer)
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
