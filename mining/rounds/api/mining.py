"""`/strategies` and `/mining/jobs`."""

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
from jobs.tasks import wake
from registry.services import resolve
from rounds import mining
from rounds.documents import mining as documents
from rounds.models import MiningJob
from rounds.serializers import mining as shapes


class Strategies(APIView):
    @extend_schema(operation_id="strategies_list", responses=shapes.StrategyListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """What `strategy` takes, with the schema of its parameters."""
        return Response({"results": [facts(name) for name in names()], "next": None})


class MiningJobs(APIView):
    @extend_schema(
        operation_id="mining_jobs_list",
        parameters=[OpenApiParameter("cursor")],
        responses=shapes.MiningJobListSerializer,
    )
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
    @extend_schema(
        operation_id="mining_picks_list", parameters=[OpenApiParameter("cursor")], responses=shapes.PickListSerializer
    )
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
