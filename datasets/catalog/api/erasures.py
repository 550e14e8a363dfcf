"""`/datasets/{id}/erasures`: erase samples everywhere, and list past erasures."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.erasure.containment import current
from catalog.erasure.rows import key_digest, start_erasure
from catalog.models import Erasure
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
        """List the erasures, newest first. They don't name the erased sample; filter by `key` to ask about one. Each
        report is that of the erasure, brought up to date: it also lists versions that were made since from those that
        learned from the sample (`since`), and what is to be done about each (`action`)."""
        dataset = find_dataset(reference)
        rows = dataset.erasures.select_related("by", "job")
        if (key := request.query_params.get("key")) is not None:
            rows = rows.filter(key_digest=key_digest(dataset, key))
        return Response(paged(request, rows, _documents))

    @extend_schema(operation_id="erasures_start", request=NewErasureSerializer, responses={202: JobLinkSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Erase samples from all versions, labels and tasks, and their bytes from the store. The job's result lists
        what had contained them. `confirm` is the dataset's name: you can't undo an erasure. Owners only."""
        wanted = validated(NewErasureSerializer, request)
        job = start_erasure(find_dataset(reference), by=caller(request), **wanted)
        wake(job)
        return Response({"job": job_document(job)}, status=202)


def _documents(erasures: list[Erasure]) -> list[dict[str, Any]]:
    reports = current([erasure.report for erasure in erasures])
    return [erasure_document(erasure, report) for erasure, report in zip(erasures, reports, strict=True)]
