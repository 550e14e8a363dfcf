"""`/datasets/{id}/erasures`: take samples out of everything, and see what was."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.erasure.rows import key_digest, start_erasure
from catalog.serializers.erasures import ErasureListSerializer, NewErasureSerializer, erasure_document
from catalog.versions.datasets import find_dataset
from core.forms import validated
from core.pagination import PAGE, paged
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake


class Erasures(APIView):
    frees_space = True

    when_archived = frozenset({"POST"})
    rights = needs(POST=Right.OWN)

    @extend_schema(
        operation_id="erasures_list",
        parameters=[
            OpenApiParameter("key", description="only those of this key"), *PAGE,
        ],
        responses=ErasureListSerializer,
    )  # fmt: skip
    def get(self, request: Request, reference: str) -> Response:
        """The newest first. They don't say which sample it was; `key` asks whether it was that one."""
        dataset = find_dataset(reference)
        rows = dataset.erasures.select_related("by", "job")
        if (key := request.query_params.get("key")) is not None:
            rows = rows.filter(key_digest=key_digest(dataset, key))
        return Response(paged(request, rows, erasure_document))

    @extend_schema(operation_id="erasures_start", request=NewErasureSerializer, responses={202: JobLinkSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """For owners. Takes samples out of all versions, labels and tasks, and their bytes out of the store; the job's
        result says what had contained them. `confirm` is the dataset's name: nothing brings them back."""
        wanted = validated(NewErasureSerializer, request)
        job = start_erasure(find_dataset(reference), by=caller(request), **wanted)
        wake(job)
        return Response({"job": job_document(job)}, status=202)
