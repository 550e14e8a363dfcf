"""`/labeling/tasks`: one task at a time."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from core.forms import validated
from labeling import leasing, services
from labeling.documents import queues as documents
from labeling.reviewing import flags
from labeling.serializers import queues as shapes


class TaskAnswer(APIView):
    rights = needs(POST=Right.LABEL)

    @extend_schema(operation_id="tasks_answer", request=shapes.AnswerSerializer, responses=shapes.ReceiptSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Answer a task you hold. 409 `lease_lost`: you no longer hold it; your answer is kept as a further opinion."""
        receipt = services.answer(pk, caller(request), **validated(shapes.AnswerSerializer, request))
        return Response(documents.receipt_document(receipt))


class TaskSkip(APIView):
    rights = needs(POST=Right.LABEL)

    @extend_schema(operation_id="tasks_skip", request=shapes.SkipSerializer, responses=shapes.ReceiptSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Skip a task you hold because you can't label it."""
        receipt = services.skip(pk, caller(request), **validated(shapes.SkipSerializer, request))
        return Response(documents.receipt_document(receipt))


class TaskUndo(APIView):
    rights = needs(POST=Right.LABEL)

    @extend_schema(operation_id="tasks_undo", request=None, responses=shapes.UndoneSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take back your answer or skip; the task is leased to you again."""
        found = services.find_task(pk)
        user = caller(request)
        counts = services.undo(found, user)
        tasks = list(leasing.shown_tasks([pk], user))
        return Response(documents.task_documents(tasks, found.queue, user)[0] | {"counts": counts})


class TaskRenew(APIView):
    rights = needs(POST=Right.LABEL)

    @extend_schema(operation_id="tasks_renew", request=shapes.RenewSerializer, responses=shapes.LeaseSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Renew your lease of a task."""
        wanted = validated(shapes.RenewSerializer, request)
        return Response(documents.lease_document(leasing.renew(services.find_task(pk), caller(request), **wanted)))


class TaskFlag(APIView):
    rights = needs(POST=Right.LABEL, DELETE=Right.LABEL)

    @extend_schema(operation_id="tasks_flag", request=shapes.FlagSerializer, responses=shapes.FlaggedSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Flag a task for review, or change your note on it."""
        note = validated(shapes.FlagSerializer, request)["note"]
        made = flags.flag(services.find_task(pk), caller(request), note=note)
        return Response({"task": pk, "flag": {"note": made.note}})

    @extend_schema(operation_id="tasks_unflag", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Remove your flag; an owner or reviewer removes everybody's."""
        flags.unflag(services.find_task(pk), caller(request))
        return Response(status=204)
