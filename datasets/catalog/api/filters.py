"""Filters: their vocabulary, checking one, statistics of the samples that pass one; and tags."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.api.samples import FILTERS
from catalog.curation.tagging import change_tags
from catalog.filtering.filters import Filter
from catalog.reading.queries import asked, chosen_samples, total
from catalog.reading.statistics import statistics
from catalog.reading.vocabulary import vocabulary
from catalog.serializers.commits import CommitSerializer
from catalog.serializers.statistics import StatisticsSerializer
from catalog.serializers.vocabulary import (
    CheckedFilterSerializer,
    FilterToCheckSerializer,
    TagChangeSerializer,
    VocabularySerializer,
)
from catalog.versions.datasets import find_dataset, find_version
from core.forms import validated
from jobs.api import JobLinkSerializer, job_document
from jobs.models import Job
from jobs.tasks import wake


class Filters(APIView):
    rights = needs(POST=Right.READ)

    @extend_schema(operation_id="filters_vocabulary", responses=VocabularySerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return the vocabulary of filters: fields, operators, classes, names in metadata and attributes."""
        return Response(vocabulary(find_dataset(reference)))

    @extend_schema(operation_id="filters_check", request=FilterToCheckSerializer, responses=CheckedFilterSerializer)
    def post(self, request: Request, reference: str) -> Response:
        """Check a filter: return both of its forms, and how many samples of a version pass it. An error in the text
        form has a `position`, counted from 0."""
        given, dataset = validated(FilterToCheckSerializer, request), find_dataset(reference)
        chosen = Filter.of(given["filter"], dataset)
        version = find_version(dataset, given["version"])
        counted = {"version": version.number, "count": total(version, chosen)}
        return Response({"text": chosen.text, "filter": chosen.document} | counted)


class Statistics(APIView):
    @extend_schema(
        operation_id="versions_statistics",
        parameters=FILTERS,
        responses=StatisticsSerializer,
    )
    def get(self, request: Request, reference: str, number: str) -> Response:
        """Count classes by split. For labels that hold objects, also count objects per image, their sizes and shapes,
        attributes, and classes that occur together. Every count has a filter that selects its samples."""
        dataset = find_dataset(reference)
        version = find_version(dataset, number)
        return Response(statistics(version, chosen_samples(asked(request.query_params), dataset)))


class SampleTags(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(
        operation_id="sample_tags_change",
        parameters=[OpenApiParameter("reference", location="path")],
        request=TagChangeSerializer,
        responses={201: CommitSerializer, 202: JobLinkSerializer},
    )
    def post(self, request: Request, reference: str) -> Response:
        """Commit tags to the samples of the head that pass a filter, by a job if they are more than 5,000."""
        given, dataset = validated(TagChangeSerializer, request), find_dataset(reference)
        chosen = Filter.of(given["filter"], dataset)
        done = change_tags(
            dataset, chosen, add=given["add"], remove=given["remove"], author=caller(request), message=given["message"],
            parent=given["parent"],
        )  # fmt: skip
        if isinstance(done, Job):
            wake(done)
            return Response({"job": job_document(done)}, status=202)
        return Response(done.document(), status=201)
