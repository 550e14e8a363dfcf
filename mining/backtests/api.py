"""`/backtests`."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from backtests import documents, services
from backtests import serializers as shapes
from backtests.learners import Learner
from backtests.models import Backtest
from catalog.models import Dataset
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.forms import validated
from core.pagination import NAMED, PAGE, PROJECT, named, paged
from jobs.api import job_document
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.services import listed
from jobs.tasks import wake
from registry.recommending import architecture_for
from registry.services import resolve

SIZE = ("strategies", "seeds", "rounds", "count", "start", "control")


class Backtests(APIView):
    @extend_schema(
        operation_id="backtests_list",
        parameters=[NAMED, *PAGE, PROJECT, ARCHIVED],
        responses=shapes.BacktestListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List back-tests, newest first, without their curves."""
        rows = Backtest.objects.select_related("dataset", "version", "job")
        rows = listed(rows, request.query_params, wants_archived(request))
        rows = named(request, rows, "name", "dataset__name", documents=["strategies", "learner"])
        return Response(paged(request, rows, documents.backtest_rows))

    @extend_schema(
        operation_id="backtests_create",
        request=shapes.NewBacktestSerializer,
        responses={202: shapes.BacktestLinkSerializer},
    )
    def post(self, request: Request) -> Response:
        """Start a back-test: replay strategies on the labels of a version, each with the same seeds, and random for
        comparison."""
        body = validated(shapes.NewBacktestSerializer, request)
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"])
        size = {name: body[name] for name in SIZE}
        spec = services.BacktestSpec(**size, target=body.get("target"), name=body.get("name"))
        made = services.start_backtest(
            version, _learner(body["learner"], version.dataset), spec, author=caller(request)
        )
        wake(made.job)
        return Response({"id": made.pk, "name": str(made), "job": job_document(made.job)}, status=202)


def _learner(told: dict[str, Any], dataset: Dataset) -> Learner:
    if told["kind"] == "probe":
        return Learner(resolve(told["model"], field="learner.model"))
    architecture, config = architecture_for(dataset, told.get("architecture"), told.get("config", {}))
    return Learner(architecture=architecture, config=config)


class BacktestDetail(Deletable):
    kind = "backtest"

    @extend_schema(
        operation_id="backtests_change", request=shapes.BacktestChangeSerializer, responses=shapes.BacktestSerializer
    )
    def patch(self, request: Request, backtest: str) -> Response:
        """Rename a back-test. For engineers and owners."""
        found = services.find_backtest(backtest)
        take_name(request, self.kind, found, validated(shapes.BacktestChangeSerializer, request))
        return Response(documents.backtest_document(services.find_backtest(str(found.pk))))

    @extend_schema(operation_id="backtests_get", responses=shapes.BacktestSerializer)
    def get(self, request: Request, backtest: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get a back-test: curves, labels to the target, tests against random, and the best strategy with the
        reason."""
        return Response(documents.backtest_document(services.find_backtest(backtest)))
