"""`/datasets/{id}/leak-checks`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog.versions.datasets import find_dataset
from catalog.versions.datasets import find_version as find_dataset_version
from core.forms import validated
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake
from maps import serializers as shapes
from maps.leak_checks import start_leak_check
from registry.services import resolve


class LeakChecks(APIView):
    @extend_schema(
        operation_id="leak_checks_create", request=shapes.LeakCheckSerializer, responses={202: JobLinkSerializer}
    )
    def post(self, request: Request, reference: str) -> Response:
        """Compare the embeddings of test samples with those of all others; the job's result lists the nearest pairs."""
        body = validated(shapes.LeakCheckSerializer, request)
        version = find_dataset_version(find_dataset(reference), body["version"])
        model = resolve(body["model"], field="model")
        job = start_leak_check(version, model, threshold=body["threshold"], author=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)
