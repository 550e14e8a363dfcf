"""`/labeling`: what annotators, and programs that stand in for them, call."""

from catalog.serializers import CommitSerializer
from django.db.models.functions import Now
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.forms import validated
from core.pagination import paged
from labeling import documents, services
from labeling import serializers as shapes
from labeling.models import Queue, Task


class Queues(APIView):
    @extend_schema(
        operation_id="queues_list", parameters=[OpenApiParameter("cursor")], responses=shapes.QueueListSerializer
    )
    def get(self, request: Request) -> Response:
        """The newest first."""
        rows = Queue.objects.select_related("dataset", "committed_version")
        return Response(paged(request, rows, lambda queue: documents.queue_document(queue, request.user)))


class QueueDetail(APIView):
    @extend_schema(operation_id="queues_get", responses=shapes.QueueSerializer)
    def get(self, request: Request, queue: str) -> Response:
        return Response(documents.queue_document(services.find_queue(queue), request.user))


class QueueNext(APIView):
    @extend_schema(
        operation_id="queues_next",
        request=shapes.NextSerializer,
        responses={200: shapes.TaskListSerializer, 204: None},
    )
    def post(self, request: Request, queue: str) -> Response:
        """Lease tasks. 204 when there are none: the headers tell how many others hold and when the next is free."""
        body = validated(shapes.NextSerializer, request)
        found = services.find_queue(queue)
        tasks = services.next_tasks(found, request.user, count=body["count"])
        if tasks:
            return Response({"tasks": documents.task_documents(tasks, found)})
        held = found.tasks.filter(state=Task.State.LEASED, lease_until__gte=Now())
        headers = {"X-Queue-Leased": str(held.count())}
        first = held.order_by("lease_until").values_list("lease_until", flat=True).first()
        if first is not None:
            headers["X-Queue-Next-Frees"] = str(max(0, round((first - timezone.now()).total_seconds())))
        return Response(status=204, headers=headers)


class QueueCommit(APIView):
    @extend_schema(
        operation_id="queues_commit", request=shapes.CommitQueueSerializer, responses={201: CommitSerializer}
    )
    def post(self, request: Request, queue: str) -> Response:
        """Make the answers a dataset version."""
        body = validated(shapes.CommitQueueSerializer, request)
        found = services.find_queue(queue)
        message = body["message"] or f"Labels of {found.name}"
        result = services.commit_queue(found, message=message, author=request.user, partial=body["partial"])
        return Response(result.document(), status=201)


class TaskAnswer(APIView):
    @extend_schema(
        operation_id="tasks_answer", request=shapes.NewAnswerSerializer, responses=shapes.AnswerOutcomeSerializer
    )
    def post(self, request: Request, pk: int) -> Response:
        """Say what the sample is; 409 `lease_lost` keeps it as a further opinion."""
        body = validated(shapes.NewAnswerSerializer, request)
        task = services.find_task(pk)
        return Response(documents.answer_document(services.answer(task, request.user, **body), task))


class TaskSkip(APIView):
    @extend_schema(
        operation_id="tasks_skip", request=shapes.NewSkipSerializer, responses=shapes.AnswerOutcomeSerializer
    )
    def post(self, request: Request, pk: int) -> Response:
        """Pass on a task."""
        body = validated(shapes.NewSkipSerializer, request)
        task = services.find_task(pk)
        return Response(documents.answer_document(services.skip(task, request.user, **body), task))


class TaskUndo(APIView):
    @extend_schema(operation_id="tasks_undo", request=None, responses=shapes.TaskSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take back my last answer or skip; the task is leased to me again."""
        task = services.undo(services.find_task(pk), request.user)
        return Response(documents.task_documents([task], task.queue)[0])


class TaskRenew(APIView):
    @extend_schema(operation_id="tasks_renew", request=None, responses=shapes.LeaseSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Keep my lease."""
        task = services.renew(services.find_task(pk), request.user)
        return Response({"lease_until": task.lease_until, "lease_token": task.token})
