"""`/labeling`: queues, and their tasks under leases."""

from math import ceil

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.serializers import CommitSerializer
from core.errors import Invalid
from core.forms import validated
from core.pagination import paged
from labeling import documents, services
from labeling import serializers as shapes
from labeling.models import Queue


class Queues(APIView):
    @extend_schema(
        operation_id="queues_list",
        parameters=[OpenApiParameter("dataset"), OpenApiParameter("state"), OpenApiParameter("cursor")],
        responses=shapes.QueueListSerializer,
    )
    def get(self, request: Request) -> Response:
        """The newest first; `state` takes several, parted by commas."""
        rows = Queue.objects.select_related("dataset", "committed_version")
        if dataset := request.query_params.get("dataset"):
            rows = rows.filter(dataset__name=dataset)
        if state := request.query_params.get("state"):
            wanted = state.split(",")
            if unknown := set(wanted) - set(Queue.State.values):
                raise Invalid.field("state", f"{sorted(unknown)} unknown: use {', '.join(Queue.State.values)}")
            rows = rows.filter(state__in=wanted)
        page = paged(request, rows, lambda queue: queue)
        return Response(page | {"results": documents.queue_documents(page["results"], caller(request))})


class QueueDetail(APIView):
    @extend_schema(operation_id="queues_get", responses=shapes.QueueSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """One queue, by id or name."""
        return Response(documents.queue_documents([services.find_queue(reference)], caller(request))[0])


class QueueNext(APIView):
    @extend_schema(
        operation_id="queues_next",
        request=shapes.NextSerializer,
        responses={
            200: shapes.LeasedTasksSerializer,
            204: OpenApiResponse(description="Nothing for you now; X-Queue-Leased others hold tasks, and the first of "
                                             "those comes free in X-Queue-Next-Frees seconds."),
        },
    )  # fmt: skip
    def post(self, request: Request, reference: str) -> Response:
        """Lease tasks: first those you hold already, then the next free ones in order."""
        wanted = validated(shapes.NextSerializer, request)["count"]
        queue = services.find_queue(reference)
        if tasks := services.next_tasks(queue, caller(request), count=wanted):
            return Response({"tasks": documents.task_documents(tasks, queue.dataset)})
        response = Response(status=204)
        if others := services.held_by_others(queue, caller(request)):
            response["X-Queue-Leased"] = str(others.count)
            response["X-Queue-Next-Frees"] = str(ceil(others.next_frees))
        return response


class QueueCommit(APIView):
    @extend_schema(
        operation_id="queues_commit",
        request=shapes.QueueCommitSerializer,
        responses={201: CommitSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Make the labels a new version of the dataset; asked again, the same version is the answer."""
        wanted = validated(shapes.QueueCommitSerializer, request)
        result = services.commit_queue(services.find_queue(reference), author=caller(request), **wanted)
        return Response(result.document(), status=201)


class TaskAnswer(APIView):
    @extend_schema(operation_id="tasks_answer", request=shapes.AnswerSerializer, responses=shapes.ReceiptSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Answer a task you hold. 409 `lease_lost`: somebody else has it; the answer is kept as a further opinion."""
        said = services.answer(services.find_task(pk), caller(request), **validated(shapes.AnswerSerializer, request))
        return Response(documents.said_document(said))


class TaskSkip(APIView):
    @extend_schema(operation_id="tasks_skip", request=shapes.SkipSerializer, responses=shapes.ReceiptSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Say that you can't label a task you hold."""
        said = services.skip(services.find_task(pk), caller(request), **validated(shapes.SkipSerializer, request))
        return Response(documents.said_document(said))


class TaskUndo(APIView):
    @extend_schema(operation_id="tasks_undo", request=None, responses=shapes.LabelingTaskSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take back your answer or skip; the task is leased to you again."""
        task = services.undo(services.find_task(pk), caller(request))
        return Response(documents.task_documents([task], task.queue.dataset)[0])


class TaskRenew(APIView):
    @extend_schema(operation_id="tasks_renew", request=shapes.RenewSerializer, responses=shapes.LeaseSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Keep a task you hold."""
        wanted = validated(shapes.RenewSerializer, request)
        return Response(documents.lease_document(services.renew(services.find_task(pk), caller(request), **wanted)))
