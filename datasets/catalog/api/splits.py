"""Near-duplicates of test samples, and slices."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from catalog import slices
from catalog.api.datasets import PAGE
from catalog.models import NearDuplicate
from catalog.queries import SampleFilter, total
from catalog.services import find_dataset, find_version
from catalog.split_serializers import (
    NearDuplicateListSerializer,
    NewSliceSerializer,
    SliceChangeSerializer,
    SliceDetailSerializer,
    SliceListSerializer,
    SliceSerializer,
    near_duplicate_document,
    slice_document,
)
from core.forms import validated
from core.pagination import paged


class NearDuplicates(APIView):
    @extend_schema(operation_id="near_duplicates_list", parameters=PAGE, responses=NearDuplicateListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """Samples that show nearly what a test sample shows, the latest found first; a fork lists its origin's too."""
        dataset = find_dataset(reference)
        lines = [dataset.pk, *(line for line, _ in dataset.ancestry)]
        rows = NearDuplicate.objects.filter(dataset__in=lines).select_related("sample", "of")
        page = paged(request, rows, lambda row: row)
        samples = [row.sample_id for row in page["results"]]
        held = (
            dataset.head.revisions.filter(sample__in=samples).values_list("sample_id", "split") if dataset.head else ()
        )
        splits = dict(held)
        shown = [near_duplicate_document(row, splits.get(row.sample_id)) for row in page["results"]]
        return Response(page | {"results": shown})


class Slices(APIView):
    @extend_schema(operation_id="slices_list", parameters=PAGE, responses=SliceListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """The newest first."""
        rows = find_dataset(reference).slices.select_related("created_by")
        return Response(paged(request, rows, slice_document))

    @extend_schema(operation_id="slices_create", request=NewSliceSerializer, responses={201: SliceSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Save a filter over metadata, labels and predictions under a name."""
        body = validated(NewSliceSerializer, request)
        made = slices.create_slice(find_dataset(reference), body["name"], body["filter"], author=caller(request))
        return Response(slice_document(made), status=201)


class SliceDetail(APIView):
    @extend_schema(
        operation_id="slices_get",
        parameters=[OpenApiParameter("version", description="a version's number or name (default: head)")],
        responses=SliceDetailSerializer,
    )
    def get(self, request: Request, reference: str, name: str) -> Response:
        """A slice, and how many samples of a version are in it."""
        dataset = find_dataset(reference)
        found = slices.find_slice(dataset, name)
        version = find_version(dataset, request.query_params.get("version", "head"))
        counted = {"version": version.number, "count": total(version, SampleFilter(slice=slices.checked(found)))}
        return Response(slice_document(found) | counted)

    @extend_schema(operation_id="slices_replace", request=SliceChangeSerializer, responses=SliceSerializer)
    def put(self, request: Request, reference: str, name: str) -> Response:
        """Let the name mean another filter; its author and owners may."""
        found = slices.find_slice(find_dataset(reference), name)
        body = validated(SliceChangeSerializer, request)
        return Response(slice_document(slices.replace_slice(found, body["filter"], author=caller(request))))

    @extend_schema(operation_id="slices_remove", responses={204: None})
    def delete(self, request: Request, reference: str, name: str) -> Response:
        """Take a slice away; its author and owners may."""
        slices.remove_slice(slices.find_slice(find_dataset(reference), name), author=caller(request))
        return Response(status=204)
