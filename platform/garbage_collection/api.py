"""`/gc`: delete stored bytes that nothing refers to."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from core.forms import validated
from garbage_collection.services import start_collection
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake


class CollectionSerializer(serializers.Serializer[None]):
    dry_run = serializers.BooleanField(default=False)
    grace = serializers.FloatField(
        required=False, min_value=1, max_value=8760, help_text="hours; what was asked for since then is kept"
    )


class Collections(APIView):
    frees_space = True
    rights = needs(POST=Right.ADMINISTER)

    @extend_schema(operation_id="gc_start", request=CollectionSerializer, responses={202: JobLinkSerializer})
    def post(self, request: Request) -> Response:
        """For owners. The job's result: `{dry_run, blobs, objects, bytes, rewritten, kept}`, and for a dry run the
        `list` of objects that would go."""
        job = start_collection(**validated(CollectionSerializer, request), by=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)
