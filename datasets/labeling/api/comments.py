"""`/labeling/comments`, and the comments on one task."""

from functools import partial

from django.db.models import Q
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from core.errors import Invalid
from core.forms import validated
from core.pagination import PAGE, PROJECT, each, paged
from labeling import commenting
from labeling.assigning import check_discusses
from labeling.documents.comments import comment_document, listed_documents
from labeling.listing import truth
from labeling.serializers import comments as shapes
from labeling.services import find_queue, find_task

ME = "me"


class TaskComments(APIView):
    rights = needs(GET=Right.LABEL, POST=Right.LABEL)

    @extend_schema(operation_id="tasks_comments", parameters=PAGE, responses=shapes.TaskCommentsSerializer)
    def get(self, request: Request, pk: int) -> Response:
        """List the comments on a task, oldest first, and the people you can mention. Open to everyone who may label; in
        an assigned queue, to its assignees and to reviewers and up. Where several people answer a task, or its
        suggestion is hidden, annotators see other people's comments once they have answered or skipped the task
        themselves: until then only their number."""
        task, user = find_task(pk), caller(request)
        check_discusses(task.queue, user)
        shown = commenting.comments_on(task, user)
        page = paged(request, shown, each(partial(comment_document, user=user)), descending=False)
        counted = commenting.count_comments([task.pk], task.queue, user).get(task.pk, commenting.Counted())
        people = [person.username for person in commenting.people_of(task.queue)]
        return Response(page | {"people": people, "hidden": counted.hidden})

    @extend_schema(
        operation_id="tasks_comment", request=shapes.NewCommentSerializer, responses={201: shapes.CommentSerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Comment on a task, or on a place in its image. `@name` mentions somebody who can read the comment."""
        user = caller(request)
        made = commenting.write_comment(find_task(pk), user, **validated(shapes.NewCommentSerializer, request))
        return Response(comment_document(commenting.find_comment(made.pk, user), user), status=201)


class Comments(APIView):
    rights = needs(GET=Right.LABEL)

    @extend_schema(
        operation_id="comments_list",
        parameters=[
            OpenApiParameter("mentions", enum=[ME], description="`me`: those that mention me"),
            OpenApiParameter("open", bool, description="only unresolved comments; leave it out for all"),
            OpenApiParameter("queue", description="id or name of a queue"),
            PROJECT,
            *PAGE,
        ],
        responses=shapes.CommentListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the comments in all queues that you label or review, newest first. Leaves out archived queues, and other
        people's comments on tasks that you must answer before you may read them."""
        user, query, wanted = caller(request), request.query_params, Q()
        if query.get("mentions", ME) != ME:
            raise Invalid.field("mentions", "can only be `me`")
        if "mentions" in query:
            wanted &= Q(mentions=user)
        if (is_open := truth(request, "open")) is not None:
            wanted &= Q(resolved_at__isnull=is_open)
        if (queue := query.get("queue")) is not None:
            wanted &= Q(task__queue=find_queue(queue))
        rows = commenting.listed_comments(user, wanted, query)
        return Response(paged(request, rows, partial(listed_documents, user=user)))


class CommentDetail(APIView):
    rights = needs(PATCH=Right.LABEL, DELETE=Right.LABEL)

    @extend_schema(
        operation_id="comments_change", request=shapes.CommentChangeSerializer, responses=shapes.CommentSerializer
    )
    def patch(self, request: Request, pk: int) -> Response:
        """Resolve a comment, or reopen it."""
        user = caller(request)
        wanted = validated(shapes.CommentChangeSerializer, request)
        changed = commenting.resolve_comment(commenting.find_comment(pk, user), user, **wanted)
        return Response(comment_document(changed, user))

    @extend_schema(operation_id="comments_delete", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete your comment; an engineer or owner deletes any."""
        user = caller(request)
        commenting.delete_comment(commenting.find_comment(pk, user), user)
        return Response(status=204)
