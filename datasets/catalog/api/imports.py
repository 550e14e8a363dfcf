"""Imports from buckets that an operator set up."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.intake.imports import Origin, create_import_job, source_documents
from catalog.intake.ingest import Terms
from catalog.serializers.intake import ImportSerializer, SourceListSerializer
from catalog.versions.datasets import find_dataset
from core.errors import Invalid
from core.forms import validated
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake


class Sources(APIView):
    rights = needs(GET=Right.ADMINISTER)

    @extend_schema(operation_id="sources_list", responses=SourceListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """List the sources that images can be imported from. Owners only."""
        return Response({"results": source_documents(), "next": None})


class Imports(APIView):
    rights = needs(POST=Right.ADMINISTER)

    @extend_schema(operation_id="datasets_import", request=ImportSerializer, responses={202: JobLinkSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Commit the images in a bucket, by a job whose result is the document of a commit. Owners only.

        `copy` copies the bytes into the store. `reference` leaves them in the bucket: each image is read once now, for
        its digests, and again, verified, whenever it is needed; reading fails once it was changed or deleted there."""
        dataset, given = find_dataset(reference), validated(ImportSerializer, request)
        objects = given["s3"]
        if objects["prefix"] and objects.get("keys"):
            raise Invalid.field("keys", "send either a `prefix` or `keys`, not both")
        origin = Origin(objects["source"], objects["bucket"], objects["prefix"], objects.get("keys", ()))
        named: dict[str, Any] = {
            name: given.get(name)
            for name in ("format", "split", "message", "parent", "partial", "strict", "metadata", "convert")
        }
        terms = Terms(**named)
        job = create_import_job(dataset, origin, terms, mode=given["mode"], author=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)
