"""`/sweeps`: start, follow and cancel searches over settings, and make versions of their best trials."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.forms import validated
from core.pagination import NAMED, PAGE, PROJECT, each, named, paged
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.services import listed
from jobs.tasks import wake
from registry.recommending import architecture_for
from registry.services import find_model
from sweeps import documents, endings, services
from sweeps import serializers as shapes
from sweeps.models import Sweep
from sweeps.tasks import wake_sweep


def _document(sweep: Sweep) -> dict[str, Any]:
    return documents.sweep_document(services.shown(Sweep.objects.filter(pk=sweep.pk)).get())


class Sweeps(APIView):
    @extend_schema(
        operation_id="sweeps_list",
        parameters=[OpenApiParameter("model"), NAMED, *PAGE, PROJECT, ARCHIVED],
        responses=shapes.SweepListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List sweeps, the newest first."""
        rows = services.shown(Sweep.objects.all())
        if model := request.query_params.get("model"):
            rows = rows.filter(model=find_model(model))
        rows = listed(rows, request.query_params, wants_archived(request))
        rows = named(request, rows, "name", "model__name", "dataset__name", documents=["space"])
        return Response(paged(request, rows, each(documents.sweep_row)))

    @extend_schema(
        operation_id="sweeps_create", request=shapes.NewSweepSerializer, responses={202: shapes.SweepSerializer}
    )
    def post(self, request: Request) -> Response:
        """Start a search over settings: each trial is a run that trains and is judged on split val, without a proof."""
        body = validated(shapes.NewSweepSerializer, request)
        version = find_dataset_version(find_dataset(body.pop("dataset")), body.pop("version"))
        model = find_model(body.pop("model"))
        body["architecture"], body["config"] = architecture_for(
            version.dataset, body.get("architecture"), body["config"]
        )
        made = services.start_sweep(model, version, services.SweepSpec(**body), author=caller(request))
        wake_sweep(made.pk)
        return Response(_document(made), status=202)


class SweepDetail(Deletable):
    kind = "sweep"

    @extend_schema(operation_id="sweeps_get", responses=shapes.SweepSerializer)
    def get(self, request: Request, sweep: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return a sweep: what it searches, how far it is, its best trial, and which settings matter."""
        return Response(_document(services.find_sweep(sweep)))

    @extend_schema(operation_id="sweeps_change", request=shapes.SweepChangeSerializer, responses=shapes.SweepSerializer)
    def patch(self, request: Request, sweep: str) -> Response:
        """Rename a sweep. For engineers and owners."""
        found = services.find_sweep(sweep)
        take_name(request, self.kind, found, validated(shapes.SweepChangeSerializer, request))
        return Response(_document(found))


class SweepCancel(APIView):
    frees_space = True

    @extend_schema(operation_id="sweeps_cancel", request=None, responses={202: shapes.SweepSerializer})
    def post(self, request: Request, sweep: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Cancel a sweep: stop its running trials and start no others; complete trials stay. 409 for a sweep that has
        ended."""
        found = services.find_sweep(sweep)
        endings.cancel(found)
        return Response(_document(found), status=202)


class Trials(APIView):
    @extend_schema(operation_id="sweeps_trials", parameters=PAGE, responses=shapes.TrialListSerializer)
    def get(self, request: Request, sweep: str) -> Response:
        """List the trials of a sweep, the newest first."""
        rows = services.find_sweep(sweep).trials.select_related(*services.OF_TRIALS)
        return Response(paged(request, rows, each(documents.trial_document)))


class SweepRegister(APIView):
    @extend_schema(
        operation_id="sweeps_register",
        request=shapes.BestTrialsSerializer,
        responses={202: shapes.ProvedTrialsSerializer},
    )
    def post(self, request: Request, sweep: str) -> Response:
        """Export, prove and register the best trials: each becomes a version of the model, as after any training.
        Trials that already are, or are becoming, versions stay as they are."""
        found = services.find_sweep(sweep)
        trials, started = services.prove_best(found, validated(shapes.BestTrialsSerializer, request)["best"])
        for run in started:
            wake(run.job)
        return Response(
            {"trials": [documents.trial_document(trial) for trial in trials], "started": [run.pk for run in started]},
            status=202,
        )
