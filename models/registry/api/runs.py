"""`/runs`: start trainings, and manage them while they run and afterwards."""

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right, listed
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.errors import Invalid, NotFound
from core.forms import validated
from core.pagination import NAMED, PAGE, PROJECT, each, integer, named, paged
from core.parameters import SINCE, whole_number
from jobs import services as jobs
from jobs.api import JobDetail
from jobs.needs import Needs
from jobs.tasks import wake
from registry import documents, launches, runs, services
from registry import serializers as shapes
from registry.api.downloads import DOWNLOAD, download
from registry.forecasting import Question
from registry.models import Run, Snapshot
from registry.recommending import learner_for
from registry.trunks import asked_encoders
from training.launchers import LAUNCHERS, MOST_HOURS, MOST_NODES


class Runs(APIView):
    @extend_schema(
        operation_id="runs_list",
        parameters=[OpenApiParameter("model"), NAMED, PROJECT, *PAGE],
        responses=shapes.RunListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List runs, the newest first."""
        rows = Run.objects.select_related("model", "dataset", "version", "parent__model", "job")
        rows = listed(rows, "model__project", request.query_params)
        if model := request.query_params.get("model"):
            rows = rows.filter(model=services.find_model(model))
        rows = named(request, rows, "model__name", "dataset__name", "architecture", "notes", "job__state")
        return Response(paged(request, rows, documents.run_documents))

    @extend_schema(operation_id="runs_create", request=shapes.NewRunSerializer, responses={202: shapes.RunSerializer})
    def post(self, request: Request) -> Response:
        """Train, prove and register a model version."""
        body = validated(shapes.NewRunSerializer, request)
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"])
        architecture, config = learner_for(version.dataset, body.get("architecture"), body["config"])
        parent = services.resolve(body["parent"], field="parent") if body["parent"] else None
        needed = Needs.of(body["needs"])
        spec = services.RunSpec(architecture, config, seed=body["seed"], parent=parent, needs=needed)
        run = services.start_run(services.find_model(body["model"]), version, spec, author=caller(request))
        wake(run.job)
        return Response(documents.run_document(run), status=202)


class RunForecast(APIView):
    rights = needs(POST=Right.READ)

    @extend_schema(
        operation_id="runs_forecast",
        request=shapes.NewTrainingForecastSerializer,
        responses=shapes.TrainingForecastSerializer,
    )
    def post(self, request: Request) -> Response:
        """Forecast how long a training takes on this platform, with the settings that it would have; starts
        nothing."""
        body = validated(shapes.NewTrainingForecastSerializer, request)
        version = find_dataset_version(find_dataset(body["dataset"]), body["version"])
        services.check_trainable(version.dataset)
        architecture, config = learner_for(version.dataset, body.get("architecture"), body["config"])
        spec = services.RunSpec(architecture, config, needs=Needs.of(body["needs"]))
        services.check_spec(spec, task=version.dataset.task)
        asked_encoders(architecture, config.get("params", {}), version.dataset.project_id)
        with services.naming_config():
            return Response(documents.forecast_document(Question(version, architecture, config, spec.needs)))


class RunDetail(APIView):
    @extend_schema(operation_id="runs_get", responses=shapes.RunSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.run_document(runs.find_run(pk)))

    @extend_schema(operation_id="runs_change", request=shapes.NotesSerializer, responses=shapes.RunSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Set the notes of a run."""
        run = runs.find_run(pk)
        services.change_notes(run, validated(shapes.NotesSerializer, request)["notes"])
        return Response(documents.run_document(run))


class RunMetrics(APIView):
    @extend_schema(operation_id="runs_metrics", parameters=[SINCE], responses=shapes.RunMetricsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """The points of the run's curves after `since`."""
        live = JobDetail().get(request, runs.find_run(pk).job_id).data
        return Response({"points": live["points"], "next": live["next"]})


class RunCancel(APIView):
    frees_space = True

    @extend_schema(operation_id="runs_cancel", request=None, responses={202: shapes.RunSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Stop a training."""
        jobs.cancel(runs.find_run(pk).job_id)
        return Response(documents.run_document(runs.find_run(pk)), status=202)


class RunResume(APIView):
    @extend_schema(operation_id="runs_resume", request=None, responses={202: shapes.RunSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Resume a training that failed or was cancelled, from its newest recovery snapshot; 409 for any other."""
        wake(runs.resume_run(runs.find_run(pk)))
        return Response(documents.run_document(runs.find_run(pk)), status=202)


class RunLaunch(APIView):
    @extend_schema(
        operation_id="runs_launch",
        parameters=[
            OpenApiParameter("launcher", enum=LAUNCHERS, required=True),
            whole_number(
                "nodes", 1, MOST_NODES, default=1, description="number of nodes that share its processes and needs"
            ),
            whole_number("least_nodes", 1, MOST_NODES, description="fewest nodes that it goes on with; all by default"),
            OpenApiParameter("image", description="container image that Kubernetes runs"),
            OpenApiParameter("queue", description="Kueue's LocalQueue, or Slurm's partition"),
            whole_number("hours", 1, MOST_HOURS, default=24, description="hours that Slurm gives the training"),
        ],
        responses={200: shapes.LaunchSerializer, 409: None, 422: None},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Get the text that starts nodes for this run alone: a JobSet for `kubectl apply` or a script for `sbatch`. 409
        when there is nothing left to train; 422 for a run that needs nothing, which the next free worker takes."""
        run, told = runs.find_run(pk), request.query_params
        launcher = told.get("launcher", "")
        if launcher not in LAUNCHERS:
            raise Invalid.field("launcher", f"must be one of {', '.join(LAUNCHERS)}")
        most = integer(request, "nodes", default=1, low=1, high=MOST_NODES)
        least = integer(request, "least_nodes", default=most, low=1, high=MOST_NODES)
        hours = integer(request, "hours", default=24, low=1, high=MOST_HOURS)
        choices = launches.Choices(least, most, told.get("image", "motherlode"), told.get("queue", ""), hours)
        return Response({"launcher": launcher, "text": launches.launch_text(run, launcher, choices)})


class RunRegister(APIView):
    @extend_schema(operation_id="runs_register", request=None, responses={202: shapes.RunSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Export, prove and register the model that a trial of a sweep trained; 409 for a run that does so itself."""
        wake(runs.prove_run(runs.find_run(pk)).job)
        return Response(documents.run_document(runs.find_run(pk)), status=202)


class RunClone(APIView):
    @extend_schema(operation_id="runs_clone", request=shapes.CloneRunSerializer, responses={202: shapes.RunSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Train again with the inputs of this run, except for those in the body.

        `config` is merged key by key; null removes a key. Another `dataset` is used at its head, and another
        `architecture` with its own params, unless the body sets them."""
        changes = validated(shapes.CloneRunSerializer, request)
        run = runs.clone_run(runs.find_run(pk), changes, author=caller(request))
        wake(run.job)
        return Response(documents.run_document(run), status=202)


class RunSnapshots(APIView):
    @extend_schema(
        operation_id="snapshots_list",
        parameters=PAGE,
        responses=shapes.SnapshotListSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        """List the checkpoints that were kept while the run trained, the newest first."""
        rows = runs.find_run(pk).snapshots.select_related("blob")
        return Response(paged(request, rows, each(documents.snapshot_document)))


class SnapshotDownload(APIView):
    @extend_schema(
        operation_id="snapshots_get",
        parameters=[OpenApiParameter("kind", enum=Snapshot.Kind.values)],
        responses=DOWNLOAD,
    )
    def get(self, request: Request, pk: int, step: int) -> HttpResponseBase:
        """Download the safetensors file kept at a step; of two, the `best` one unless `kind` names the other."""
        kind = request.query_params.get("kind")
        if kind is not None and kind not in Snapshot.Kind.values:
            raise Invalid.field("kind", f"must be one of {', '.join(Snapshot.Kind.values)}")
        run = runs.find_run(pk)
        rows = run.snapshots.filter(step=step, **({"kind": kind} if kind else {})).select_related("blob")
        found = rows.order_by("kind").first()
        if found is None:
            have = ", ".join(str(one) for one in run.snapshots.order_by("step").values_list("step", flat=True))
            raise NotFound(f"{run} kept no such snapshot at step {step}: it has {have or 'none'}.",
                           code="snapshot_unknown")  # fmt: skip
        return download(request, found.blob, f"run-{pk}-{found.kind}-{step}.safetensors")
