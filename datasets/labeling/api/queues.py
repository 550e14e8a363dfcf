"""`/labeling/queues`: list, create and change queues, lease and export their tasks, and commit their labels."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from math import ceil
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.serializers.commits import CommitSerializer
from catalog.versions.datasets import find_dataset
from core.errors import Invalid
from core.forms import validated
from core.pagination import NAMED, PAGE, PROJECT, named, paged
from core.parameters import chosen, several
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.guard import addressed
from jobs.lifecycle.services import listed
from labeling import grace, leasing, services
from labeling.assigning import check_assigned, check_lists
from labeling.batches import answer_many
from labeling.creating import add_samples, change_queue, queue_samples
from labeling.documents import queues as documents
from labeling.exporting import exported
from labeling.listing import Wanted, answered_tasks, by_urgency, listed_tasks
from labeling.models import Queue, Task
from labeling.quality.verification import statistics
from labeling.requeueing import requeue
from labeling.serializers import queues as shapes

URGENT = "urgent"


class Queues(APIView):
    rights = needs(GET=Right.SEE, POST=Right.REVIEW)

    @extend_schema(
        operation_id="queues_list",
        parameters=[
            OpenApiParameter("dataset"),
            several("state", Queue.State.values, "states of the queues, separated by commas"),
            NAMED,
            OpenApiParameter("order", enum=[URGENT], description="the most urgent first, in place of the newest"),
            PROJECT,
            ARCHIVED,
            *PAGE,
        ],
        responses=shapes.QueueListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List queues, newest first; `state` takes several values, separated by commas. With `order=urgent`, open ones
        come first, by their priority, then complete, then committed ones."""
        rows = listed(
            Queue.objects.select_related("dataset__project", "committed_version", "held_by"),
            request.query_params,
            wants_archived(request),
        )
        if not wants_archived(request):
            rows = rows.filter(dataset__archived=None)
        if dataset := request.query_params.get("dataset"):
            rows = rows.filter(dataset__name=dataset)
        if states := chosen(request.query_params, "state", Queue.State.values):
            rows = rows.filter(state__in=states)
        rows = named(request, rows, "name", "dataset__name", "created_by__username")
        if (order := request.query_params.get("order", "")) not in {"", URGENT}:
            raise Invalid.field("order", f"{order} unknown: use {URGENT}, or leave it out")
        shown = partial(documents.queue_documents, user=caller(request))
        if order == URGENT:
            return Response(paged(request, by_urgency(rows), shown, key="urgency", descending=False))
        return Response(paged(request, rows, shown))

    @extend_schema(
        operation_id="queues_create", request=shapes.NewQueueSerializer, responses={201: shapes.MadeQueueSerializer}
    )
    def post(self, request: Request) -> Response:
        """Create a queue of samples of a dataset's head: the samples you name, those that pass a filter, or all
        unlabelled ones. Those you name come in your order, others in a random one. Of samples with the same bytes one
        is included, and no unlabelled one whose bytes are labelled. Near-duplicates of test samples, which are not
        trained on, are included only if you name them."""
        body = validated(shapes.NewQueueSerializer, request)
        made = queue_samples(
            find_dataset(body.pop("dataset")),
            body.pop("name"),
            chosen=body.pop("filter", None),
            keys=body.pop("samples", None),
            limit=body.pop("limit", None),
            seed=body.pop("seed", 0),
            answers_per_task=body.pop("answers_per_task"),
            terms=body,
            author=caller(request),
        )
        (shown,) = documents.queue_documents([made.queue], caller(request))
        counted: dict[str, Any] = {"near_duplicates": {"left_out": made.left_out, "included": made.included}}
        return Response(shown | counted | {"passing": made.passing, "copies": made.copies}, status=201)


class QueueDetail(Deletable):
    kind = "queue"
    rights = {**Deletable.rights, "GET": Right.SEE, "PATCH": Right.REVIEW}

    @extend_schema(operation_id="queues_get", responses=shapes.QueueSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """One queue, by id or name."""
        return Response(documents.queue_documents([services.find_queue(reference)], caller(request))[0])

    @extend_schema(operation_id="queues_change", request=shapes.QueueChangeSerializer, responses=shapes.QueueSerializer)
    def patch(self, request: Request, reference: str) -> Response:
        """Change a queue's name, kind, mode, shares, threshold, skip reasons, priority, due time or assignees; fields
        you leave out keep their values. For reviewers and up."""
        changes, found = validated(shapes.QueueChangeSerializer, request), services.find_queue(reference)
        take_name(request, self.kind, found, changes)
        change_queue(found, changes)
        return Response(documents.queue_documents([services.find_queue(str(found.pk))], caller(request))[0])


class QueueNext(APIView):
    rights = needs(POST=Right.LABEL)

    @extend_schema(
        operation_id="queues_next",
        request=shapes.NextSerializer,
        responses={
            200: shapes.LeasedTasksSerializer,
            204: OpenApiResponse(description="Nothing for you now; X-Queue-Leased others hold tasks, and the first of "
                                             "those comes free in X-Queue-Next-Frees seconds."),
        },
    )  # fmt: skip
    def post(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - the guard has read it
        """Lease tasks from a queue that is open to you: first the tasks you already hold, then the next free ones in
        order. A grid returns one cluster at a time: the one you ask for, else that of tasks you hold, else the one with
        the most tasks."""
        wanted, user = validated(shapes.NextSerializer, request), caller(request)
        queue = addressed(self, Queue)
        check_assigned(queue, user)
        page: dict[str, Any] = {}
        if queue.kind == Queue.Kind.GRID:
            found = leasing.clusters(queue, user)
            page["clusters"] = [{"name": name, "todo": todo} for name, todo in found]
            wanted.setdefault("cluster", leasing.page_of(queue, user, found))
        if tasks := leasing.next_tasks(queue, user, **wanted):
            return Response({"tasks": documents.task_documents(tasks, queue, user)} | page)
        response = Response(status=204)
        if others := leasing.held_by_others(queue, user):
            response["X-Queue-Leased"] = str(others.count)
            response["X-Queue-Next-Frees"] = str(ceil(others.next_frees))
        return response


class QueueCommit(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(
        operation_id="queues_commit",
        request=shapes.QueueCommitSerializer,
        responses={201: CommitSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Commit the labels as a new version of the dataset at once, even if its pipeline would wait longer. Repeating
        the request returns the same version."""
        wanted = validated(shapes.QueueCommitSerializer, request)
        result = services.commit_queue(services.find_queue(reference), author=caller(request), **wanted)
        return Response(result.document(), status=201)


class QueueSamples(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(
        operation_id="queues_add_samples",
        request=shapes.MoreSamplesSerializer,
        responses=shapes.AddedSamplesSerializer,
    )
    def post(self, request: Request, reference: str) -> Response:
        """Append samples of the dataset's head to a queue, which reopens it. Committed queues and queues of a
        pipeline's round take no more samples."""
        given = validated(shapes.MoreSamplesSerializer, request)
        return Response(asdict(add_samples(services.find_queue(reference), given["filter"])))


class QueueHold(APIView):
    rights = needs(POST=Right.LABEL, DELETE=Right.LABEL)

    @extend_schema(operation_id="queues_hold", request=None, responses=shapes.QueueSerializer)
    def post(self, request: Request, reference: str) -> Response:
        """Keep pipelines from committing the queue until the hold is released."""
        grace.hold(services.find_queue(reference), caller(request))
        return Response(documents.queue_documents([services.find_queue(reference)], caller(request))[0])

    @extend_schema(operation_id="queues_release", request=None, responses={200: shapes.QueueSerializer})
    def delete(self, request: Request, reference: str) -> Response:
        """Release a hold; the time until the commit starts anew. Annotators can only release their own holds."""
        grace.release(services.find_queue(reference), caller(request))
        return Response(documents.queue_documents([services.find_queue(reference)], caller(request))[0])


class QueueAnswers(APIView):
    rights = needs(GET=Right.SEE, POST=Right.LABEL)

    @extend_schema(
        operation_id="queues_answers", request=shapes.AnswersSerializer, responses=shapes.AnswerResultsSerializer
    )
    def post(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - as above
        """Submit up to 200 answers and skips in one transaction; each has its own outcome."""
        wanted = validated(shapes.AnswersSerializer, request)["answers"]
        outcomes = answer_many(addressed(self, Queue), caller(request), wanted)
        return Response({"results": [documents.outcome_document(outcome) for outcome in outcomes]})

    @extend_schema(
        operation_id="queues_export",
        parameters=[several("state", Task.State.values, "states of the tasks, separated by commas")],
        responses={(200, "application/x-ndjson"): shapes.ExportedTaskSerializer},
    )
    def get(self, request: Request, reference: str) -> StreamingHttpResponse:
        """Export every task with its answers, one JSON object per line, in order; annotators get only their own
        answers, from queues that are open to them."""
        queue, user = services.find_queue(reference), caller(request)
        check_lists(queue, user)
        rows: Iterator[bytes] = exported(queue, user, state=Wanted.of(request).state)
        return StreamingHttpResponse(rows, content_type="application/x-ndjson")


class QueueTasks(APIView):
    rights = needs(GET=Right.SEE)

    @extend_schema(
        operation_id="queues_tasks",
        parameters=[
            several("state", Task.State.values, "states of the tasks, separated by commas"),
            OpenApiParameter("flagged", bool),
            OpenApiParameter("skipped", bool, description="only tasks that somebody skipped"),
            OpenApiParameter("author", enum=["me"], description="`me`: tasks you answered or skipped, newest first"),
            *PAGE,
        ],
        responses=shapes.ListedTasksSerializer,
    )  # fmt: skip
    def get(self, request: Request, reference: str) -> Response:
        """List tasks with your own answers, flags and skips. Reviewers and up see everybody's flags and skips. Of a
        queue that is assigned to other people, annotators get only what they answered themselves (`author=me`)."""
        queue, user, wanted = services.find_queue(reference), caller(request), Wanted.of(request)
        if not wanted.mine:
            check_lists(queue, user)

        def shown(tasks: Sequence[Task]) -> list[dict[str, Any]]:
            return documents.listed_documents(tasks, queue, user)

        if wanted.mine:
            answers = answered_tasks(queue, user, wanted)
            return Response(paged(request, answers, lambda page: shown([answer.task for answer in page])))
        tasks = listed_tasks(queue, user, wanted)
        return Response(paged(request, tasks, shown, key="position", descending=False))


class QueueStatistics(APIView):
    rights = needs(GET=Right.REVIEW)

    @extend_schema(operation_id="queues_statistics", responses=shapes.QueueStatisticsSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return what people did with suggested objects, and the median seconds to verify one, to look for missing ones
        and to draw one. For reviewers and up."""
        return Response(statistics(services.find_queue(reference)))


class QueueRequeue(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="queues_requeue", request=shapes.RequeueSerializer, responses=shapes.RequeuedSerializer)
    def post(self, request: Request, reference: str) -> Response:
        """Reopen skipped tasks. For reviewers and up."""
        wanted = validated(shapes.RequeueSerializer, request)
        count, counts = requeue(services.find_queue(reference), **wanted)
        return Response({"requeued": count, "counts": counts})
