"""`/jobs`: what runs, how far it is, and a way to stop it."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import Invalid, NotFound
from core.pagination import integer, paged
from jobs import services
from jobs.models import Job, JobEvent

EVENTS_PER_ANSWER = 2000


class ProgressSerializer(serializers.Serializer[None]):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    eta = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()


class JobSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    progress = ProgressSerializer()
    result = serializers.DictField(allow_null=True)
    error = serializers.DictField(allow_null=True)
    created = serializers.DateTimeField()
    started = serializers.DateTimeField(allow_null=True)
    finished = serializers.DateTimeField(allow_null=True)
    url = serializers.CharField()


class PointSerializer(serializers.Serializer[None]):
    seq = serializers.IntegerField()
    step = serializers.IntegerField()
    values = serializers.DictField(child=serializers.FloatField())


class LogLineSerializer(serializers.Serializer[None]):
    seq = serializers.IntegerField()
    time = serializers.DateTimeField()
    level = serializers.CharField()
    message = serializers.CharField()


class LiveJobSerializer(JobSerializer):
    points = PointSerializer(many=True)
    log = LogLineSerializer(many=True)
    next = serializers.IntegerField()


class JobListSerializer(serializers.Serializer[None]):
    results = JobSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class JobLinkSerializer(serializers.Serializer[None]):
    """The answer to long work: where to watch it."""

    job = JobSerializer()


def job_document(job: Job) -> dict[str, Any]:
    """A job as the API shows it."""
    fields = ("id", "kind", "title", "state", "result", "error", "created", "started", "finished")
    return {name: getattr(job, name) for name in fields} | {
        "progress": services.progress(job),
        "url": f"/jobs/{job.pk}",
    }


def _job(pk: int) -> Job:
    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise NotFound(f"There is no job {pk}.")
    return job


class Jobs(APIView):
    @extend_schema(
        operation_id="jobs_list",
        parameters=[OpenApiParameter("state"), OpenApiParameter("kind"), OpenApiParameter("cursor")],
        responses=JobListSerializer,
    )
    def get(self, request: Request) -> Response:
        """The newest first."""
        rows = Job.objects.all()
        if state := request.query_params.get("state"):
            wanted = state.split(",")
            if unknown := set(wanted) - set(Job.State.values):
                raise Invalid.field("state", f"{sorted(unknown)} unknown: use {', '.join(Job.State.values)}")
            rows = rows.filter(state__in=wanted)
        if kind := request.query_params.get("kind"):
            rows = rows.filter(kind=kind)
        return Response(paged(request, rows, job_document))


class JobDetail(APIView):
    @extend_schema(operation_id="jobs_get", parameters=[OpenApiParameter("since", int)], responses=LiveJobSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """State and progress, with the points and log lines after `since`; poll with the answer's `next`."""
        since = integer(request, "since", default=0, low=0, high=2**62)
        job = _job(pk)
        events = list(job.events.filter(pk__gt=since).order_by("pk")[:EVENTS_PER_ANSWER])
        points = [{"seq": event.pk} | event.data for event in events if event.kind == JobEvent.Kind.POINT]
        lines = [
            {"seq": event.pk, "time": event.time} | event.data for event in events if event.kind == JobEvent.Kind.LOG
        ]
        following = events[-1].pk if events else since
        return Response(job_document(job) | {"points": points, "log": lines, "next": following})


class JobCancel(APIView):
    @extend_schema(operation_id="jobs_cancel", request=None, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Ask a job to stop; what is done stays done."""
        return Response(job_document(services.cancel(_job(pk).pk)), status=202)
