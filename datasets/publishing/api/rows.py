"""Access logs, read keys and materialisation of published versions."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from core.pagination import PAGE, paged
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake
from publishing import services
from publishing.materialising import request_materialisation
from publishing.models import Access, Repository
from publishing.sources import source
from publishing.texts import listed_as


class AccessSerializer(serializers.Serializer[None]):
    listing = serializers.CharField()
    versions = serializers.ListField(child=serializers.IntegerField())
    user = serializers.CharField(allow_null=True)
    read_key = serializers.IntegerField(allow_null=True)
    created = serializers.DateTimeField()


class AccessListSerializer(serializers.Serializer[None]):
    results = AccessSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ReadKeySerializer(serializers.Serializer[None]):
    read_key = serializers.IntegerField(help_text="number of the read key: each new key raises it")
    head = serializers.CharField(allow_null=True, help_text="the commit of the newest version now")


class Accesses(APIView):
    rights = needs(GET=Right.OWN)

    @extend_schema(parameters=PAGE, responses=AccessListSerializer)
    def get(self, request: Request, reference: str, kind: str) -> Response:
        """List who fetched which version with DVC, newest first. Owners only."""
        repository = _repository(kind, reference)
        rows = repository.accesses.select_related("user")
        return Response(paged(request, rows, partial(_access_documents, repository)))


class ReadKey(APIView):
    rights = needs(POST=Right.OWN)

    @extend_schema(request=None, responses=ReadKeySerializer)
    def post(self, request: Request, reference: str, kind: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Create a new read key; the old one is void at once. Every commit gets a new id: clone again. Owners only."""
        repository = services.renew_key(_repository(kind, reference))
        head = repository.publications.order_by("-number").values_list("commit", flat=True).first()
        return Response({"read_key": repository.key_number, "head": head})


class Materialise(APIView):
    @extend_schema(request=None, responses={202: JobLinkSerializer})
    def post(self, request: Request, reference: str, number: str, kind: str) -> Response:
        """Copy every file of a version to DVC's own keys in the store, for `dvc pull -r s3`."""
        publication = services.find_publication(kind, reference, number)
        job = request_materialisation(publication, author=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)


def _repository(kind: str, reference: str) -> Repository:
    return services.repository_of(kind, source(kind).name_of(reference))


def _access_documents(repository: Repository, accesses: Sequence[Access]) -> list[dict[str, Any]]:
    listings = {access.listing for access in accesses}
    numbers: dict[str, list[int]] = defaultdict(list)
    rows = repository.publications.filter(listed_as(*listings)).order_by("number")
    for md5, of_blob, number in rows.values_list("listing_md5", "listing__md5", "number"):
        numbers[md5 or of_blob].append(number)
    return [
        {
            "listing": access.listing,
            "versions": numbers.get(access.listing, []),
            "user": access.user.username if access.user else None,
            "read_key": access.key_number,
            "created": access.created,
        }
        for access in accesses
    ]
