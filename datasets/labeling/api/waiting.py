"""`/labeling/waiting`: the open work in queues, for reviewers and up."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import needs
from accounts.rights import Right
from core.pagination import PROJECT
from jobs.lifecycle.services import listed
from labeling.documents.waiting import most_urgent, waiting_documents
from labeling.models import Queue
from labeling.serializers.waiting import WaitingQueuesSerializer


class Waiting(APIView):
    rights = needs(GET=Right.REVIEW)

    @extend_schema(operation_id="labeling_waiting", parameters=[PROJECT], responses=WaitingQueuesSerializer)
    def get(self, request: Request) -> Response:
        """List the open work in up to 500 queues that are uncommitted or have unresolved comments, the most urgent
        first: by priority, then by due time. For reviewers and up."""
        open_ones = listed(Queue.objects.filter(dataset__archived=None), request.query_params, archived=False)
        return Response({"results": waiting_documents(most_urgent(open_ones)), "next": None})
