"""Near-duplicates of test samples, and slices."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.curation import slices
from catalog.curation.checking import create_check_job
from catalog.curation.near_duplicates import decide_near_duplicates, held_by, near_duplicate_counts
from catalog.models import NearDuplicate
from catalog.reading.queries import total
from catalog.serializers.splits import (
    NearDuplicateDecidedSerializer,
    NearDuplicateDecisionSerializer,
    NearDuplicateListSerializer,
    NewSliceSerializer,
    SliceChangeSerializer,
    SliceDetailSerializer,
    SliceListSerializer,
    SliceSerializer,
    decided_document,
    near_duplicate_document,
    slice_document,
)
from catalog.splits.barring import known
from catalog.versions.datasets import find_dataset, find_version
from core.forms import validated
from core.pagination import NAMED, PAGE, each, named, paged
from jobs.api import JobLinkSerializer, job_document
from jobs.tasks import wake


class NearDuplicates(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="near_duplicates_list", parameters=PAGE, responses=NearDuplicateListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List near-duplicates of test samples, the latest found first; a fork lists those of its origin too."""
        head = find_dataset(reference).head
        rows = known(head) if head else NearDuplicate.objects.none()

        def shown(page: list[NearDuplicate]) -> list[dict[str, Any]]:
            held = held_by(head, page) if head else {}
            return [near_duplicate_document(row, held) for row in page]

        page = paged(request, rows.select_related("sample", "of"), shown)
        return Response(page | {"counts": near_duplicate_counts(head)})

    @extend_schema(
        operation_id="near_duplicates_decide",
        request=NearDuplicateDecisionSerializer,
        responses=NearDuplicateDecidedSerializer,
    )
    def post(self, request: Request, reference: str) -> Response:
        """Allow near-duplicates in train, or keep them out: those with the given keys, or all. In one commit, allowed
        samples with a label move from pool to train, and samples in train that are kept out move to pool."""
        body = validated(NearDuplicateDecisionSerializer, request)
        dataset, author = find_dataset(reference), caller(request)
        return Response(
            decided_document(decide_near_duplicates(dataset, body["decision"], keys=body.get("keys"), author=author))
        )


class NearDuplicateCheck(APIView):
    @extend_schema(operation_id="near_duplicates_check", request=None, responses={202: JobLinkSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Compare the pixels of near-duplicates that an older release found by hashes alone. Pairs that differ are
        deleted, and their labelled samples move to train."""
        job = create_check_job(find_dataset(reference), author=caller(request))
        wake(job)
        return Response({"job": job_document(job)}, status=202)


class Slices(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="slices_list", parameters=[NAMED, *PAGE], responses=SliceListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List the slices, newest first."""
        rows = named(
            request, find_dataset(reference).slices.select_related("created_by"), "name", "created_by__username"
        )
        return Response(paged(request, rows, each(slice_document)))

    @extend_schema(operation_id="slices_create", request=NewSliceSerializer, responses={201: SliceSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Save a filter over metadata, labels and predictions under a name."""
        body = validated(NewSliceSerializer, request)
        made = slices.create_slice(find_dataset(reference), body["name"], body["filter"], author=caller(request))
        return Response(slice_document(made), status=201)


class SliceDetail(APIView):
    rights = needs(PUT=Right.REVIEW, DELETE=Right.REVIEW)

    @extend_schema(
        operation_id="slices_get",
        parameters=[OpenApiParameter("version", description="a version's number or name (default: head)")],
        responses=SliceDetailSerializer,
    )
    def get(self, request: Request, reference: str, name: str) -> Response:
        """Return a slice, and how many samples of a version are in it."""
        dataset = find_dataset(reference)
        found = slices.find_slice(dataset, name)
        version = find_version(dataset, request.query_params.get("version", "head"))
        counted = {"version": version.number, "count": total(version, slices.checked(found))}
        return Response(slice_document(found) | counted)

    @extend_schema(operation_id="slices_replace", request=SliceChangeSerializer, responses=SliceSerializer)
    def put(self, request: Request, reference: str, name: str) -> Response:
        """Change the filter of a slice, its name, or both. Only its author and owners can."""
        found = slices.find_slice(find_dataset(reference), name)
        body = validated(SliceChangeSerializer, request)
        changed = slices.change_slice(found, name=body.get("name"), chosen=body.get("filter"), author=caller(request))
        return Response(slice_document(changed))

    @extend_schema(operation_id="slices_remove", responses={204: None})
    def delete(self, request: Request, reference: str, name: str) -> Response:
        """Delete a slice. Only its author and owners can."""
        slices.remove_slice(slices.find_slice(find_dataset(reference), name), author=caller(request))
        return Response(status=204)
