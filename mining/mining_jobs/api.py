"""`/strategies` and `/mining/jobs`."""

from functools import partial
from itertools import islice
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right, check, listed
from acquisition import facts, faults, names
from catalog.api.samples import IDS
from catalog.filtering.predictions import Predicted
from catalog.reading.queries import sample_ids
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.errors import Conflict, NotFound
from core.forms import validated
from core.pagination import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    NAMED,
    PAGE,
    PROJECT,
    decode,
    encode,
    integer,
    named,
    next_url,
    paged,
)
from core.parameters import PROBABILITY, chosen, probability, several
from jobs.models import Job
from jobs.needs import Needs
from jobs.tasks import wake
from mining_jobs import documents, services
from mining_jobs import serializers as shapes
from mining_jobs.models import MiningJob
from mining_jobs.picks.cutoffs import Cutoff, picked_scores
from mining_jobs.picks.estimates import estimate
from mining_jobs.scores.predictions import ScoredPredictions
from mining_jobs.scores.progress import live_histogram, quarantined
from mining_jobs.scores.said import said_of
from registry.services import resolve


class Strategies(APIView):
    @extend_schema(operation_id="strategies_list", responses=shapes.StrategyListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """List the strategies with the schema of their parameters; `faults` names installed packages that can't be
        used, and the fix."""
        return Response({"results": [facts(name) for name in names()], "faults": faults(), "next": None})


class Predictions(APIView):
    @extend_schema(
        operation_id="predictions_list",
        parameters=[
            OpenApiParameter("model", required=True, description="model version, like signs@production"),
            IDS,
            OpenApiParameter(
                "threshold", PROBABILITY, description="threshold for boxes and classes, in place of the model's own"
            ),
        ],
        responses=shapes.PredictionListSerializer,
    )
    def get(self, request: Request, reference: str, number: str) -> Response:
        """Get a model's predictions for samples of a version, as far as they are scored; `../embeddings` counts the
        samples without scores, and computes them."""
        dataset = find_dataset(reference)
        version = find_dataset_version(dataset, number)
        query = request.query_params.dict()
        model = resolve(query.get("model", ""), field="model")
        ScoredPredictions().check(Predicted(query.get("model", ""), None, ()), dataset, field="model")
        threshold = probability("threshold", query["threshold"]) if "threshold" in query else None
        said = list(said_of(version, model, sample_ids(query.get("ids")) or (), threshold))
        return Response({"results": said, "version": version.number, "model": f"{model.model.name}@{model.number}"})


class MiningJobs(APIView):
    @extend_schema(
        operation_id="mining_jobs_list",
        parameters=[
            several("state", Job.State.values, "states of the jobs, separated by commas"),
            NAMED,
            PROJECT,
            *PAGE,
        ],
        responses=shapes.MiningJobListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List mining jobs, newest first."""
        rows = listed(_mining_rows(), "dataset__project", request.query_params)
        if states := chosen(request.query_params, "state", Job.State.values):
            rows = rows.filter(job__state__in=states)
        rows = named(request, rows, "dataset__name", "model_version__model__name", "strategy", "queue__name")
        return Response(paged(request, rows, documents.mining_documents))

    @extend_schema(
        operation_id="mining_jobs_create",
        request=shapes.NewMiningJobSerializer,
        responses={202: shapes.MiningJobSerializer},
    )
    def post(self, request: Request) -> Response:
        """Score the pool of a version with a model and pick the most informative samples. Without a model, pick by the
        ImageNet features of EfficientNet-Lite0: the first labels, for strategies that compare images alone."""
        body = validated(shapes.NewMiningJobSerializer, request)
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"])
        chosen = body["strategy"]
        names = ("control", "seed", "filter", "compose", "committee", "like", "unlike")
        spec = services.MiningSpec(
            chosen["name"],
            body["count"],
            chosen["params"],
            **{name: body[name] for name in names},
            needs=Needs.of(body["needs"]),
        )
        model = resolve(body["model"], field="model") if body["model"] else None
        made = services.start_mining(version, model, spec, author=caller(request))
        wake(made.job)
        return Response(documents.mining_document(made), status=202)


def _mining_rows() -> Any:
    return MiningJob.objects.select_related("dataset", "version", "model_version__model", "job", "queue")


def _mining_job(pk: int) -> MiningJob:
    def unknown() -> NotFound:
        return NotFound(f"There is no mining job {pk}.", code="mining_job_unknown")

    found: MiningJob | None = _mining_rows().filter(pk=pk).first()
    if found is None:
        raise unknown()
    check(found.dataset.project_id, unknown)
    return found


class MiningJobDetail(APIView):
    @extend_schema(operation_id="mining_jobs_get", responses=shapes.MiningJobDetailSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Get a mining job, with what its committed answers say of the model and the strategy."""
        job = _mining_job(pk)
        return Response(documents.mining_document(job) | {"estimate": estimate(job)})


class MiningPicks(APIView):
    @extend_schema(operation_id="mining_picks_list", parameters=PAGE, responses=shapes.PickListSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """List the picks by rank, with reasons."""
        job = _mining_job(pk)
        picks = job.picks.select_related("sample")
        return Response(paged(request, picks, partial(documents.pick_documents, job), key="rank", descending=False))


class MiningPick(APIView):
    @extend_schema(operation_id="mining_picks_get", responses=shapes.PickSerializer)
    def get(self, request: Request, pk: int, rank: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Get one pick, with its explanation."""
        job = _mining_job(pk)
        found = job.picks.select_related("sample").filter(rank=rank).first()
        if found is None:
            raise NotFound(f"Mining job {pk} has no pick {rank}.", code="pick_unknown")
        return Response(documents.pick_documents(job, [found])[0])


class MiningHistogram(APIView):
    @extend_schema(operation_id="mining_histogram", responses={200: shapes.HistogramSerializer, 409: None})
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Get the distribution of the score over the candidates, and where the picks were cut; while scoring goes on,
        of the margins scored so far."""
        job = _mining_job(pk)
        histogram = job.stats.get("histogram")
        if histogram is not None:
            return Response({"score": job.strategy, "live": False, "picked": picked_scores(job)} | histogram)
        if not job.job.is_open or (live := live_histogram(job)) is None:
            raise Conflict("This job has no score histogram (yet).", code="histogram_missing")
        return Response(live | {"picked": []})


class MiningQuarantine(APIView):
    @extend_schema(
        operation_id="mining_quarantine_list",
        parameters=PAGE,
        responses=shapes.QuarantineListSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        """List images that could not be scored, and why, in the order of the shards."""
        job = _mining_job(pk)
        limit = integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT)
        cursor = request.query_params.get("cursor")
        shard, item = decode(cursor, path=request.path) if cursor else (0, 0)
        found = list(islice(quarantined(job, shard=shard, item=item), limit + 1))
        following = None
        if len(found) > limit:
            following = next_url(request, cursor=encode(found[limit - 1][0], path=request.path))
        page = [row for _, row in found[:limit]]
        return Response({"results": documents.quarantine_documents(job, page), "next": following})


class QueuePicks(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(
        operation_id="mining_jobs_queue",
        request=shapes.QueuePicksSerializer,
        responses={201: shapes.QueueLinkSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Queue the picks for annotators: all of them, or those within `max_rank` and `min_score`; the control arm is
        never cut. The first call decides: later calls with the same terms return the same queue, others get 409
        `queue_exists`."""
        body, job = validated(shapes.QueuePicksSerializer, request), _mining_job(pk)
        name, cut = body.get("queue", f"mining-{pk}"), Cutoff(body["max_rank"], body["min_score"])
        terms: dict[str, Any] = {"name": name, "cut": cut} | {key: body[key] for key in ("answers_per_task", "mode")}
        queue = services.queue_picks(job, author=caller(request), **terms)
        services.check_queued(job, queue, **terms)
        return Response({"queue": queue.name, "url": f"/labeling/queues/{queue.pk}"}, status=201)
