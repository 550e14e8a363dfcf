"""`/jobs`, quotas and `/workers`: list jobs, follow their progress, cancel and retry them."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db.models import Q
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import needs
from accounts.projects import find_project
from accounts.rights import Right, check, count_no_request, listed
from core.errors import NotFound
from core.forms import ChangeSerializer, validated
from core.pagination import PAGE, PROJECT, SEARCHED, each, integer, paged, search
from core.parameters import MOST_SINCE, SINCE, chosen, several
from core.references import MAX_ID_DIGITS, as_number
from jobs import quotas, request_quotas, services
from jobs.documents import PRIORITIES, job_documents, shard_document
from jobs.documents import job_document as job_document  # other apps know it from here
from jobs.fleet import versions
from jobs.models import Job, JobEvent, Shard
from jobs.needs import ARCHITECTURES
from jobs.quarantine import quarantined
from jobs.tasks import wake
from jobs.workers import machines, queues

EVENTS_PER_ANSWER = 2000
MOST_BYTES, MOST_CORES, MOST_GPUS = 1 << 50, 4096, 64
SHARE = "the project's share of the slots, in proportion to the shares of other projects that wait"
SLOTS = "most slots that the project may use at once in each queue; null: no limit"
STORAGE = "most bytes that the project may hold in the object store; null: no limit"
REQUESTS = "most API requests a minute about anything in the project; null: no limit"
MOST_STORED, MOST_REQUESTS = 1 << 60, 10_000_000


class NeedsSerializer(serializers.Serializer[Any]):
    """What the work needs of its machine: it waits for a worker that has that much. A field left out is no
    requirement."""

    gpus = serializers.IntegerField(
        required=False, min_value=0, max_value=1, help_text="number of GPUs reserved while the work runs: 0 or 1"
    )
    gpu_memory_bytes = serializers.IntegerField(required=False, min_value=0, max_value=MOST_BYTES)
    memory_bytes = serializers.IntegerField(required=False, min_value=0, max_value=MOST_BYTES)
    cores = serializers.IntegerField(required=False, min_value=0, max_value=MOST_CORES)
    architecture = serializers.ChoiceField(
        choices=ARCHITECTURES, required=False, allow_null=True, help_text="architecture of the processor; null for any"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("gpu_memory_bytes") and attrs.get("gpus") == 0:
            raise serializers.ValidationError({"gpus": "must be 1 or more where gpu_memory_bytes is given"})
        return attrs


class TrainingNeedsSerializer(NeedsSerializer):
    gpus = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_GPUS,
        help_text="number of GPUs reserved while the run trains, as many as recipe.processes",
    )


class ProgressSerializer(serializers.Serializer[None]):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    rate = serializers.FloatField(allow_null=True)
    eta = serializers.FloatField(allow_null=True)
    unit = serializers.CharField()


class JobAheadSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField(allow_null=True, help_text="null for a job of a project that you may not see")
    title = serializers.CharField()


class WaitingSerializer(serializers.Serializer[None]):
    """Where a job stands that waits for a worker."""

    place = serializers.IntegerField(help_text="place among the jobs that wait for the same workers: 1 is next")
    ahead = JobAheadSerializer(many=True, help_text="the jobs right before it, 5 at most")
    starts_in = serializers.FloatField(
        allow_null=True, help_text="seconds until it starts, as measured paces forecast; null if unknown"
    )
    note = serializers.CharField(allow_null=True, help_text="reason why it is unknown when it starts")


class JobSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    project = serializers.CharField(
        allow_null=True, help_text="name of the project; null for work of the platform itself"
    )
    priority = serializers.ChoiceField(choices=sorted(PRIORITIES), help_text="priority among the jobs of its project")
    progress = ProgressSerializer()
    result = serializers.DictField(allow_null=True)
    error = serializers.DictField(allow_null=True)
    created = serializers.DateTimeField()
    started = serializers.DateTimeField(allow_null=True)
    finished = serializers.DateTimeField(allow_null=True)
    missing = serializers.CharField(
        allow_null=True, help_text="reason why no running worker can take it; null if one can"
    )
    waiting = WaitingSerializer(allow_null=True, help_text="null unless it waits for a worker")
    failed_shards = serializers.IntegerField()
    retriable = serializers.BooleanField(help_text="whether POST /jobs/{id}/retry can run its failed shards again")
    url = serializers.CharField()
    href = serializers.CharField(help_text="path of its page in the web application, below /app: `/runs/3`")


class JobChangeSerializer(serializers.Serializer[None]):
    priority = serializers.ChoiceField(choices=sorted(PRIORITIES))


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
    kinds = serializers.ListField(child=serializers.CharField(), help_text="values that the parameter `kind` takes")
    next = serializers.CharField(allow_null=True)


class JobLinkSerializer(serializers.Serializer[None]):
    """The answer to a request that starts long work: the job to follow."""

    job = JobSerializer()


class ShardSerializer(serializers.Serializer[None]):
    index = serializers.IntegerField()
    phase = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Shard.State.choices)
    attempts = serializers.IntegerField()
    owner = serializers.CharField(help_text="host:pid of the process that held the shard last")
    needs = NeedsSerializer(allow_null=True)
    gpus = serializers.ListField(
        child=serializers.CharField(), help_text="UUIDs of the GPUs that the shard was given last"
    )
    units = serializers.IntegerField()
    units_done = serializers.IntegerField()
    error = serializers.CharField(help_text="error that the last attempt ended with")
    started = serializers.DateTimeField(allow_null=True)
    finished = serializers.DateTimeField(allow_null=True)


class SizeSerializer(serializers.Serializer[None]):
    total = serializers.IntegerField()
    used = serializers.IntegerField()


class EccErrorsSerializer(serializers.Serializer[None]):
    corrected = serializers.IntegerField()
    uncorrected = serializers.IntegerField(
        help_text="uncorrected errors; above 0, results may be wrong: have the GPU checked"
    )


class GpuSerializer(serializers.Serializer[None]):
    device = serializers.CharField(help_text="UUID of the GPU")
    name = serializers.CharField()
    utilisation = serializers.FloatField(
        allow_null=True, help_text="utilisation in percent; null for a GPU split into parts (MIG)"
    )
    memory = SizeSerializer()
    temperature = serializers.IntegerField(
        allow_null=True, help_text="degrees Celsius; null if the GPU does not report it"
    )
    ecc_errors = EccErrorsSerializer(
        allow_null=True, help_text="memory errors since the GPU was made; null if its memory has no ECC"
    )


class BusySerializer(serializers.Serializer[None]):
    job = serializers.IntegerField()
    shard = serializers.IntegerField()
    title = serializers.CharField()


class WorkerSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    pid = serializers.IntegerField()
    queues = serializers.ListField(child=serializers.CharField())
    busy_with = BusySerializer(allow_null=True)
    rss = serializers.IntegerField(
        allow_null=True, help_text="bytes of memory in use, including programs that it started"
    )
    since = serializers.DateTimeField(allow_null=True)


class MachineSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    seen = serializers.DateTimeField()
    cores = serializers.IntegerField()
    cpu_percent = serializers.FloatField(help_text="CPU use over all cores, 0 to 100")
    load = serializers.FloatField(help_text="load average of the last minute")
    memory = SizeSerializer()
    disk = SizeSerializer()
    gpus = GpuSerializer(many=True)
    gpus_note = serializers.CharField(allow_null=True, help_text="reason why no GPUs are listed")
    workers = WorkerSerializer(many=True)


class QueueDepthSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    waiting = serializers.IntegerField(allow_null=True, help_text="messages in the broker; null if unknown")
    shards_waiting = serializers.IntegerField(help_text="shards that could be worked on now")
    running = serializers.IntegerField(help_text="shards that are worked on")


class QuarantinedImageSerializer(serializers.Serializer[None]):
    sample = serializers.CharField(allow_null=True, help_text="the key of a sample that has or had these bytes")
    dataset = serializers.CharField(allow_null=True)
    digest = serializers.CharField()
    reason = serializers.CharField()
    code = serializers.CharField()
    job = serializers.IntegerField(help_text="id of the newest job that met the image")


class QuarantineSummarySerializer(serializers.Serializer[None]):
    images = serializers.IntegerField()
    results = QuarantinedImageSerializer(many=True, help_text="newest 100 images")


class QuotaSerializer(serializers.Serializer[None]):
    project = serializers.CharField()
    share = serializers.IntegerField(help_text=SHARE)
    slots = serializers.IntegerField(allow_null=True, help_text=SLOTS)
    running = serializers.IntegerField(help_text="shards that hold a slot")
    waiting = serializers.IntegerField(help_text="jobs with a shard that could be worked on now")
    seconds = serializers.FloatField(
        help_text="slot time in seconds that counts against its share, halved every 15 minutes"
    )
    storage = serializers.IntegerField(allow_null=True, help_text=STORAGE)
    held = serializers.IntegerField(
        allow_null=True, help_text="approximate bytes that it stores; null if not counted yet"
    )
    counted = serializers.DateTimeField(allow_null=True, help_text="time when the stored bytes were last counted")
    requests = serializers.IntegerField(allow_null=True, help_text=REQUESTS)
    requested = serializers.IntegerField(
        allow_null=True,
        help_text="requests of the current minute; null if they are not counted or the count is unknown",
    )


class QuotaChangeSerializer(ChangeSerializer):
    share = serializers.IntegerField(min_value=1, max_value=1000, required=False, help_text=SHARE)
    slots = serializers.IntegerField(min_value=1, max_value=10_000, required=False, allow_null=True, help_text=SLOTS)
    storage = serializers.IntegerField(
        min_value=1, max_value=MOST_STORED, required=False, allow_null=True, help_text=STORAGE
    )
    requests = serializers.IntegerField(
        min_value=1, max_value=MOST_REQUESTS, required=False, allow_null=True, help_text=REQUESTS
    )


class RunningVersionSerializer(serializers.Serializer[None]):
    version = serializers.CharField(allow_null=True, help_text="null: 0.2.0 or before, which does not say")
    workers = serializers.IntegerField(help_text="workers that run it")
    web = serializers.IntegerField(help_text="processes of web servers that run it; those of 0.2.0 are not known")


class WorkersSerializer(serializers.Serializer[None]):
    machines = MachineSerializer(many=True)
    versions = RunningVersionSerializer(many=True, help_text="versions that workers and web processes run")
    queues = QueueDepthSerializer(many=True)
    projects = QuotaSerializer(many=True, help_text="quotas of the projects that you may read")
    quarantined = QuarantineSummarySerializer()


class ShardListSerializer(serializers.Serializer[None]):
    results = ShardSerializer(many=True)
    next = serializers.CharField(allow_null=True)


def _job(pk: int) -> Job:
    def unknown() -> NotFound:
        return NotFound(f"There is no job {pk}.")

    job = Job.objects.filter(pk=pk).first()
    if job is None:
        raise unknown()
    check(job.project_id, unknown)
    return job


class Jobs(APIView):
    @extend_schema(
        operation_id="jobs_list",
        parameters=[
            several("state", Job.State.values, "one or more, with commas"),
            several("kind", ["[a-z_]+"], "one or more, with commas"),
            OpenApiParameter("q", SEARCHED, description="a part of the kind or the title, or an id"),
            PROJECT,
            *PAGE,
        ],
        responses=JobListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List jobs, the newest first."""
        rows = listed(Job.objects.all(), "project", request.query_params)
        if states := chosen(request.query_params, "state", Job.State.values):
            rows = rows.filter(state__in=states)
        if kinds := chosen(request.query_params, "kind", sorted(settings.JOB_HANDLERS)):
            rows = rows.filter(kind__in=kinds)
        if words := search(request):
            rows = rows.filter(_about(words))
        return Response(paged(request, rows, job_documents) | {"kinds": sorted(settings.JOB_HANDLERS)})


def _about(words: str) -> Q:
    found = Q(title__icontains=words) | Q(kind__icontains=words)
    number = as_number(words.removeprefix("#"), digits=MAX_ID_DIGITS)
    return found if number is None else found | Q(pk=number)


class JobDetail(APIView):
    @extend_schema(operation_id="jobs_get", parameters=[SINCE], responses=LiveJobSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """State and progress, with the points and log lines after `since`; poll with the answer's `next`."""
        since = integer(request, "since", default=0, low=0, high=MOST_SINCE)
        job = _job(pk)
        events = list(job.events.filter(pk__gt=since).order_by("pk")[:EVENTS_PER_ANSWER])
        points = [{"seq": event.pk} | event.data for event in events if event.kind == JobEvent.Kind.POINT]
        lines = [
            {"seq": event.pk, "time": event.time} | event.data for event in events if event.kind == JobEvent.Kind.LOG
        ]
        following = events[-1].pk if events else since
        return Response(job_document(job) | {"points": points, "log": lines, "next": following})

    @extend_schema(operation_id="jobs_change", request=JobChangeSerializer, responses=JobSerializer)
    def patch(self, request: Request, pk: int) -> Response:
        """Set the job's priority among the jobs of its project; it gives no project precedence over another. 409 if the
        job has ended."""
        job, wanted = _job(pk), validated(JobChangeSerializer, request)
        return Response(job_document(services.set_priority(job.pk, PRIORITIES[wanted["priority"]])))


class JobCancel(APIView):
    frees_space = True

    @extend_schema(operation_id="jobs_cancel", request=None, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Ask a job to stop; what is done stays done."""
        return Response(job_document(services.cancel(_job(pk).pk)), status=202)


class JobShards(APIView):
    @extend_schema(
        operation_id="jobs_shards",
        parameters=[
            several("state", Shard.State.values, "one or more, with commas"),
            *PAGE,
        ],
        responses=ShardListSerializer,
    )
    def get(self, request: Request, pk: int) -> Response:
        """List the shards of a job in their order; failed ones name the error."""
        rows = _job(pk).shards.all()
        if states := chosen(request.query_params, "state", Shard.State.values):
            rows = rows.filter(state__in=states)
        return Response(paged(request, rows, each(shard_document), key="index", descending=False))


class JobRetry(APIView):
    @extend_schema(operation_id="jobs_retry", request=None, responses={202: JobSerializer})
    def post(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Run the failed and cancelled shards of a job again; what is done stays done. 409 for a job that is still open
        or has succeeded, and for kinds that can't be retried (see `retriable`): start a new job instead."""
        job = services.retry(_job(pk).pk)
        wake(job)
        return Response(job_document(job), status=202)


class ProjectQuota(APIView):
    rights = needs(GET=Right.READ, PATCH=Right.ADMINISTER)

    @extend_schema(operation_id="projects_quota", responses=QuotaSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return a project's quota of worker slots, storage and requests, and what it uses now."""
        count_no_request()  # a project that used up its requests may still see that
        return Response(quotas.quota_of(find_project(reference)))

    @extend_schema(operation_id="projects_set_quota", request=QuotaChangeSerializer, responses=QuotaSerializer)
    def patch(self, request: Request, reference: str) -> Response:
        """Set a project's share or limit of slots, which applies from the next shard claimed; its storage limit, which
        applies at once; or its request limit, which all web processes apply within 10 seconds. Owners of the platform
        only."""
        project = find_project(reference)
        for job in quotas.set_quota(project, validated(QuotaChangeSerializer, request)):
            wake(job)
        request_quotas.forget()
        return Response(quotas.quota_of(project))


class Workers(APIView):
    @extend_schema(operation_id="workers_get", responses=WorkersSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """List the machines with a worker heartbeat in the last minute, the queues, each project's use of the slots,
        and images that could not be read."""
        count_no_request()  # as above
        running = [asdict(one) | {"version": one.version or None} for one in versions()]
        found = {"machines": machines(), "versions": running, "queues": queues(), "projects": quotas.my_quotas()}
        return Response(found | {"quarantined": quarantined()})
